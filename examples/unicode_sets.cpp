// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Questions about Unicode, answered by set operations.
//
// A script (Latin, Greek, Han, ...) or a property (white space, hexadecimal digit, ...) is a sorted vector of code
// points, and every question below is one or a few set operations on such vectors. You learn how to write programs
// around thrust::device that run on the CPU or the GPU, whichever they are compiled for; how results become inputs of
// the next operation; how to count without writing; and how keys have values.
//
// Usage: unicode_sets DIRECTORY [--counts FILE]
// DIRECTORY holds Scripts.txt and PropList.txt; FILE receives every number of the table as "name<TAB>number".

#include "unicode_sets.h"

#include <mgpu_thrust/set_operations.h>

#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using code_points = thrust::device_vector<std::uint32_t>; // in ascending order
using samples = thrust::host_vector<std::uint32_t>;       // a few of them, to print

// ---- Calls of the library, with their times ----

/// The calls of one function since the last answer.
struct timed_calls
{
  std::string function;
  std::string sizes; // of the inputs of the last call
  std::size_t elements = 0;
  int calls = 0;
  double microseconds = 0;
};
std::vector<timed_calls> calls_since_answer;

/// Returns call(), and records its time and the function that it calls on inputs of two sizes. Functions that return
/// the end or the size of a result wait for it on a GPU, so that the time is that of the whole call.
template <class Call>
auto timed(const char* function, std::size_t a_size, std::size_t b_size, Call call)
{
  const auto start = std::chrono::steady_clock::now();
  auto result = call();
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  if (calls_since_answer.empty() || calls_since_answer.back().function != function)
  {
    calls_since_answer.emplace_back();
    calls_since_answer.back().function = function;
  }
  timed_calls& calls = calls_since_answer.back();
  calls.sizes = std::to_string(a_size) + " and " + std::to_string(b_size);
  calls.elements += a_size + b_size;
  ++calls.calls;
  calls.microseconds += time.count();
  return result;
}

/// Prints what was recorded since the last answer, one function a line.
void print_calls()
{
  for (const timed_calls& calls : calls_since_answer)
  {
    const std::string sizes =
      calls.calls == 1 ? calls.sizes : std::to_string(calls.elements) + " in " + std::to_string(calls.calls) + " calls";
    std::printf("    mgpu::%s, sizes: %s, time: %.1f us\n", calls.function.c_str(), sizes.c_str(), calls.microseconds);
  }
  calls_since_answer.clear();
}

// ---- Set operations that return a new vector, of the size of the largest possible result, then shrunk. ----

code_points intersection_of(const code_points& a, const code_points& b)
{
  code_points result(std::min(a.size(), b.size()));
  const auto end = timed(
    "set_intersection", a.size(), b.size(),
    [&] { return mgpu::set_intersection(thrust::device, a.begin(), a.end(), b.begin(), b.end(), result.begin()); });
  result.erase(end, result.end());
  return result;
}

code_points union_of(const code_points& a, const code_points& b)
{
  code_points result(a.size() + b.size());
  const auto end = timed(
    "set_union", a.size(), b.size(),
    [&] { return mgpu::set_union(thrust::device, a.begin(), a.end(), b.begin(), b.end(), result.begin()); });
  result.erase(end, result.end());
  return result;
}

code_points difference_of(const code_points& a, const code_points& b)
{
  code_points result(a.size());
  const auto end = timed(
    "set_difference", a.size(), b.size(),
    [&] { return mgpu::set_difference(thrust::device, a.begin(), a.end(), b.begin(), b.end(), result.begin()); });
  result.erase(end, result.end());
  return result;
}

code_points symmetric_difference_of(const code_points& a, const code_points& b)
{
  code_points result(a.size() + b.size());
  const auto end = timed(
    "set_symmetric_difference", a.size(), b.size(),
    [&]
    { return mgpu::set_symmetric_difference(thrust::device, a.begin(), a.end(), b.begin(), b.end(), result.begin()); });
  result.erase(end, result.end());
  return result;
}

/// Returns the number of elements of the difference, and of the union: nothing is written.
std::int64_t difference_size_of(const code_points& a, const code_points& b)
{
  return timed(
    "set_difference_size", a.size(), b.size(),
    [&] { return mgpu::set_difference_size(thrust::device, a.begin(), a.end(), b.begin(), b.end()); });
}

std::int64_t union_size_of(const code_points& a, const code_points& b)
{
  return timed(
    "set_union_size", a.size(), b.size(),
    [&] { return mgpu::set_union_size(thrust::device, a.begin(), a.end(), b.begin(), b.end()); });
}

/// Returns whether all elements of b are in a.
bool are_included(const code_points& a, const code_points& b)
{
  return timed(
    "includes", a.size(), b.size(),
    [&] { return mgpu::includes(thrust::device, a.begin(), a.end(), b.begin(), b.end()); });
}

