// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Load-balancing search and interval operations on the CPU: mgpu on each of Thrust's CPU systems, beside plain loops,
/// and an implementation with Thrust's algorithms.

#include "load_balance.h"
#include "machine_cpu.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace mgpu_benchmark
{

/// Plain loops over the segments, with a fill or a copy of the standard library for each segment.
struct std_load_balance
{
  static constexpr const char* name = "std";

  template <class Policy, class Arguments>
  static void run(load_balancing_search, const Policy&, const Arguments& in)
  {
    using segment_type = std::decay_t<decltype(*in.out)>;
    auto out = in.out;
    for (std::int64_t segment = 0; segment < in.segments(); ++segment)
    {
      out = std::fill_n(out, in.length(segment), static_cast<segment_type>(segment));
    }
  }
  template <class Policy, class Arguments>
  static void run(interval_expand, const Policy&, const Arguments& in)
  {
    auto out = in.out;
    for (std::int64_t segment = 0; segment < in.segments(); ++segment)
    {
      out = std::fill_n(out, in.length(segment), in.values[segment]);
    }
  }
  template <bool Shuffled, class Policy, class Arguments>
  static void run(gather_from<Shuffled> gather, const Policy&, const Arguments& in)
  {
    const auto* const places = gather.places(in);
    auto out = in.out;
    for (std::int64_t segment = 0; segment < in.segments(); ++segment)
    {
      out = std::copy_n(in.input + places[segment], in.length(segment), out);
    }
  }
  template <class Policy, class Arguments>
  static void run(interval_scatter, const Policy&, const Arguments& in)
  {
    for (std::int64_t segment = 0; segment < in.segments(); ++segment)
    {
      std::copy_n(in.input + in.offsets_first[segment], in.length(segment), in.out + in.shuffled_places[segment]);
    }
  }
  template <class Policy, class Arguments>
  static void run(interval_move, const Policy&, const Arguments& in)
  {
    for (std::int64_t segment = 0; segment < in.segments(); ++segment)
    {
      std::copy_n(in.input + in.ascending_places[segment], in.length(segment), in.out + in.shuffled_places[segment]);
    }
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  return run_cpu_program(
    argc, argv, cpu_defaults(), libraries<std_load_balance>{}, libraries<mgpu_load_balance>{},
    libraries<thrust_load_balance>{}, all_segment_lengths(), segment_problems());
}
