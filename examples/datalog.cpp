// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Reachability by Datalog: what does each package need, directly or through others?
//
//   needs(x, y) :- depends(x, y).
//   needs(x, z) :- needs(x, y), depends(y, z).
//
// You learn how to write semi-naive rounds, which join the new facts of the last round alone. Facts are sorted numbers:
//   join          of the new facts with depends: mgpu::join_plan, an inner join; then a sort, and thrust::unique
//   difference    what is found minus what is known: mgpu::set_difference. A few facts are searched for in many known
//                 ones, so its time follows the few
//   union         the new facts are merged into the known ones: mgpu::merge. Its result has all facts, so its time
//                 follows them
// So that few rounds write all facts, the known ones are several runs, each at least eight times as long as the next. A
// round adds a short run, and merges only runs of similar lengths. If all rounds find equally many, 255 rounds write a
// fact 13 times on average, instead of 128 times.
//
// The facts are compared with those of a serial search, and with those of Thrust's calls over all facts in each round.
//
// Usage: datalog FILE, where FILE is data/debian_dependencies.txt, or datalog --time=2^24, for a table of times.

#include <mgpu_thrust/join.h>
#include <mgpu_thrust/merge.h>
#include <mgpu_thrust/set_operations.h>
#include <mgpu_thrust/sort.h>

