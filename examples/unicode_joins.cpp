// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Joins of two real tables: which properties have the code points of which scripts?
//
// You learn what each join is for. The left table has a row for each code point of Scripts.txt, with its script; the
// right one a row for each property of a code point in PropList.txt, so some code points have several rows there and
// most have none. Both are sorted by code point. You also learn how to join without storing row numbers: an output
// iterator looks the row up, and writes the column that the next step needs.
//
// The numbers are compared with those of nested maps.
//
// Usage: unicode_joins DIRECTORY, where Scripts.txt and PropList.txt are.

#include "unicode_sets.h"

#include <mgpu_thrust/join.h>
#include <mgpu_thrust/semi_join.h>

#include "example_support.h"

#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// A table of two columns, sorted by code point: names are numbers in `names`.
struct table
{
  std::vector<std::string> names;
  thrust::device_vector<std::uint32_t> code_points;
  thrust::device_vector<int> name_numbers;

  explicit table(const unicode::property_file& file)
  {
    for (const auto& [name, members] : file.code_points)
    {
      code_points.insert(code_points.end(), members.begin(), members.end());
      name_numbers.resize(code_points.size(), static_cast<int>(names.size()));
      names.push_back(name);
    }
    thrust::stable_sort_by_key(thrust::device, code_points.begin(), code_points.end(), name_numbers.begin());
  }
};

/// Returns a column's entry in a row, to be written instead of the row's number; no_name if there is no row.
struct name_in_row
{
  static constexpr int no_name = -1;
  const int* name_numbers;

  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t row) const
  {
    return row < 0 ? no_name : name_numbers[row];
  }
};

/// Returns an output iterator for row numbers of `from` that writes the names of these rows to `column`.
auto write_names(const table& from, thrust::device_vector<int>& column)
{
  return thrust::make_transform_output_iterator(
    column.begin(), name_in_row{thrust::raw_pointer_cast(from.name_numbers.data())});
}

/// A script, a property, and the number of code points that have both.
struct group
{
  int script;
  int property;
  std::int64_t size;
};

/// Returns the distinct rows of a joined table of two columns, the most frequent first.
std::vector<group> count_pairs(thrust::device_vector<int> scripts, thrust::device_vector<int> properties)
{
  const auto pairs = thrust::make_zip_iterator(scripts.begin(), properties.begin());
  thrust::sort(thrust::device, pairs, pairs + scripts.size());
  thrust::device_vector<int> group_scripts(scripts.size());
  thrust::device_vector<int> group_properties(scripts.size());
  thrust::device_vector<std::int64_t> sizes(scripts.size());
  const auto groups = thrust::make_zip_iterator(group_scripts.begin(), group_properties.begin());
  const auto ends = thrust::reduce_by_key(
    thrust::device, pairs, pairs + scripts.size(), thrust::constant_iterator<std::int64_t>(1), groups, sizes.begin());

  const thrust::host_vector<int> host_scripts(group_scripts);
  const thrust::host_vector<int> host_properties(group_properties);
  const thrust::host_vector<std::int64_t> host_sizes(sizes);
  std::vector<group> result;
  for (std::ptrdiff_t i = 0; i < ends.first - groups; ++i)
  {
    result.push_back({host_scripts[i], host_properties[i], host_sizes[i]});
  }
  std::stable_sort(result.begin(), result.end(), [](const group& x, const group& y) { return x.size > y.size; });
  return result;
}

/// The numbers of the joins, computed code point by code point.
struct reference
{
  std::map<std::pair<std::string, std::string>, std::int64_t> pairs;
  std::int64_t inner = 0;
  std::int64_t left_alone = 0;  // code points with a script and no property
  std::int64_t right_alone = 0; // rows of code points with a property and no script

  reference(const unicode::property_file& scripts, const unicode::property_file& properties)
  {
    std::map<std::uint32_t, std::string> script_of;
    for (const auto& [name, members] : scripts.code_points)
    {
      for (const std::uint32_t code_point : members)
      {
        script_of[code_point] = name;
      }
    }
    std::map<std::uint32_t, int> properties_of;
    for (const auto& [name, members] : properties.code_points)
    {
      for (const std::uint32_t code_point : members)
      {
        ++properties_of[code_point];
        const auto script = script_of.find(code_point);
        if (script == script_of.end())
        {
          ++right_alone;
        }
        else
        {
          ++pairs[{script->second, name}];
          ++inner;
        }
      }
    }
    for (const auto& [code_point, script] : script_of)
    {
      left_alone += properties_of.count(code_point) == 0;
    }
  }
};

/// Converts a number for printf.
long long number(std::int64_t n)
{
  return n;
}

