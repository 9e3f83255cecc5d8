// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Reads a property file of the Unicode Character Database, such as Scripts.txt or PropList.txt.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace unicode
{

inline constexpr std::uint32_t last_code_point = 0x10FFFF;

/// The contents of a property file: for each name (a script or a property) its code points in ascending order.
struct property_file
{
  std::string path;
  std::size_t entries = 0;
  std::map<std::string, std::vector<std::uint32_t>> code_points;

  /// Returns the code points of one name. Throws if the file does not have it.
  const std::vector<std::uint32_t>& of(const std::string& name) const
  {
    const auto found = code_points.find(name);
    if (found == code_points.end())
    {
      throw std::runtime_error(path + ": has no entry for '" + name + "'");
    }
    return found->second;
  }
};

/// Returns `text` without white space at either end.
inline std::string trimmed(const std::string& text)
{
  const char* white_space = " \t\r";
  const std::size_t begin = text.find_first_not_of(white_space);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(white_space) + 1 - begin);
}

/// Returns the code point written in hexadecimal as `text`. Throws if it is not a code point.
inline std::uint32_t parse_code_point(const std::string& text)
{
  const bool is_hexadecimal = text.find_first_not_of("0123456789ABCDEFabcdef") == std::string::npos;
  if (text.empty() || text.size() > 6 || !is_hexadecimal || std::stoul(text, nullptr, 16) > last_code_point)
  {
    throw std::invalid_argument("'" + text + "' is not a code point");
  }
  return static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
}

/// Reads one entry, "0041..005A ; Latin" or "00AA ; Latin", into `file`. Throws if it is malformed.
inline void parse_entry(const std::string& entry, property_file& file)
{
  const std::size_t semicolon = entry.find(';');
  if (semicolon == std::string::npos)
  {
    throw std::invalid_argument("no ';' after the code points");
  }
  const std::string range = trimmed(entry.substr(0, semicolon));
  const std::string name = trimmed(entry.substr(semicolon + 1));
  if (name.empty())
  {
    throw std::invalid_argument("no name after the ';'");
  }

  const std::size_t dots = range.find("..");
  const std::uint32_t first = parse_code_point(range.substr(0, dots));
  const std::uint32_t last = dots == std::string::npos ? first : parse_code_point(range.substr(dots + 2));
  if (last < first)
  {
    throw std::invalid_argument("the range '" + range + "' ends before it begins");
  }

  std::vector<std::uint32_t>& code_points = file.code_points[name];
  for (std::uint32_t code_point = first; code_point <= last; ++code_point)
  {
    code_points.push_back(code_point);
  }
  ++file.entries;
}

/// Reads a whole file. Throws a std::runtime_error that names the file, and the line if there is one.
inline property_file read_property_file(const std::string& path)
{
  std::ifstream stream(path);
  if (!stream)
  {
    throw std::runtime_error(path + ": cannot be opened");
  }

  property_file file;
  file.path = path;
  std::string line;
  for (std::size_t line_number = 1; std::getline(stream, line); ++line_number)
  {
    const std::string entry = trimmed(line.substr(0, line.find('#')));
    if (entry.empty())
    {
      continue; // a comment or an empty line
    }
    try
    {
      parse_entry(entry, file);
    }
    catch (const std::invalid_argument& error)
    {
      throw std::runtime_error(path + ":" + std::to_string(line_number) + ": " + error.what());
    }
  }
  if (stream.bad() || file.entries == 0)
  {
    throw std::runtime_error(path + ": " + (stream.bad() ? "cannot be read" : "has no entries"));
  }

  for (auto& [name, code_points] : file.code_points)
  {
    std::sort(code_points.begin(), code_points.end());
  }
  return file;
}

} // namespace unicode
