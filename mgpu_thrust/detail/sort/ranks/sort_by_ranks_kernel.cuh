// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that sorts a few thousand elements by one launch, with a thread per element. No thread merges: each finds
/// the rank of its key in several sorted runs by independent searches, and moves its element there. For so few elements
/// the latency of memory and barriers dominates, and a rank sort waits few times.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/sort/ranks/ranks_in_runs.cuh>
#include <mgpu_thrust/detail/sort/tile/ranked_tile_sort.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>
#include <mgpu_thrust/detail/tile/load/shared_pointers.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>

#include <cuda/ptx>
#include <cuda/std/iterator>

#include <cooperative_groups.h>

#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A sort of elements [first, first + all) from `in` to `out`, which may be the same, by a cluster with a thread per
/// element. Block b first sorts elements [first + b * threads, first + (b + 1) * threads).
template <int MaxThreads, class In, class Out, class Compare>
class rank_sort
{
  using slot = staged_t<typename ::cuda::std::iterator_traits<decltype(In::keys)>::value_type>;
  using value = typename value_or_none<decltype(In::values)>::type;
  static constexpr bool has_values_too = has_values<decltype(In::values)>;

public:
  struct TempStorage
  {
    alignas(16) unsigned char keys[max_cluster_blocks * MaxThreads * sizeof(slot)]; ///< own ones, then other blocks'
    alignas(value) unsigned char values[(has_values_too ? MaxThreads : 1) * sizeof(value)];
  };

  MGPU_THRUST_DEVICE
  rank_sort(TempStorage& shared, const In& in, const Out& out, int first, int all, int block, const Compare& comp)
      : keys_(reinterpret_cast<slot*>(shared.keys))
      , values_(reinterpret_cast<value*>(shared.values))
      , pointers_(keys_)
      , in_(in)
      , out_(out)
      , first_(first)
      , all_(all)
      , order_{comp}
      , threads_(static_cast<int>(blockDim.x))
      , thread_(static_cast<int>(threadIdx.x))
      , block_(block)
      , count_(count_of_block(block))
  {
  }

  /// Sorts; called by all threads of the cluster.
  MGPU_THRUST_DEVICE void process()
  {
    load();
    sort_warp();
#pragma unroll 1
    for (int run = 32; run < count_; run *= 4)
    {
      merge_four_runs(run);
    }
    __syncthreads();
    read_own();
    if (all_ <= threads_)
    {
      write_to(first_ + thread_);
    }
    else if constexpr (max_cluster_blocks > 1)
    {
      merge_blocks();
    }
  }

private:
  /// Whether the thread has an element. Only elements are compared.
  MGPU_THRUST_DEVICE bool has_element() const
  {
    return thread_ < count_;
  }

  /// Index of the element that the thread loads.
  MGPU_THRUST_DEVICE int own_index() const
  {
    return first_ + block_ * threads_ + thread_;
  }

  MGPU_THRUST_DEVICE void load()
  {
    if (has_element())
    {
      key_ = slot{detail::element(in_.keys, own_index())};
      if constexpr (has_values_too)
      {
        value_ = detail::value_of(in_, own_index());
      }
    }
    move_to(thread_);
    __syncwarp();
  }

  /// Sorts the elements of each warp: a thread counts the keys that go before its own.
  MGPU_THRUST_DEVICE void sort_warp()
  {
    const int first = thread_ / 32 * 32;
    const int end = (min) (first + 32, count_);
    const int before = has_element() ? detail::count_before(keys_, first, end, 1, thread_, order_) : 0;
    __syncwarp();
    move_to((min) (first + before, end - 1)); // clamped, as `comp` may be no strict weak order
  }

  /// Merges every four neighbouring runs of the block, of `run` elements each.
  MGPU_THRUST_DEVICE void merge_four_runs(int run)
  {
    __syncthreads();
    read_own();
    int position = (thread_ & -(4 * run)) + (thread_ & (run - 1));
    if (has_element())
    {
      shared_run others[3];
#pragma unroll
      for (int r = 0; r < 3; ++r)
      {
        const int first = (thread_ & -run) ^ ((r + 1) * run);
        others[r] = run_of(first, (min) (count_ - first, run), first < thread_);
      }
      position += detail::rank_in_runs(pointers_, others, run, key_, order_);
    }
    __syncthreads();
    move_to(position);
  }

