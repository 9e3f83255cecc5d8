// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The table at the end of a run: our time for each problem, beside the peers' times for the same.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace mgpu_benchmark
{

/// Identifies what a benchmark measures.
struct benchmark_id
{
  std::string machine; ///< cpu or gpu
  std::string system;  ///< seq, omp:16, cuda
  int workers;
  std::string library; ///< mgpu or a peer
  std::string problem; ///< set_union/keys/i32/uniform/n:1000+1000

  std::string name() const
  {
    return machine + "/" + system + "/" + library + "/" + problem;
  }
};

/// Reporter that prints what Google Benchmark prints, and keeps the medians for the table.
class table_reporter : public benchmark::ConsoleReporter
{
public:
  explicit table_reporter(const std::map<std::string, benchmark_id>& ids)
      : benchmark::ConsoleReporter(benchmark::ConsoleReporter::OO_Tabular)
      , ids_(ids)
  {
  }

  void ReportRuns(const std::vector<Run>& runs) override
  {
    benchmark::ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs)
    {
      // A single repetition has no aggregates: it is its own median. A benchmark that failed has no counters.
      const bool is_median = run.aggregate_name == "median" || run.repetitions == 1;
      const auto percent = run.counters.find("percent_of_copy");
      const auto id = ids_.find(run.run_name.function_name);
      if (is_median && percent != run.counters.end() && id != ids_.end())
      {
        results_.push_back({id->second, run.GetAdjustedRealTime(), percent->second.value});
      }
    }
  }

  void print_table() const
  {
    if (results_.empty()) // as of pairs, which name their ratio themselves
    {
      return;
    }
    int width = 0;
    for (const result& one : results_)
    {
      width = std::max(width, static_cast<int>(one.id.problem.size()));
    }
    std::printf(
      "\nMedian times. Peers: ms, and in brackets that over the time of mgpu: above 1, mgpu is faster.\n"
      "%-*s  %-7s %10s %7s  peers\n",
      width, "problem", "system", "mgpu ms", "% copy");
    for (const result& ours : results_)
    {
      if (ours.id.library != "mgpu")
      {
        continue;
      }
      std::printf(
        "%-*s  %-7s %10.4f %7.1f", width, ours.id.problem.c_str(), ours.id.system.c_str(), ours.milliseconds,
        ours.percent_of_copy);
      for (const result& peer : results_)
      {
        if (is_comparable(ours.id, peer.id))
        {
          std::printf(
            "  %s %s %.4f (%.2f)", peer.id.system.c_str(), peer.id.library.c_str(), peer.milliseconds,
            peer.milliseconds / ours.milliseconds);
        }
      }
      std::printf("\n");
    }
  }

private:
  struct result
  {
    benchmark_id id;
    double milliseconds;
    double percent_of_copy;
  };

  /// Returns whether a peer is compared with ours: it has as many workers, or is serial, the common baseline.
  static bool is_comparable(const benchmark_id& ours, const benchmark_id& peer)
  {
    return peer.library != "mgpu" && peer.problem == ours.problem
           && (peer.workers == ours.workers || peer.system == "seq");
  }

  const std::map<std::string, benchmark_id>& ids_;
  std::vector<result> results_;
};

} // namespace mgpu_benchmark
