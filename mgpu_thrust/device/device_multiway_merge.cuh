// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceMultiwayMerge: stable merges of any number of runs queued on a stream, with temporary storage of the caller or
/// of an environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/multiway_merge/fold/launch.cuh>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/detail/multiway_merge/launch.cuh>
#include <mgpu_thrust/keep_all.h>

#include <cuda/std/functional>

#include <cuda_runtime_api.h>

#include <cstddef>

MGPU_THRUST_NAMESPACE_BEGIN

/// Stable merges of any number of sorted runs in device memory, shaped like CUB's device algorithms: they never wait,
/// queue their work on a stream, and can be captured into a CUDA graph. Each computes what a function of
/// multiway_merge.h computes, where runs are explained.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_multiway_merge.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int numbers[] = {0, 3, 5, 1, 4, 7, 2, 4, 0, 9}; // offsets: runs of 3, 2 and 2 keys; then the keys
///   int* d_numbers; // and the result
///   cudaMalloc(&d_numbers, 17 * sizeof(int));
///   cudaMemcpy(d_numbers, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
///   int* const keys = d_numbers + 3;
///   int* const out = d_numbers + 10;
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceMultiwayMerge::MergeRunsKeys(keys, 7, d_numbers, 3, out));
///   int merged[7];
///   cudaMemcpy(merged, out, sizeof(merged), cudaMemcpyDeviceToHost);
///   assert(merged[0] == 0 && merged[1] == 1 && merged[2] == 2 && merged[4] == 4 && merged[6] == 9);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage     device memory, or nullptr to query its size
/// @param temp_storage_bytes its size in bytes, for the current device: what multiway_merge.h says of a GPU; for a
///                           mgpu::deferred that of the capacities, and 256 bytes
/// @param keys,num_items     MergeRuns...: a random-access iterator that device code can read, and how many keys: an
///                           integer, 0 or more, or a mgpu::deferred, which is read when the work is executed
/// @param values             MergeRunsPairs, MergeRunsReduceByKey: likewise, a value for each key
/// @param offsets            MergeRuns...: random-access iterator to integers in ascending order from 0 to num_items,
///                           the first one 0: where the runs start. If there are n + 1, as CUB has them, num_runs is n
/// @param runs               without `Runs` in the name: a random-access iterator, in device memory, to
///                           random-access iterators that device code can read: to the first key of each run
/// @param value_runs         MergePairs, MergeReduceByKey: likewise, to the first value of each run
/// @param sizes              with `runs`: random-access iterator to integers, the number of keys of each run
/// @param num_runs           number of runs, an integer, 0 or more, or a mgpu::deferred; 1 or more if there are keys.
///                           Where a number is deferred, keys without a run count as none
/// @param keys_out           random-access iterator for num_items keys. It must not overlap the inputs
/// @param values_out         Pairs, ReduceByKey: for their values
/// @param indices_out        MergeRunsIndices: a random-access iterator to integers, which must hold num_items - 1
/// @param numbers_out        MergeIndices: a random-access iterator to integers, which must hold num_runs - 1
/// @param positions_out      MergeIndices: a random-access iterator to integers, which must hold num_items - 1
/// @param d_num_selected_out ReduceByKey, Unique, Count: pointer to an integer in device memory, for the size of the
///                           result
/// @param comp               strict weak order of keys, called on keys of the runs only; default: operator<
/// @param op                 ReduceByKey: associative operator on values; default: operator+
/// @param keep               ReduceByKey: predicate of a reduced value; default: keep_all
/// @param stream             where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                           stream, and its memory resource for the temporary storage. Default: the default stream.
///                           Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size or capacity is negative, if there are keys and no run and both
///         numbers are integers, if keys, or their capacity, are more than a grid of 2^31 - 1 tiles takes or than the
///         indices' type, or that of *d_num_selected_out, can number, or if temp_storage_bytes is too small; else the
///         error of a launch or, in the short form, of the storage: cudaErrorMemoryAllocation if a resource throws.
///         After cudaErrorInvalidValue nothing was written.
/// @since 1.0
///
/// Offsets and sizes are not checked; if they are wrong, the result is unspecified, but nothing outside of the runs is
/// read, and nothing outside of the outputs is written. O(num_items log(num_runs)) work.
///
/// Source: the method is ours.
struct DeviceMultiwayMerge
{
  /// Queues merge_runs of multiway_merge.h.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Offsets, class NumRuns, class KeysOut, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t MergeRunsKeys(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, NumItems num_items, Offsets offsets,
    NumRuns num_runs, KeysOut keys_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_contiguous_runs(keys, detail::no_values{}, num_items, offsets, num_runs),
        detail::merged_elements{keys_out, detail::no_values{}}, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Offsets, class NumRuns, class KeysOut, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys, Env, NumItems, NumRuns>>
  [[nodiscard]] static cudaError_t MergeRunsKeys(
    Keys keys, NumItems num_items, Offsets offsets, NumRuns num_runs, KeysOut keys_out, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeRunsKeys(all...); }, keys, num_items, offsets, num_runs, keys_out, comp);
  }

  /// Queues merge_runs_by_key of multiway_merge.h.
  /// @since 1.0
  template <
    class Keys, class Values, class NumItems, class Offsets, class NumRuns, class KeysOut, class ValuesOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t MergeRunsPairs(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, Values values, NumItems num_items,
    Offsets offsets, NumRuns num_runs, KeysOut keys_out, ValuesOut values_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_contiguous_runs(keys, values, num_items, offsets, num_runs),
        detail::merged_elements{keys_out, values_out}, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class Values, class NumItems, class Offsets, class NumRuns, class KeysOut, class ValuesOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys, Env, NumItems, NumRuns>>
  [[nodiscard]] static cudaError_t MergeRunsPairs(
    Keys keys, Values values, NumItems num_items, Offsets offsets, NumRuns num_runs, KeysOut keys_out,
    ValuesOut values_out, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeRunsPairs(all...); }, keys, values, num_items, offsets, num_runs, keys_out,
      values_out, comp);
  }

  /// Queues merge_runs_indices of multiway_merge.h.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Offsets, class NumRuns, class Indices, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t MergeRunsIndices(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, NumItems num_items, Offsets offsets,
    NumRuns num_runs, Indices indices_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_contiguous_runs(keys, detail::no_values{}, num_items, offsets, num_runs),
        detail::merged_indices{indices_out}, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Offsets, class NumRuns, class Indices, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys, Env, NumItems, NumRuns>>
  [[nodiscard]] static cudaError_t MergeRunsIndices(
    Keys keys, NumItems num_items, Offsets offsets, NumRuns num_runs, Indices indices_out, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeRunsIndices(all...); }, keys, num_items, offsets, num_runs, indices_out,
      comp);
  }

  /// Queues multiway_merge of multiway_merge.h.
  /// @since 1.0
  template <class Runs, class Sizes, class NumRuns, class NumItems, class KeysOut, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t MergeKeys(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Runs runs, Sizes sizes, NumRuns num_runs, NumItems num_items,
    KeysOut keys_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_separate_runs(runs, detail::no_values{}, num_items, sizes, num_runs),
        detail::merged_elements{keys_out, detail::no_values{}}, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Runs, class Sizes, class NumRuns, class NumItems, class KeysOut, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Runs, Env, NumRuns, NumItems>>
  [[nodiscard]] static cudaError_t MergeKeys(
    Runs runs, Sizes sizes, NumRuns num_runs, NumItems num_items, KeysOut keys_out, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeKeys(all...); }, runs, sizes, num_runs, num_items, keys_out, comp);
  }

  /// Queues multiway_merge_by_key of multiway_merge.h.
  /// @since 1.0
  template <
    class Runs, class ValueRuns, class Sizes, class NumRuns, class NumItems, class KeysOut, class ValuesOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t MergePairs(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Runs runs, ValueRuns value_runs, Sizes sizes,
    NumRuns num_runs, NumItems num_items, KeysOut keys_out, ValuesOut values_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_separate_runs(runs, value_runs, num_items, sizes, num_runs),
        detail::merged_elements{keys_out, values_out}, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Runs, class ValueRuns, class Sizes, class NumRuns, class NumItems, class KeysOut, class ValuesOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Runs, Env, NumRuns, NumItems>>
  [[nodiscard]] static cudaError_t MergePairs(
    Runs runs, ValueRuns value_runs, Sizes sizes, NumRuns num_runs, NumItems num_items, KeysOut keys_out,
    ValuesOut values_out, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergePairs(all...); }, runs, value_runs, sizes, num_runs, num_items, keys_out,
      values_out, comp);
  }

  /// Queues multiway_merge_indices of multiway_merge.h.
  /// @since 1.0
  template <
    class Runs, class Sizes, class NumRuns, class NumItems, class Numbers, class Positions,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t MergeIndices(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Runs runs, Sizes sizes, NumRuns num_runs, NumItems num_items,
    Numbers numbers_out, Positions positions_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_separate_runs(runs, detail::no_values{}, num_items, sizes, num_runs),
        detail::merged_run_positions{numbers_out, positions_out}, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Runs, class Sizes, class NumRuns, class NumItems, class Numbers, class Positions,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Runs, Env, NumRuns, NumItems>>
  [[nodiscard]] static cudaError_t MergeIndices(
    Runs runs, Sizes sizes, NumRuns num_runs, NumItems num_items, Numbers numbers_out, Positions positions_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeIndices(all...); }, runs, sizes, num_runs, num_items, numbers_out,
      positions_out, comp);
  }

  /// Queues merge_runs_reduce_by_key of multiway_merge.h.
  /// @since 1.0
  template <
    class Keys, class Values, class NumItems, class Offsets, class NumRuns, class KeysOut, class ValuesOut,
    class NumSelected, class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>,
    class Predicate = keep_all>
  [[nodiscard]] static cudaError_t MergeRunsReduceByKey(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, Values values, NumItems num_items,
    Offsets offsets, NumRuns num_runs, KeysOut keys_out, ValuesOut values_out, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, BinaryOp op = BinaryOp{}, Predicate keep = Predicate{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_contiguous_runs(keys, values, num_items, offsets, num_runs),
        detail::folded_elements{detail::merged_elements{keys_out, values_out}, op, keep}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class Values, class NumItems, class Offsets, class NumRuns, class KeysOut, class ValuesOut,
    class NumSelected, class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>,
    class Predicate = keep_all, class Env = cudaStream_t, class = detail::short_call<Keys, Env, NumItems, NumRuns>>
  [[nodiscard]] static cudaError_t MergeRunsReduceByKey(
    Keys keys, Values values, NumItems num_items, Offsets offsets, NumRuns num_runs, KeysOut keys_out,
    ValuesOut values_out, NumSelected* d_num_selected_out, Compare comp = Compare{}, BinaryOp op = BinaryOp{},
    Predicate keep = Predicate{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeRunsReduceByKey(all...); }, keys, values, num_items, offsets, num_runs,
      keys_out, values_out, d_num_selected_out, comp, op, keep);
  }

  /// Queues merge_runs_reduce_by_key_size of multiway_merge.h.
  /// @since 1.0
  template <
    class Keys, class Values, class NumItems, class Offsets, class NumRuns, class NumSelected,
    class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>, class Predicate = keep_all>
  [[nodiscard]] static cudaError_t MergeRunsReduceByKeyCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, Values values, NumItems num_items,
    Offsets offsets, NumRuns num_runs, NumSelected* d_num_selected_out, Compare comp = Compare{},
    BinaryOp op = BinaryOp{}, Predicate keep = Predicate{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_contiguous_runs(keys, values, num_items, offsets, num_runs),
        detail::folded_elements{detail::no_results{}, op, keep}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class Values, class NumItems, class Offsets, class NumRuns, class NumSelected,
    class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>, class Predicate = keep_all,
    class Env = cudaStream_t, class = detail::short_call<Keys, Env, NumItems, NumRuns>>
  [[nodiscard]] static cudaError_t MergeRunsReduceByKeyCount(
    Keys keys, Values values, NumItems num_items, Offsets offsets, NumRuns num_runs, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, BinaryOp op = BinaryOp{}, Predicate keep = Predicate{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeRunsReduceByKeyCount(all...); }, keys, values, num_items, offsets, num_runs,
      d_num_selected_out, comp, op, keep);
  }

  /// Queues merge_runs_unique of multiway_merge.h.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Offsets, class NumRuns, class KeysOut, class NumSelected,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t MergeRunsUnique(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, NumItems num_items, Offsets offsets,
    NumRuns num_runs, KeysOut keys_out, NumSelected* d_num_selected_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_contiguous_runs(keys, detail::no_values{}, num_items, offsets, num_runs),
        detail::folded_elements{detail::merged_elements{keys_out, detail::no_values{}}, detail::nothing{}, keep_all{}},
        comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Offsets, class NumRuns, class KeysOut, class NumSelected,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys, Env, NumItems, NumRuns>>
  [[nodiscard]] static cudaError_t MergeRunsUnique(
    Keys keys, NumItems num_items, Offsets offsets, NumRuns num_runs, KeysOut keys_out, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeRunsUnique(all...); }, keys, num_items, offsets, num_runs, keys_out,
      d_num_selected_out, comp);
  }

  /// Queues merge_runs_unique_size of multiway_merge.h.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Offsets, class NumRuns, class NumSelected, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t MergeRunsUniqueCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, NumItems num_items, Offsets offsets,
    NumRuns num_runs, NumSelected* d_num_selected_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_contiguous_runs(keys, detail::no_values{}, num_items, offsets, num_runs),
        detail::folded_elements{detail::no_results{}, detail::nothing{}, keep_all{}}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Offsets, class NumRuns, class NumSelected, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys, Env, NumItems, NumRuns>>
  [[nodiscard]] static cudaError_t MergeRunsUniqueCount(
    Keys keys, NumItems num_items, Offsets offsets, NumRuns num_runs, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeRunsUniqueCount(all...); }, keys, num_items, offsets, num_runs,
      d_num_selected_out, comp);
  }

  /// Queues multiway_merge_reduce_by_key of multiway_merge.h.
  /// @since 1.0
  template <
    class Runs, class ValueRuns, class Sizes, class NumRuns, class NumItems, class KeysOut, class ValuesOut,
    class NumSelected, class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>,
    class Predicate = keep_all>
  [[nodiscard]] static cudaError_t MergeReduceByKey(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Runs runs, ValueRuns value_runs, Sizes sizes,
    NumRuns num_runs, NumItems num_items, KeysOut keys_out, ValuesOut values_out, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, BinaryOp op = BinaryOp{}, Predicate keep = Predicate{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_separate_runs(runs, value_runs, num_items, sizes, num_runs),
        detail::folded_elements{detail::merged_elements{keys_out, values_out}, op, keep}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Runs, class ValueRuns, class Sizes, class NumRuns, class NumItems, class KeysOut, class ValuesOut,
    class NumSelected, class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>,
    class Predicate = keep_all, class Env = cudaStream_t, class = detail::short_call<Runs, Env, NumRuns, NumItems>>
  [[nodiscard]] static cudaError_t MergeReduceByKey(
    Runs runs, ValueRuns value_runs, Sizes sizes, NumRuns num_runs, NumItems num_items, KeysOut keys_out,
    ValuesOut values_out, NumSelected* d_num_selected_out, Compare comp = Compare{}, BinaryOp op = BinaryOp{},
    Predicate keep = Predicate{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeReduceByKey(all...); }, runs, value_runs, sizes, num_runs, num_items,
      keys_out, values_out, d_num_selected_out, comp, op, keep);
  }

  /// Queues multiway_merge_reduce_by_key_size of multiway_merge.h.
  /// @since 1.0
  template <
    class Runs, class ValueRuns, class Sizes, class NumRuns, class NumItems, class NumSelected,
    class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>, class Predicate = keep_all>
  [[nodiscard]] static cudaError_t MergeReduceByKeyCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Runs runs, ValueRuns value_runs, Sizes sizes,
    NumRuns num_runs, NumItems num_items, NumSelected* d_num_selected_out, Compare comp = Compare{},
    BinaryOp op = BinaryOp{}, Predicate keep = Predicate{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_separate_runs(runs, value_runs, num_items, sizes, num_runs),
        detail::folded_elements{detail::no_results{}, op, keep}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Runs, class ValueRuns, class Sizes, class NumRuns, class NumItems, class NumSelected,
    class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>, class Predicate = keep_all,
    class Env = cudaStream_t, class = detail::short_call<Runs, Env, NumRuns, NumItems>>
  [[nodiscard]] static cudaError_t MergeReduceByKeyCount(
    Runs runs, ValueRuns value_runs, Sizes sizes, NumRuns num_runs, NumItems num_items, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, BinaryOp op = BinaryOp{}, Predicate keep = Predicate{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeReduceByKeyCount(all...); }, runs, value_runs, sizes, num_runs, num_items,
      d_num_selected_out, comp, op, keep);
  }

  /// Queues multiway_merge_unique of multiway_merge.h.
  /// @since 1.0
  template <
    class Runs, class Sizes, class NumRuns, class NumItems, class KeysOut, class NumSelected,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t MergeUnique(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Runs runs, Sizes sizes, NumRuns num_runs, NumItems num_items,
    KeysOut keys_out, NumSelected* d_num_selected_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_separate_runs(runs, detail::no_values{}, num_items, sizes, num_runs),
        detail::folded_elements{detail::merged_elements{keys_out, detail::no_values{}}, detail::nothing{}, keep_all{}},
        comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Runs, class Sizes, class NumRuns, class NumItems, class KeysOut, class NumSelected,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Runs, Env, NumRuns, NumItems>>
  [[nodiscard]] static cudaError_t MergeUnique(
    Runs runs, Sizes sizes, NumRuns num_runs, NumItems num_items, KeysOut keys_out, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeUnique(all...); }, runs, sizes, num_runs, num_items, keys_out,
      d_num_selected_out, comp);
  }

  /// Queues multiway_merge_unique_size of multiway_merge.h.
  /// @since 1.0
  template <
    class Runs, class Sizes, class NumRuns, class NumItems, class NumSelected, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t MergeUniqueCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Runs runs, Sizes sizes, NumRuns num_runs, NumItems num_items,
    NumSelected* d_num_selected_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::multiway_merge_job(
        "the keys", detail::make_separate_runs(runs, detail::no_values{}, num_items, sizes, num_runs),
        detail::folded_elements{detail::no_results{}, detail::nothing{}, keep_all{}}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Runs, class Sizes, class NumRuns, class NumItems, class NumSelected, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Runs, Env, NumRuns, NumItems>>
  [[nodiscard]] static cudaError_t MergeUniqueCount(
    Runs runs, Sizes sizes, NumRuns num_runs, NumItems num_items, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeUniqueCount(all...); }, runs, sizes, num_runs, num_items, d_num_selected_out,
      comp);
  }
};

MGPU_THRUST_NAMESPACE_END
