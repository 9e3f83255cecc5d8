// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Checks the numbers of the example unicode_sets by computing them in another way.
//
// Nothing is shared with that example: a set is a bit for each possible code point, and set operations are the
// operators of std::bitset. You learn how to test a program against an independent computation.
//
// Usage: check_unicode_sets DIRECTORY COUNTS
// DIRECTORY holds Scripts.txt and PropList.txt; COUNTS is what `unicode_sets DIRECTORY --counts COUNTS` wrote.

#include <bitset>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

constexpr std::size_t code_point_count = 0x110000;
using bits = std::bitset<code_point_count>;
using counts = std::map<std::string, long long>;

struct file_bits
{
  long long entries = 0;
  std::map<std::string, bits> sets;
};

/// Reads a file line by line, and checks each set against the number of code points that the file itself states.
file_bits read_bits(const std::string& path)
{
  std::ifstream stream(path);
  if (!stream)
  {
    throw std::runtime_error("cannot open " + path);
  }
  file_bits file;
  std::string line;
  std::string current;
  while (std::getline(stream, line))
  {
    unsigned first = 0;
    unsigned last = 0;
    char name[64] = "";
    std::size_t stated = 0;
    if (std::sscanf(line.c_str(), "# Total code points: %zu", &stated) == 1)
    {
      if (file.sets[current].count() != stated)
      {
        throw std::runtime_error(path + " states another number of code points for " + current);
      }
    }
    else if (
      std::sscanf(line.c_str(), "%x..%x ; %63s", &first, &last, name) == 3
      || std::sscanf(line.c_str(), "%x ; %63s", &first, name) == 2)
    {
      current = name;
      ++file.entries;
      for (unsigned code_point = first; code_point <= (last > first ? last : first); ++code_point)
      {
        file.sets[current].set(code_point);
      }
    }
  }
  return file;
}

bits all_of(const file_bits& file)
{
  bits all;
  for (const auto& set : file.sets)
  {
    all |= set.second;
  }
  return all;
}

counts expected_counts(const file_bits& scripts, const file_bits& properties)
{
  const auto script = [&](const char* name) -> const bits& { return scripts.sets.at(name); };
  const auto property = [&](const char* name) -> const bits& { return properties.sets.at(name); };
  const auto is_inside = [](const bits& inner, const bits& outer) { return (inner & ~outer).none(); };

  counts expected;
  expected["latin_hex_digit"] = (script("Latin") & property("Hex_Digit")).count();
  expected["common_plain"] = (script("Common") & ~property("White_Space") & ~property("Pattern_Syntax")).count();
  expected["white_space_not_common"] = (property("White_Space") & ~script("Common")).count();
  expected["white_space_kinds"] = (property("White_Space") ^ property("Pattern_White_Space")).count();
  expected["japanese"] = (script("Han") | script("Hiragana") | script("Katakana")).count();
  expected["hex_digit_not_latin"] = (property("Hex_Digit") & ~script("Latin")).count();
  expected["dash_or_quotation_mark"] = (property("Dash") | property("Quotation_Mark")).count();
  expected["hex_digits_include_ascii"] = is_inside(property("ASCII_Hex_Digit"), property("Hex_Digit"));
  expected["han_includes_unified"] = is_inside(property("Unified_Ideograph"), script("Han"));
  expected["han_includes_ideographic"] = is_inside(property("Ideographic"), script("Han"));

  for (const char* name : {"Ideographic", "Dash"})
  {
    for (const auto& set : scripts.sets)
    {
      const bits common = set.second & property(name);
      if (common.any())
      {
        expected[std::string(name) + "/" + set.first] = common.count();
      }
    }
  }

  for (std::size_t code_point = 0; code_point < code_point_count; ++code_point)
  {
    int number_of_properties = 0;
    for (const auto& set : properties.sets)
    {
      number_of_properties += set.second[code_point] ? 1 : 0;
    }
    for (int least = 1; least <= number_of_properties; ++least)
    {
      ++expected["at_least_" + std::to_string(least)];
    }
  }

  expected["script_entries"] = scripts.entries;
  expected["property_entries"] = properties.entries;
  expected["scripts"] = scripts.sets.size();
  expected["properties"] = properties.sets.size();
  expected["with_script"] = all_of(scripts).count();
  expected["with_property"] = all_of(properties).count();
  expected["property_without_script"] = (all_of(properties) & ~all_of(scripts)).count();
  return expected;
}

/// Compares line by line, prints the differences, and returns their number.
int compare(const std::string& path, counts expected)
{
  std::ifstream stream(path);
  if (!stream)
  {
    throw std::runtime_error("cannot open " + path);
  }
  int differences = 0;
  std::string line;
  for (int line_number = 1; std::getline(stream, line); ++line_number)
  {
    const std::string name = line.substr(0, line.find('\t'));
    const auto found = expected.find(name);
    if (found == expected.end())
    {
      std::printf("line %d: '%s' is not expected, or for the second time\n", line_number, line.c_str());
      ++differences;
      continue;
    }
    if (line != name + '\t' + std::to_string(found->second))
    {
      std::printf("line %d: '%s' should say %lld\n", line_number, line.c_str(), found->second);
      ++differences;
    }
    expected.erase(found);
  }
  for (const auto& missing : expected)
  {
    std::printf("no line for '%s', which should say %lld\n", missing.first.c_str(), missing.second);
    ++differences;
  }
  return differences;
}

int main(int argument_count, char** arguments)
{
  if (argument_count != 3)
  {
    std::fprintf(stderr, "usage: check_unicode_sets DIRECTORY COUNTS\n");
    return 2;
  }
  try
  {
    const std::string directory = arguments[1];
    const counts expected =
      expected_counts(read_bits(directory + "/Scripts.txt"), read_bits(directory + "/PropList.txt"));
    if (compare(arguments[2], expected) != 0)
    {
      return 1;
    }
    std::printf("all %zu numbers agree\n", expected.size());
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "check_unicode_sets: %s\n", error.what());
    return 1;
  }
  return 0;
}