/// Returns one copy of each of the elements of a multiset.
code_points distinct_of(const code_points& multiset)
{
  code_points result(multiset);
  result.erase(thrust::unique(thrust::device, result.begin(), result.end()), result.end());
  return result;
}

// ---- The table of answers ----

/// Prints the answers, one per line, and stores them for the file of counts.
class answer_table
{
public:
  void heading(const std::string& question)
  {
    std::printf("\n%-*s %7s  %s\n", question_width, question.c_str(), "Answer", "For example");
    print_calls(); // those that the answers below share
  }

  void add(const std::string& name, const std::string& question, const code_points& answer)
  {
    const std::size_t sample_size = std::min(answer.size(), max_samples);
    add(name, question, answer.size(), samples(answer.begin(), answer.begin() + sample_size));
  }

  void add(const std::string& name, const std::string& question, std::int64_t count, const samples& examples = {})
  {
    print(question, std::to_string(count));
    for (std::size_t i = 0; i < std::min(examples.size(), max_samples); ++i)
    {
      std::printf("%sU+%04X", i == 0 ? "  " : " ", static_cast<unsigned>(examples[i]));
    }
    const bool has_more = !examples.empty() && static_cast<std::size_t>(count) > max_samples;
    std::printf(has_more ? " ...\n" : "\n");
    print_calls();
    counts_.emplace_back(name, count);
  }

  void add_yes_or_no(const std::string& name, const std::string& question, bool answer)
  {
    print(question, answer ? "yes" : "no");
    std::printf("\n");
    print_calls();
    counts_.emplace_back(name, answer ? 1 : 0);
  }

  void write_counts(const std::string& path) const
  {
    std::ofstream file(path);
    for (const auto& [name, count] : counts_)
    {
      file << name << '\t' << count << '\n';
    }
    file.close();
    if (!file)
    {
      throw std::runtime_error(path + ": cannot be written");
    }
  }

private:
  static constexpr int question_width = 68;
  static constexpr std::size_t max_samples = 4;

  void print(const std::string& question, const std::string& answer)
  {
    std::printf("%-*s %7s", question_width, question.c_str(), answer.c_str());
  }

  std::vector<std::pair<std::string, std::int64_t>> counts_;
};

// ---- The questions ----

void ask_about_sets(
  const unicode::property_file& scripts, const unicode::property_file& properties, answer_table& table)
{
  const code_points common = scripts.of("Common");
  const code_points latin = scripts.of("Latin");
  const code_points han = scripts.of("Han");
  const code_points hiragana = scripts.of("Hiragana");
  const code_points katakana = scripts.of("Katakana");
  const code_points hex_digit = properties.of("Hex_Digit");
  const code_points ascii_hex_digit = properties.of("ASCII_Hex_Digit");
  const code_points white_space = properties.of("White_Space");
  const code_points pattern_white_space = properties.of("Pattern_White_Space");
  const code_points pattern_syntax = properties.of("Pattern_Syntax");
  const code_points ideographic = properties.of("Ideographic");
  const code_points unified_ideograph = properties.of("Unified_Ideograph");
  const code_points dash = properties.of("Dash");
  const code_points quotation_mark = properties.of("Quotation_Mark");

  table.heading("Question");
  table.add("latin_hex_digit", "Which Latin code points are hexadecimal digits?", intersection_of(latin, hex_digit));
  table.add(
    "common_plain", "Which Common code points are neither white space nor pattern syntax?",
    difference_of(common, union_of(white_space, pattern_syntax)));
  table.add(
    "white_space_not_common", "Which white space is not in the Common script?", difference_of(white_space, common));
  table.add(
    "white_space_kinds", "What is white space in text or in patterns, but not in both?",
    symmetric_difference_of(white_space, pattern_white_space));
  table.add(
    "japanese", "Which code points belong to the scripts of Japanese?", union_of(han, union_of(hiragana, katakana)));

  // If only the number is needed, nothing is written.
  table.add("hex_digit_not_latin", "How many hexadecimal digits are not Latin?", difference_size_of(hex_digit, latin));
  table.add(
    "dash_or_quotation_mark", "How many code points are dashes or quotation marks?",
    union_size_of(dash, quotation_mark));

  table.add_yes_or_no(
    "hex_digits_include_ascii", "Are all ASCII hexadecimal digits hexadecimal digits?",
    are_included(hex_digit, ascii_hex_digit));
  table.add_yes_or_no("han_includes_unified", "Are all unified ideographs Han?", are_included(han, unified_ideograph));
  table.add_yes_or_no(
    "han_includes_ideographic", "Are all ideographic code points Han?", are_included(han, ideographic));
}

