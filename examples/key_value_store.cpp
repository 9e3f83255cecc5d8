// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A key-value store in two sorted arrays, which is updated in batches: which script does a code point belong to?
//
// You learn how sorted search, bulk insertion and bulk removal work together. A batch of keys is searched for in the
// store in one pass, which finds the position of each key and whether the store has it. Keys in the store get their new
// values; the others are inserted at their positions, into the keys and into the values; keys are removed by their
// positions. Each step runs at the speed of memory and costs as much as a copy of the arrays, so such a store is for
// batches.
//
// The data are real: the scripts of Unicode arrive in alphabetical order, a script a batch; then property lists correct
// and remove some of them. At the end the store is compared with a std::map that was updated key by key.
//
// Usage: key_value_store DIRECTORY, where Scripts.txt and PropList.txt are.

#include "unicode_sets.h"

#include <mgpu_thrust/bulk.h>
#include <mgpu_thrust/sorted_search.h>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scatter.h>
#include <thrust/transform.h>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using keys = thrust::device_vector<std::uint32_t>; // in ascending order, each once
using values = thrust::device_vector<int>;
using places = thrust::device_vector<std::int64_t>;
using flags = thrust::device_vector<char>;

class key_value_store
{
public:
  std::size_t size() const
  {
    return keys_.size();
  }
  const keys& all_keys() const
  {
    return keys_;
  }
  const values& all_values() const
  {
    return values_;
  }

  /// Gives every key of the batch the value `value`, and returns how many of them are new.
  std::size_t put(const keys& batch, int value)
  {
    const auto [bounds, found] = find(batch);
    const thrust::constant_iterator<int> all(value);

    // 1. Keys that are in the store.
    thrust::scatter_if(thrust::device, all, all + batch.size(), bounds.begin(), found.begin(), values_.begin());

    // 2. New keys, and their positions.
    keys new_keys(batch.size());
    places positions(batch.size());
    const auto from = thrust::make_zip_iterator(batch.begin(), bounds.begin());
    const auto to = thrust::make_zip_iterator(new_keys.begin(), positions.begin());
    const std::size_t new_count =
      thrust::copy_if(thrust::device, from, from + batch.size(), found.begin(), to, thrust::logical_not<char>{}) - to;
    keys merged_keys(size() + new_count);
    values merged_values(size() + new_count);
    mgpu::bulk_insert(
      thrust::device, keys_.begin(), keys_.end(), new_keys.begin(), positions.begin(), positions.begin() + new_count,
      merged_keys.begin());
    mgpu::bulk_insert(
      thrust::device, values_.begin(), values_.end(), all, positions.begin(), positions.begin() + new_count,
      merged_values.begin());
    keys_.swap(merged_keys);
    values_.swap(merged_values);
    return new_count;
  }

  /// Removes the keys of the batch, and returns how many of them were in the store.
  std::size_t remove(const keys& batch)
  {
    const auto [bounds, found] = find(batch);
    places indices(batch.size());
    const std::size_t count =
      thrust::copy_if(
        thrust::device, bounds.begin(), bounds.end(), found.begin(), indices.begin(), cuda::std::identity{})
      - indices.begin();
    keys kept_keys(size() - count);
    values kept_values(size() - count);
    mgpu::bulk_remove(
      thrust::device, keys_.begin(), keys_.end(), indices.begin(), indices.begin() + count, kept_keys.begin());
    mgpu::bulk_remove(
      thrust::device, values_.begin(), values_.end(), indices.begin(), indices.begin() + count, kept_values.begin());
    keys_.swap(kept_keys);
    values_.swap(kept_values);
    return count;
  }

  /// Returns the values of the keys of the batch; `otherwise` for keys that are not in the store.
  values get(const keys& batch, int otherwise) const
  {
    const auto [bounds, found] = find(batch);
    values result(batch.size(), otherwise);
    const auto stored = thrust::make_permutation_iterator(values_.begin(), bounds.begin());
    thrust::transform_if(
      thrust::device, stored, stored + batch.size(), found.begin(), result.begin(), cuda::std::identity{},
      cuda::std::identity{});
    return result;
  }

private:
  struct places_and_flags
  {
    places bounds;
    flags found;
  };