#include "dependency_graph.h"
#include "example_support.h"
#include "whole_jobs.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/merge.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace datalog
{

/// A fact of two columns. The upper half has the column that rules join: y of needs(x, y), and y of depends(y, z).
using fact = std::uint64_t;
using facts = thrust::device_vector<fact>; // sorted, each once

struct joined_column
{
  MGPU_THRUST_HOST_DEVICE std::uint32_t operator()(fact f) const
  {
    return static_cast<std::uint32_t>(f >> 32);
  }
};

/// Returns needs(x, z) for needs(x, y) and depends(y, z).
struct apply_rule
{
  MGPU_THRUST_HOST_DEVICE fact operator()(fact needs, fact depends) const
  {
    return depends << 32 | (needs & 0xffffffffu);
  }
};

// ---- Known facts ----

/// Our calls, for facts in several runs.
struct our_calls
{
  static constexpr std::size_t ratio = 8;

  template <class... Args>
  static auto set_difference(Args... args)
  {
    return mgpu::set_difference(thrust::device, args...);
  }
  template <class... Args>
  static auto merge(Args... args)
  {
    return mgpu::merge(thrust::device, args...);
  }
};

/// Today's: each round reads and writes one run of all facts, as no other run is long enough to stay.
struct todays_calls
{
  static constexpr std::size_t ratio = std::size_t{1} << 32;

  template <class... Args>
  static auto set_difference(Args... args)
  {
    return thrust::set_difference(thrust::device, args...);
  }
  template <class... Args>
  static auto merge(Args... args)
  {
    return thrust::merge(thrust::device, args...);
  }
};

/// Facts as sorted runs, each at least `ratio` times as long as the next. No fact is in two of them.
template <class Calls>
class known_facts
{
public:
  facts remove_known_from(facts some) const
  {
    for (const facts& run : runs_)
    {
      facts rest(some.size());
      rest.erase(Calls::set_difference(some.begin(), some.end(), run.begin(), run.end(), rest.begin()), rest.end());
      some.swap(rest);
    }
    return some;
  }
  void add(facts some)
  {
    while (!runs_.empty() && runs_.back().size() < Calls::ratio * some.size())
    {
      merge_last_into(some);
    }
    runs_.push_back(std::move(some));
  }
  facts take_all()
  {
    facts all;
    while (!runs_.empty())
    {
      merge_last_into(all);
    }
    return all;
  }

private:
  void merge_last_into(facts& some)
  {
    facts& run = runs_.back();
    spare_.resize(run.size() + some.size());
    Calls::merge(run.begin(), run.end(), some.begin(), some.end(), spare_.begin());
    some.swap(spare_);
    if (spare_.capacity() < run.capacity())
    {
      spare_.swap(run);
    }
    runs_.pop_back();
  }

  std::vector<facts> runs_;
  facts spare_; // memory for the next merge
};

// ---- Rounds ----

/// Returns what the second rule finds with new facts, sorted, each fact once.
facts join(const facts& needs, const facts& depends)
{
  // 1. The rows of the join: a new fact and a dependency of its package y. The time follows the shorter input.
  const auto left = thrust::make_transform_iterator(needs.begin(), joined_column{});
  const auto right = thrust::make_transform_iterator(depends.begin(), joined_column{});
  const mgpu::join_plan rows(
    thrust::device, mgpu::inner_join_t{}, left, left + needs.size(), right, right + depends.size());
  thrust::device_vector<std::int32_t> needs_rows(rows.size()), depends_rows(rows.size());
  rows.fill(needs_rows.begin(), depends_rows.begin());

  // 2. A fact for each row. Several rows may give the same.
  facts found(rows.size());
  const auto found_needs = thrust::make_permutation_iterator(needs.begin(), needs_rows.begin());
  thrust::transform(
    thrust::device, found_needs, found_needs + found.size(),
    thrust::make_permutation_iterator(depends.begin(), depends_rows.begin()), found.begin(), apply_rule{});
  mgpu::sort(thrust::device, found.begin(), found.end());
  found.erase(thrust::unique(thrust::device, found.begin(), found.end()), found.end());
  return found;
}

/// Applies the second rule until it finds nothing new, and returns all facts. `rounds` gets the number of new ones.
template <class Calls>
facts find_all(facts new_facts, const facts& depends, std::vector<std::size_t>& rounds)
{
  known_facts<Calls> known;
  for (rounds.clear(); !new_facts.empty();)
  {
    rounds.push_back(new_facts.size());
    facts found = datalog::join(new_facts, depends);
    known.add(std::move(new_facts));
    new_facts = known.remove_known_from(std::move(found));
  }
  return known.take_all();
}

/// Returns the facts of edges, with one end or the other in the joined column.
facts facts_of(const example::edges& all, bool joins_first)
{
  std::vector<fact> result;
  for (const auto& [from, to] : all)
  {
    result.push_back(static_cast<fact>(joins_first ? from : to) << 32 | static_cast<fact>(joins_first ? to : from));
  }
  std::sort(result.begin(), result.end());
  return facts(result.begin(), result.end());
}

// ---- A serial search, and times ----

std::vector<fact> find_all_serially(const example::graph& depends, example::vertex num_asked)
{
  std::vector<fact> result;
  std::vector<example::vertex> found_by(depends.row_starts.size(), -1), waiting;
  for (example::vertex x = 0; x < num_asked; ++x)
  {
    for (waiting = {x}; !waiting.empty();)
    {
      const example::vertex y = waiting.back();
      waiting.pop_back();
      for (std::int64_t i = depends.row_starts[y]; i < depends.row_starts[y + 1]; ++i)
      {
        const example::vertex z = depends.neighbours[i];
        if (found_by[z] != x)
        {
          found_by[z] = x;
          waiting.push_back(z);
          result.push_back(static_cast<fact>(z) << 32 | static_cast<fact>(x));
        }
      }
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Prints times for some 2^16 new facts a round, and `size` facts in all.
void print_table(std::int64_t size)
{
  const std::int64_t few = 1 << 16;
  facts all(size), found(few), rest(few), merged(size + few), depends;
  thrust::sequence(thrust::device, all.begin(), all.end(), fact{0}, fact{2});
  thrust::sequence(thrust::device, found.begin(), found.end(), fact{0}, static_cast<fact>(2 * size / few + 1));
  example::print_times_head("Thrust's calls over all facts");
  example::print_times(
    "2^16 facts minus all",
    [&](auto calls) { calls.set_difference(found.begin(), found.end(), all.begin(), all.end(), rest.begin()); },
    our_calls{}, todays_calls{});
  example::print_times(
    "2^16 facts merged into all",
    [&](auto calls) { calls.merge(all.begin(), all.end(), found.begin(), found.end(), merged.begin()); }, our_calls{},
    todays_calls{});

  // Packages in chains, each of which needs all later ones of its chain: a round adds the facts one step further.
  example::edges chains;
  for (example::vertex v = 1; v < 2 * few; ++v)
  {
    if (v % (size / few) != 0)
    {
      chains.emplace_back(v - 1, v);
    }
  }
  std::vector<std::size_t> rounds;
  const facts needs = facts_of(chains, false);
  depends = facts_of(chains, true);
  example::print_times(
    "all rounds, in chains", [&](auto calls) { find_all<decltype(calls)>(needs, depends, rounds); }, our_calls{},
    todays_calls{}, 1);
  std::printf("%zu rounds\n", rounds.size());
}

bool answer(const std::string& path)
{
  const example::packages all = example::read_packages(path);
  const example::vertex num_asked = 4000; // those that most others depend on
  example::edges asked;
  std::copy_if(
    all.dependencies.begin(), all.dependencies.end(), std::back_inserter(asked),
    [](const auto& edge) { return edge.first < num_asked; });
  std::vector<std::size_t> rounds;
  const facts needs = facts_of(asked, false);
  const facts depends = facts_of(all.dependencies, true);
  const facts found = find_all<our_calls>(needs, depends, rounds);
  std::printf("%s\nWhat do %d packages need?\n", all.source.c_str(), num_asked);
  for (std::size_t round = 0; round < rounds.size(); ++round)
  {
    std::printf("  round %2zu: %6zu new facts\n", round, rounds[round]);
  }
  std::printf("%zu facts\n", found.size());

  const example::graph graph = example::make_graph(all.names.size(), all.dependencies);
  const bool is_right = example::to_host(found) == find_all_serially(graph, num_asked);
  const bool is_same = find_all<todays_calls>(needs, depends, rounds) == found;
  std::printf("A serial search %s.\n", is_right ? "agrees" : "DISAGREES");
  std::printf("Thrust's calls over all facts in each round %s.\n", is_same ? "agree" : "DISAGREE");
  return is_right && is_same;
}

} // namespace datalog

int main(int argc, char** argv)
{
  return example::run_job(argc, argv, "a file of dependencies", datalog::answer, datalog::print_table);
}