  /// Merges the runs of all blocks, and writes the result.
  MGPU_THRUST_DEVICE void merge_blocks()
  {
    if (detail::has_indices(in_)) // all have to be valid, even if `comp` is no strict weak order
    {
      write_to(own_index());
    }

    // 1. Copy the runs of the other blocks, in each step different runs to different blocks.
    MGPU_THRUST_IF_CLUSTERS((cooperative_groups::this_cluster().sync();))
    copy_other_runs();
    __syncthreads();
    MGPU_THRUST_IF_CLUSTERS((::cuda::ptx::barrier_cluster_arrive(::cuda::ptx::sem_relaxed);))

    // 2. Find the rank of each key.
    if (has_element())
    {
      int rank = thread_ + rank_in_blocks<1, 3>([&](int d) { return (block_ ^ d) < block_; });
      if (all_ > 4 * threads_)
      {
        // The other four blocks are all before this one, or all after it: a constant saves selections.
        rank += block_ < 4 ? rank_in_blocks<4, 4>([](int) { return false; }) //
                           : rank_in_blocks<4, 4>([](int) { return true; });
      }
      write_to(first_ + rank);
    }

    // 3. No block exits before the others have copied its run.
    MGPU_THRUST_IF_CLUSTERS((::cuda::ptx::barrier_cluster_wait();))
  }

  /// Copies the run of block `block_ ^ d` to slot d.
  MGPU_THRUST_DEVICE void copy_other_runs()
  {
    slot copied[max_cluster_blocks];
#pragma unroll
    for (int d = 1; d < max_cluster_blocks; ++d)
    {
      if (count_of_block(block_ ^ d) > thread_)
      {
        MGPU_THRUST_IF_CLUSTERS(
          (copied[d] = cooperative_groups::this_cluster().map_shared_rank(keys_, block_ ^ d)[thread_];))
      }
    }
#pragma unroll
    for (int d = 1; d < max_cluster_blocks; ++d)
    {
      if (count_of_block(block_ ^ d) > thread_)
      {
        keys_[d * threads_ + thread_] = copied[d];
      }
    }
  }

  /// Returns the number of keys of blocks `block_ ^ d`, for `Blocks` values of d from First on, that go before the own
  /// key. is_earlier(d) tells whether that block is before this one.
  template <int First, int Blocks, class IsEarlier>
  MGPU_THRUST_DEVICE int rank_in_blocks(IsEarlier is_earlier) const
  {
    shared_run others[Blocks];
#pragma unroll
    for (int r = 0; r < Blocks; ++r)
    {
      const int d = First + r;
      others[r] = run_of(d * threads_, count_of_block(block_ ^ d), is_earlier(d));
    }
    return detail::rank_in_runs(pointers_, others, threads_, key_, order_);
  }

  /// Number of elements of a block, which may not exist.
  MGPU_THRUST_DEVICE int count_of_block(int block) const
  {
    return (min) ((max) (all_ - block * threads_, 0), threads_);
  }
  /// The run of `count` keys from keys_[first] on; an empty one after the first key if `count` is not positive.
  MGPU_THRUST_DEVICE shared_run run_of(int first, int count, bool is_earlier) const
  {
    const int begin = count > 0 ? first : 1;
    return {pointers_.pointer(begin), pointers_.pointer(begin + (max) (count, 0)), is_earlier};
  }

  MGPU_THRUST_DEVICE void read_own()
  {
    key_ = keys_[thread_];
    if constexpr (has_values_too)
    {
      value_ = values_[thread_];
    }
  }
  MGPU_THRUST_DEVICE void move_to(int position) const
  {
    if (has_element())
    {
      keys_[position] = key_;
      if constexpr (has_values_too)
      {
        values_[position] = value_;
      }
    }
  }
  /// Writes the element to an index in the output.
  MGPU_THRUST_DEVICE void write_to(int index) const
  {
    if (has_element())
    {
      if (detail::takes_keys(out_))
      {
        *(out_.keys + index) = detail::staged_value(key_);
      }
      if constexpr (has_values_too)
      {
        *(out_.values + index) = value_;
      }
    }
  }

  slot* keys_;
  value* values_;
  shared_pointers<slot> pointers_;
  const In& in_;
  const Out& out_;
  int first_;
  int all_;
  compare_staged<Compare> order_;
  int threads_;
  int thread_;
  int block_;
  int count_;
  slot key_;
  value value_;
};

/// Sorts from `in` to `out`, which may be the same. The grid is one cluster with a thread per element.
template <int MaxThreads, class In, class Out, class Size, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(MaxThreads, 1024 / MaxThreads)
  sort_by_ranks_kernel(In in, Out out, Size size, Compare comp)
{
  using sort = rank_sort<MaxThreads, In, Out, Compare>;
  __shared__ typename sort::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes, "mgpu_thrust: a kernel has no more static shared memory");
  sort(shared, in, out, 0, static_cast<int>(detail::read_size(size)), static_cast<int>(blockIdx.x), comp).process();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
