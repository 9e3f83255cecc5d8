// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The flags of the benchmark programs in addition to those of Google Benchmark.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace mgpu_benchmark
{

struct options
{
  std::vector<std::int64_t> n;            ///< numbers of elements a side, or of items
  std::vector<std::string> distributions; ///< of the input: see distributions.h, or the lengths of load_balance.h
  std::vector<std::string> types;
  std::vector<std::string> forms;
  std::vector<std::string> operations;
  std::vector<int> workers; ///< numbers of workers of the parallel CPU systems
  int repetitions = 7;      ///< number of repetitions, of which the median is reported
  double min_time = 0.05;   ///< minimum number of seconds of a repetition
  std::int64_t copy = 0;    ///< bytes of the copy that speeds are compared with; 0: the default of the machine
  bool all_peers = false;
  std::string pairs; ///< the clock of calls that alternate with a peer's: wait, device or graph; empty: no such calls
};

inline constexpr const char* flags_help =
  "Flags of this program; LIST is comma-separated, or all:\n"
  "  --n=LIST              elements a side, or items, as 1000, 2^24 or 2^8..2^28\n"
  "  --distributions=LIST  of the input\n"
  "  --types=LIST          of the keys, with +, of keys and values\n"
  "  --forms=LIST --operations=LIST\n"
  "  --workers=LIST        of the parallel CPU systems\n"
  "  --repetitions=COUNT   of which the median is taken\n"
  "  --min_time=SECONDS    that a repetition takes at least\n"
  "  --copy=BYTES          of the copy that speeds are compared with\n"
  "  --all-peers           also peers that are known to be slow\n"
  "  --pairs=CLOCK         mgpu and a peer in turns, by the clock of a caller who\n"
  "                        waits (wait), the same for a CUDA graph that is the call\n"
  "                        (graph), or by the clock of a GPU (device)\n"
  "All other flags go to Google Benchmark:\n";

inline std::vector<std::string> split(const std::string& text)
{
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size())
  {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

inline std::int64_t parse_count(const std::string& text)
{
  std::size_t used = 0;
  const bool power = text.rfind("2^", 0) == 0;
  const std::string digits = power ? text.substr(2) : text;
  const std::int64_t number = std::stoll(digits, &used);
  if (used != digits.size() || number < 0 || (power && number > 62))
  {
    throw std::invalid_argument(text);
  }
  return power ? std::int64_t{1} << number : number;
}

/// Returns the numbers of a list: numbers, or two with .. between them for the first, its double, and so on up to the
/// second.
inline std::vector<std::int64_t> parse_counts(const std::string& text, std::int64_t most)
{
  std::vector<std::int64_t> counts;
  for (const auto& part : split(text))
  {
    const std::size_t dots = part.find("..");
    const bool is_range = dots != std::string::npos;
    const std::int64_t first = parse_count(part.substr(0, dots));
    const std::int64_t last = is_range ? parse_count(part.substr(dots + 2)) : first;
    if (last > most || (is_range && (first == 0 || last < first)))
    {
      throw std::invalid_argument(part + " is more than " + std::to_string(most) + ", or no range");
    }
    counts.push_back(first);
    while (is_range && 2 * counts.back() <= last)
    {
      counts.push_back(2 * counts.back());
    }
  }
  return counts;
}

/// Sets the option of one argument. Returns whether the argument is one of our flags.
inline bool take_flag(const std::string& argument, options& chosen)
{
  const std::size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
  // There are enough 32-bit keys for twice as many distinct ones as elements a side.
  constexpr std::int64_t max_n = std::int64_t{1} << 30;
  if (name == "--n")
  {
    chosen.n = parse_counts(value, max_n);
  }
  else if (name == "--workers")
  {
    chosen.workers.clear();
    for (const auto& part : split(value))
    {
      chosen.workers.push_back(static_cast<int>(parse_count(part)));
      if (chosen.workers.back() < 1)
      {
        throw std::invalid_argument("at least one worker");
      }
    }
  }
  else if (name == "--distributions")
  {
    chosen.distributions = split(value);
  }
  else if (name == "--types")
  {
    chosen.types = split(value);
  }
  else if (name == "--forms")
  {
    chosen.forms = split(value);
  }
  else if (name == "--operations")
  {
    chosen.operations = split(value);
  }
  else if (name == "--repetitions")
  {
    chosen.repetitions = std::max(1, static_cast<int>(parse_count(value)));
  }
  else if (name == "--min_time")
  {
    chosen.min_time = std::stod(value);
  }
  else if (name == "--copy")
  {
    chosen.copy = parse_count(value);
  }
  else if (name == "--pairs")
  {
    if (value != "wait" && value != "device" && value != "graph")
    {
      throw std::invalid_argument("wait, device or graph");
    }
    chosen.pairs = value;
  }
  else if (argument == "--all-peers")
  {
    chosen.all_peers = true;
  }
  else
  {
    return false;
  }
  return true;
}

/// Parses our flags and removes them from the arguments, which leaves those for Google Benchmark. Options without a
/// flag keep their defaults.
inline options parse_options(int& argc, char** argv, options chosen)
{
  int kept = 1;
  for (int i = 1; i < argc; ++i)
  {
    const std::string argument = argv[i];
    if (argument == "--help")
    {
      std::fputs(flags_help, stdout);
    }
    bool ours = false;
    try
    {
      ours = take_flag(argument, chosen);
    }
    catch (const std::exception& error)
    {
      throw std::invalid_argument(argument + ": not understood: " + error.what());
    }
    if (!ours)
    {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[kept] = nullptr;
  return chosen;
}

/// Throws if a name of a list is not known: with a misspelt name a program must not look as if it had measured.
inline void check_names(const char* flag, const std::vector<std::string>& list, const std::vector<std::string>& known)
{
  for (const auto& name : list)
  {
    if (name != "all" && std::find(known.begin(), known.end(), name) == known.end())
    {
      std::string message = std::string(flag) + ": no " + name + " among: all";
      for (const auto& other : known)
      {
        message += " " + other;
      }
      throw std::invalid_argument(message);
    }
  }
}

/// Returns whether a name was chosen, by itself or by "all".
inline bool is_chosen(const std::vector<std::string>& list, const std::string& name)
{
  return std::find(list.begin(), list.end(), name) != list.end()
         || std::find(list.begin(), list.end(), "all") != list.end();
}

} // namespace mgpu_benchmark