int main(int argc, char** argv)
{
  example::skip_without_device();
  try
  {
    if (argc != 2)
    {
      throw std::runtime_error("usage: unicode_joins DIRECTORY");
    }
    const std::string directory = argv[1];
    const auto script_file = unicode::read_property_file(directory + "/Scripts.txt");
    const auto property_file = unicode::read_property_file(directory + "/PropList.txt");
    const table scripts(script_file);
    const table properties(property_file);
    const auto& left = scripts.code_points;
    const auto& right = properties.code_points;
    std::printf("scripts:    %6zu rows, %3zu names\n", left.size(), scripts.names.size());
    std::printf("properties: %6zu rows, %3zu names\n\n", right.size(), properties.names.size());

    // 1. Count the rows of each join. Nothing is written.
    const std::int64_t inner =
      mgpu::inner_join_size(thrust::device, left.begin(), left.end(), right.begin(), right.end());
    const std::int64_t with_left =
      mgpu::left_join_size(thrust::device, left.begin(), left.end(), right.begin(), right.end());
    const std::int64_t with_right =
      mgpu::right_join_size(thrust::device, left.begin(), left.end(), right.begin(), right.end());
    const std::int64_t full =
      mgpu::full_join_size(thrust::device, left.begin(), left.end(), right.begin(), right.end());
    const std::int64_t semi =
      mgpu::semi_join_size(thrust::device, left.begin(), left.end(), right.begin(), right.end());
    const std::int64_t anti =
      mgpu::anti_join_size(thrust::device, left.begin(), left.end(), right.begin(), right.end());
    std::printf("inner join: %6lld rows, a code point with a script for each of its properties\n", number(inner));
    std::printf("left join:  %6lld rows, those and the code points without a property\n", number(with_left));
    std::printf(
      "right join: %6lld rows, those of the inner join and of code points without a script\n", number(with_right));
    std::printf("full join:  %6lld rows, all of these\n", number(full));
    std::printf("semi join:  %6lld rows, the code points with a script that have a property\n", number(semi));
    std::printf("anti join:  %6lld rows, those that have none\n\n", number(anti));

    // 2. The names of an inner join: row numbers are looked up where they are written.
    thrust::device_vector<int> joined_scripts(inner);
    thrust::device_vector<int> joined_properties(inner);
    mgpu::inner_join(
      thrust::device, left.begin(), left.end(), right.begin(), right.end(), write_names(scripts, joined_scripts),
      write_names(properties, joined_properties));
    const std::vector<group> pairs = count_pairs(joined_scripts, joined_properties);
    std::printf("The most frequent of %zu pairs of a script and a property:\n", pairs.size());
    for (std::size_t i = 0; i < 10; ++i)
    {
      std::printf(
        "%6lld  %-20s %s\n", number(pairs[i].size), scripts.names[pairs[i].script].c_str(),
        properties.names[pairs[i].property].c_str());
    }

    // 3. The properties of code points without a script: rows of a right join that have a property alone.
    thrust::device_vector<int> right_scripts(with_right);
    thrust::device_vector<int> right_properties(with_right);
    mgpu::right_join(
      thrust::device, left.begin(), left.end(), right.begin(), right.end(), write_names(scripts, right_scripts),
      write_names(properties, right_properties));
    std::printf("\nProperties of code points without a script:\n");
    for (const group& g : count_pairs(right_scripts, right_properties))
    {
      if (g.script == name_in_row::no_name)
      {
        std::printf("%6lld  %s\n", number(g.size), properties.names[g.property].c_str());
      }
    }

    // 4. The scripts whose code points have no property at all, by an anti join that writes scripts.
    thrust::device_vector<int> anti_scripts(anti);
    mgpu::anti_join(
      thrust::device, left.begin(), left.end(), right.begin(), right.end(), write_names(scripts, anti_scripts));
    const auto latin = std::find(scripts.names.begin(), scripts.names.end(), "Latin") - scripts.names.begin();
    const std::int64_t plain_latin =
      thrust::count(thrust::device, anti_scripts.begin(), anti_scripts.end(), static_cast<int>(latin));
    std::printf("\n%lld Latin code points have no property.\n", number(plain_latin));

    // 5. Compare with the numbers computed code point by code point.
    const reference expected(script_file, property_file);
    bool is_right = inner == expected.inner && with_left == expected.inner + expected.left_alone
                    && with_right == expected.inner + expected.right_alone
                    && full == expected.inner + expected.left_alone + expected.right_alone
                    && anti == expected.left_alone && semi + anti == static_cast<std::int64_t>(left.size())
                    && pairs.size() == expected.pairs.size();
    for (const group& g : pairs)
    {
      const auto found = expected.pairs.find({scripts.names[g.script], properties.names[g.property]});
      is_right = is_right && found != expected.pairs.end() && found->second == g.size;
    }
    std::printf("The joins are %s.\n", is_right ? "right" : "WRONG");
    return is_right ? 0 : 1;
  }
  catch (const std::exception& error)
  {
    std::printf("%s\n", error.what());
    return 1;
  }
}
