// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Checks results that are too large to store: each is compared with a function of its index as it is written.

#include <thrust/device_vector.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include <cuda/atomic>

#include <cstdint>

namespace test
{

class index_check
{
public:
  static constexpr std::int64_t sample = 1009; ///< one of this many elements is counted
  template <class Expected>
  struct compare
  {
    Expected expected;
    std::int64_t* counts;

    template <class Index, class Value>
    __device__ void operator()(Index i, const Value& value) const
    {
      using counter = ::cuda::atomic_ref<std::int64_t, ::cuda::thread_scope_device>;
      if (i % sample == 0)
      {
        counter(counts[0]).fetch_add(1, ::cuda::memory_order_relaxed);
      }
      if (value != expected(static_cast<std::int64_t>(i)))
      {
        counter(counts[1]).fetch_add(1, ::cuda::memory_order_relaxed);
      }
    }
  };

  /// Output iterator whose element i should be expected(i).
  template <class Expected>
  auto output(Expected expected)
  {
    return thrust::make_tabulate_output_iterator(compare<Expected>{expected, thrust::raw_pointer_cast(counts_.data())});
  }
  /// Number of indices below `size` that are multiples of `sample`; `sampled` counts those that were written.
  static std::int64_t samples_of(std::int64_t size)
  {
    return (size + sample - 1) / sample;
  }
  std::int64_t sampled() const
  {
    return counts_[0];
  }
  std::int64_t wrong() const
  {
    return counts_[1];
  }

private:
  thrust::device_vector<std::int64_t> counts_ = thrust::device_vector<std::int64_t>(2, 0);
};

} // namespace test