/// Finds the scripts in which a property occurs: an intersection by key of all code points, whose values are the
/// indices of their scripts, with the property.
void ask_about_scripts(
  const unicode::property_file& scripts, const unicode::property_file& properties, answer_table& table)
{
  std::vector<std::string> script_names;
  code_points keys;
  thrust::device_vector<int> values;
  for (const auto& [name, members] : scripts.code_points)
  {
    keys.insert(keys.end(), members.begin(), members.end());
    values.resize(keys.size(), static_cast<int>(script_names.size()));
    script_names.push_back(name);
  }
  thrust::sort_by_key(thrust::device, keys.begin(), keys.end(), values.begin());

  for (const char* property : {"Ideographic", "Dash"})
  {
    const code_points members = properties.of(property);
    code_points found(members.size());
    thrust::device_vector<int> found_scripts(members.size());
    const auto end = timed(
      "set_intersection_by_key", keys.size(), members.size(),
      [&]
      {
        return mgpu::set_intersection_by_key(
          thrust::device, keys.begin(), keys.end(), members.begin(), members.end(), values.begin(), found.begin(),
          found_scripts.begin());
      });
    found.erase(end.first, found.end());
    found_scripts.erase(end.second, found_scripts.end());

    // Grouped by script, and ascending in each as before: the sort is stable.
    thrust::stable_sort_by_key(thrust::device, found_scripts.begin(), found_scripts.end(), found.begin());
    const thrust::host_vector<std::uint32_t> host_found(found);
    const thrust::host_vector<int> host_scripts(found_scripts);

    table.heading(std::string("Which scripts have code points with the property ") + property + "?");
    for (auto first = host_scripts.begin(); first != host_scripts.end();)
    {
      const auto last = std::upper_bound(first, host_scripts.end(), *first);
      const auto group = host_found.begin() + (first - host_scripts.begin());
      const std::string& name = script_names[*first];
      table.add(std::string(property) + "/" + name, name, last - first, samples(group, group + (last - first)));
      first = last;
    }
  }
}

/// Counts properties with a multiset that has a code point once for each of its properties: the multiset without the
/// set of its distinct elements has one copy less of each.
void ask_about_multisets(const unicode::property_file& properties, answer_table& table)
{
  code_points multiset;
  for (const auto& [name, members] : properties.code_points)
  {
    multiset.insert(multiset.end(), members.begin(), members.end());
  }
  thrust::sort(thrust::device, multiset.begin(), multiset.end());

  table.heading("How many properties of PropList.txt does a code point have?");
  for (int least = 1; !multiset.empty(); ++least)
  {
    const code_points distinct = distinct_of(multiset);
    table.add("at_least_" + std::to_string(least), std::to_string(least) + " or more", distinct);
    multiset = difference_of(multiset, distinct);
    print_calls();
  }
}

void ask_for_totals(
  const unicode::property_file& scripts, const unicode::property_file& properties, answer_table& table)
{
  code_points with_script;
  for (const auto& [name, members] : scripts.code_points)
  {
    with_script = union_of(with_script, members);
  }
  code_points with_property;
  for (const auto& [name, members] : properties.code_points)
  {
    with_property = union_of(with_property, members);
  }

  table.heading("Totals");
  table.add("script_entries", "Entries of Scripts.txt", scripts.entries);
  table.add("property_entries", "Entries of PropList.txt", properties.entries);
  table.add("scripts", "Scripts", scripts.code_points.size());
  table.add("properties", "Properties", properties.code_points.size());
  table.add("with_script", "Code points with a script", with_script);
  table.add("with_property", "Code points with a property", with_property);
  table.add(
    "property_without_script", "Code points with a property, but no script", difference_of(with_property, with_script));
}

int main(int argument_count, char** arguments)
{
  const bool has_counts = argument_count == 4 && std::string(arguments[2]) == "--counts";
  if (argument_count != 2 && !has_counts)
  {
    std::fprintf(stderr, "usage: unicode_sets DIRECTORY [--counts FILE]\n");
    return 2;
  }
  example::skip_without_device();

  try
  {
    const std::string directory = arguments[1];
    const unicode::property_file scripts = unicode::read_property_file(directory + "/Scripts.txt");
    const unicode::property_file properties = unicode::read_property_file(directory + "/PropList.txt");

    std::printf("Set operations on Unicode code points, run on: %s\n", example::device_system_name().c_str());
    std::printf("Below an answer: which function gave it, the sizes of its inputs, and its time.\n");
    std::printf("On a GPU the first call of a function also loads its kernels.\n");
    answer_table table;
    ask_about_sets(scripts, properties, table);
    ask_about_scripts(scripts, properties, table);
    ask_about_multisets(properties, table);
    ask_for_totals(scripts, properties, table);
    if (has_counts)
    {
      table.write_counts(arguments[3]);
    }
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "unicode_sets: %s\n", error.what());
    return 1;
  }
  return 0;
}