  /// Finds the position in the store of each key of the batch, or where it would be inserted, and whether it is there.
  places_and_flags find(const keys& batch) const
  {
    places_and_flags result{places(batch.size()), flags(batch.size())};
    auto* const found = reinterpret_cast<bool*>(thrust::raw_pointer_cast(result.found.data()));
    mgpu::sorted_search(
      thrust::device, batch.begin(), batch.end(), keys_.begin(), keys_.end(),
      thrust::make_zip_iterator(result.bounds.begin(), found), thrust::make_discard_iterator());
    return result;
  }

  keys keys_;
  values values_;
};

int main(int argc, char** argv)
{
  example::skip_without_device();
  try
  {
    if (argc != 2)
    {
      throw std::runtime_error("usage: key_value_store DIRECTORY");
    }
    const std::string directory = argv[1];
    const auto scripts = unicode::read_property_file(directory + "/Scripts.txt");
    const auto properties = unicode::read_property_file(directory + "/PropList.txt");

    key_value_store store;
    std::map<std::uint32_t, int> reference;
    std::vector<std::string> names;
    const auto put = [&](const std::string& name, const std::vector<std::uint32_t>& code_points)
    {
      const std::size_t added = store.put(keys(code_points.begin(), code_points.end()), static_cast<int>(names.size()));
      for (const std::uint32_t code_point : code_points)
      {
        reference[code_point] = static_cast<int>(names.size());
      }
      names.push_back(name);
      return added;
    };

    // 1. A batch for each script.
    for (const auto& [name, code_points] : scripts.code_points)
    {
      put(name, code_points);
    }
    std::printf("%zu scripts, a batch each: %zu code points\n", names.size(), store.size());

    // 2. White space and hexadecimal digits become scripts of their own.
    for (const std::string name : {"White_Space", "ASCII_Hex_Digit"})
    {
      const auto& code_points = properties.of(name);
      const std::size_t added = put(name, code_points);
      std::printf("%s: %zu code points, %zu of them new\n", name.c_str(), code_points.size(), added);
    }

    // 3. Deprecated code points are removed; noncharacters were never in the store.
    for (const std::string name : {"Deprecated", "Noncharacter_Code_Point"})
    {
      const auto& code_points = properties.of(name);
      const std::size_t removed = store.remove(keys(code_points.begin(), code_points.end()));
      for (const std::uint32_t code_point : code_points)
      {
        reference.erase(code_point);
      }
      std::printf("%s: %zu code points, %zu removed\n", name.c_str(), code_points.size(), removed);
    }
    std::printf("%zu code points remain\n", store.size());

    // 4. Look up keys, also in a batch.
    const std::vector<std::uint32_t> questions{0x0020, 0x0041, 0x0047, 0x0149, 0x03B1, 0x0416, 0x4E2D, 0xFFFF};
    const thrust::host_vector<int> answers = store.get(keys(questions.begin(), questions.end()), -1);
    for (std::size_t i = 0; i < questions.size(); ++i)
    {
      std::printf("U+%04X %s\n", questions[i], answers[i] < 0 ? "is not there" : names[answers[i]].c_str());
    }

    // 5. Compare the store with a map that was updated key by key.
    const thrust::host_vector<std::uint32_t> all_keys = store.all_keys();
    const thrust::host_vector<int> all_values = store.all_values();
    bool is_right = all_keys.size() == reference.size();
    std::size_t i = 0;
    for (const auto& [code_point, value] : reference)
    {
      is_right = is_right && all_keys[i] == code_point && all_values[i] == value;
      ++i;
    }
    std::printf("The store is %s.\n", is_right ? "right" : "WRONG");
    return is_right ? 0 : 1;
  }
  catch (const std::exception& error)
  {
    std::printf("%s\n", error.what());
    return 1;
  }
}
