// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Segmented compaction on the CPU: mgpu on each of Thrust's CPU systems, beside plain loops, and a recipe with Thrust.

#include "segmented_compact.h"
#include "machine_cpu.h"

#include <cstdint>

namespace mgpu_benchmark
{

/// A loop over the segments and their items, as users write it.
struct std_segmented_compact
{
  static constexpr const char* name = "std";

  template <class Policy>
  static std::int64_t run(segmented_copy_if, const Policy&, const compact_arguments& in)
  {
    std::int32_t* out = in.out;
    for (std::int64_t segment = 0; segment < in.num_segments; ++segment)
    {
      in.offsets_out[segment] = static_cast<std::int32_t>(out - in.out);
      for (std::int64_t i = in.offsets[segment]; i < in.offsets[segment + 1]; ++i)
      {
        if (in.keep(in.input[i]))
        {
          *out++ = in.input[i];
        }
      }
    }
    in.offsets_out[in.num_segments] = static_cast<std::int32_t>(out - in.out);
    return out - in.out;
  }
  template <class Policy>
  static std::int64_t run(segmented_unique_copy, const Policy&, const compact_arguments& in)
  {
    std::int32_t* out = in.out;
    for (std::int64_t segment = 0; segment < in.num_segments; ++segment)
    {
      in.offsets_out[segment] = static_cast<std::int32_t>(out - in.out);
      const std::int64_t begin = in.offsets[segment];
      const std::int64_t end = in.offsets[segment + 1];
      if (begin < end)
      {
        *out++ = in.input[begin];
      }
      for (std::int64_t i = begin + 1; i < end; ++i)
      {
        if (in.input[i - 1] != in.input[i])
        {
          *out++ = in.input[i];
        }
      }
    }
    in.offsets_out[in.num_segments] = static_cast<std::int32_t>(out - in.out);
    return out - in.out;
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  return run_cpu_program(
    argc, argv, cpu_defaults(), libraries<std_segmented_compact>{}, libraries<mgpu_segmented_compact>{},
    libraries<thrust_segmented_compact>{}, all_compact_lengths(), compact_problems());
}
