// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceSegmentedSetOperations: set operations on pairs of lists, queued on a stream, with temporary storage of the
/// caller or of an environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/pairs/count/job.h>
#include <mgpu_thrust/detail/pairs/count/launch.cuh>
#include <mgpu_thrust/detail/pairs/count/serial.h>
#include <mgpu_thrust/detail/pairs/lists/job.h>
#include <mgpu_thrust/detail/pairs/lists/launch.cuh>
#include <mgpu_thrust/detail/pairs/lists/serial.h>
#include <mgpu_thrust/detail/pairs/search/job.h>
#include <mgpu_thrust/detail/pairs/search/launch.cuh>
#include <mgpu_thrust/detail/pairs/search/serial.h>
#include <mgpu_thrust/detail/set_operation/result.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <cuda/std/functional>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN

/// Set operations on pairs of lists in device memory, shaped like CUB's device algorithms: these functions never wait,
/// queue their work on a stream, and can be captured into a CUDA graph. They compute what segmented_set_operations.h
/// does, where pairs and matches are explained.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_segmented_set_operations.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int lists[] = {1, 3, 5, 2, 3, 5, 3, 4}, offsets[] = {0, 3, 6, 8}; // three lists
///   int* d_lists;
///   int* d_offsets; // and the result
///   cudaMalloc(&d_lists, sizeof(lists));
///   cudaMalloc(&d_offsets, 6 * sizeof(int));
///   cudaMemcpy(d_lists, lists, sizeof(lists), cudaMemcpyHostToDevice);
///   cudaMemcpy(d_offsets, offsets, sizeof(offsets), cudaMemcpyHostToDevice);
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceSegmentedSetOperations::IntersectionSize( // of each list with the next
///     d_lists, d_offsets, d_offsets + 1, d_lists, d_offsets + 1, d_offsets + 2, 2, d_offsets + 4));
///   int common[2];
///   cudaMemcpy(common, d_offsets + 4, sizeof(common), cudaMemcpyDeviceToHost);
///   assert(common[0] == 2 && common[1] == 1);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage     device memory, or nullptr to query its size
/// @param temp_storage_bytes its size in bytes: 16 for each pair (8 for ForEachInIntersections) and less than 1 % more,
///                           or some 34 KiB; where lists are results, and in searches, 8 for each pair, less than 1 %
///                           more, and some 24 KiB (in intersections one for 16 pairs)
/// @param a,b,a_keys,b_keys  random-access iterators that device code can read: the arrays that the lists are in
/// @param a_begins,a_ends    random-access iterators to integers: where each pair's list begins and ends in `a`
/// @param b_begins,b_ends    likewise in `b`
/// @param haystack,needles   LowerBound and UpperBound only: the arrays, likewise
/// @param h_begins,h_ends    LowerBound and UpperBound only: where each pair's list begins and ends in `haystack`
/// @param n_begins,n_ends    LowerBound and UpperBound only: where it does in `needles`
/// @param num_pairs          number of pairs: an integer, 0 or more, or a mgpu::deferred, which is read when the work
///                           is executed
/// @param a_values,b_values  Combined only: a value for each element of the arrays
/// @param result             random-access iterator for the elements of all results; of searches, for integers
/// @param offsets            LowerBound and UpperBound only: random-access iterator to integers: where each pair's
///                           results begin in `result`; of n + 1 offsets, as CSR has them, the last one is not read
/// @param keys_result        Combined only: the same
/// @param values_result      Combined only: for their values
/// @param a_indices_result   IntersectionIndices only: for the positions of matches in `a`
/// @param b_indices_result   IntersectionIndices only: for those in `b`
/// @param result_capacity    number of elements, or matches, that there is room for, 0 or more; those beyond it are not
///                           written
/// @param offsets_result     random-access iterator for num_pairs + 1 integers: where each pair's result begins, and
///                           the number of all elements, whatever result_capacity is
/// @param d_count            pointer to an integer in device memory for the number of all elements, or nullptr. Its
///                           type can hold result_capacity. It receives the largest number of its type if there are
///                           more. If there are more elements than the type of the offsets can hold, nothing else is
///                           written. It may be where num_pairs is read
/// @param counts_result      IntersectionSize only: random-access iterator for num_pairs integers
/// @param flags_result       HaveOverlap only: random-access iterator for num_pairs elements that a bool is assigned to
/// @param f                  ForEachInIntersections only: an object that device code can call as f(pair, i, j), each a
///                           std::int64_t: once for each match, by many threads at once, each of which has a copy
/// @param comp               strict weak order of the elements that device code can call, which each list is sorted by
/// @param combine            Combined only: combine(a_value, b_value) is the value of a match
/// @param stream             where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                           stream, and its memory resource for the temporary storage. Default: the default stream.
///                           Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if num_pairs or result_capacity is negative, if num_pairs is more than a
///         grid of 2^31 - 1 blocks takes, if the type of *d_count cannot hold result_capacity, or if temp_storage_bytes
///         is too small; else the error of a launch or, in the short form, of the storage: cudaErrorMemoryAllocation if
///         a resource throws. After an error nothing was written or called.
/// @since 1.0
///
/// Outputs must not overlap the inputs. Order and bounds of lists are not checked.
///
/// For a pair of lists of m and n elements, m <= n, O(m log(n)) work, and less where n is not much more than m;
/// O(m + n) where lists are results and neither is 32 times as long as the other, and for unions, symmetric differences
/// and merges. Searches are O(m + n), or O(m log(n)) of m needles in a list 32 times as long.
struct DeviceSegmentedSetOperations
{
  /// Queues segmented_set_intersection_size of segmented_set_operations.h.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class CountIterator,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t IntersectionSize(
    void* d_temp_storage, std::size_t& temp_storage_bytes, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
    BEnds b_ends, NumPairs num_pairs, CountIterator counts_result, Compare comp = {},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_sets_job(
        detail::pair_counts<detail::unwrapped_t<CountIterator>>{detail::unwrap(counts_result)},
        detail::make_list_pairs(a, a_begins, a_ends, b, b_begins, b_ends, num_pairs), comp, counts_result),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class CountIterator,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t, class = detail::short_call<A, Env, NumPairs>>
  [[nodiscard]] static cudaError_t IntersectionSize(
    A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, NumPairs num_pairs,
    CountIterator counts_result, Compare comp = {}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return IntersectionSize(all...); }, a, a_begins, a_ends, b, b_begins, b_ends, num_pairs,
      counts_result, comp);
  }

  /// Queues segmented_have_overlap of segmented_set_operations.h.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class FlagIterator,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t HaveOverlap(
    void* d_temp_storage, std::size_t& temp_storage_bytes, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
    BEnds b_ends, NumPairs num_pairs, FlagIterator flags_result, Compare comp = {},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_sets_job(
        detail::pair_flags<detail::unwrapped_t<FlagIterator>>{detail::unwrap(flags_result)},
        detail::make_list_pairs(a, a_begins, a_ends, b, b_begins, b_ends, num_pairs), comp, flags_result),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class FlagIterator,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t, class = detail::short_call<A, Env, NumPairs>>
  [[nodiscard]] static cudaError_t HaveOverlap(
    A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, NumPairs num_pairs,
    FlagIterator flags_result, Compare comp = {}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return HaveOverlap(all...); }, a, a_begins, a_ends, b, b_begins, b_ends, num_pairs,
      flags_result, comp);
  }

  /// Queues for_each_in_intersections of segmented_set_operations.h.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class Function,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t ForEachInIntersections(
    void* d_temp_storage, std::size_t& temp_storage_bytes, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
    BEnds b_ends, NumPairs num_pairs, Function f, Compare comp = {}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_sets_job(
        detail::match_visits<Function>{f}, detail::make_list_pairs(a, a_begins, a_ends, b, b_begins, b_ends, num_pairs),
        comp, detail::nothing{}),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class Function,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t, class = detail::short_call<A, Env, NumPairs>>
  [[nodiscard]] static cudaError_t ForEachInIntersections(
    A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, NumPairs num_pairs, Function f,
    Compare comp = {}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return ForEachInIntersections(all...); }, a, a_begins, a_ends, b, b_begins, b_ends,
      num_pairs, f, comp);
  }

  /// Queues segmented_set_intersection of segmented_set_operations.h.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class OutputIterator,
    class OffsetIterator, class Count, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Intersection(
    void* d_temp_storage, std::size_t& temp_storage_bytes, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
    BEnds b_ends, NumPairs num_pairs, OutputIterator result, std::int64_t result_capacity,
    OffsetIterator offsets_result, Count* d_count, Compare comp = {}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_lists_job(
        detail::set_intersection_t{},
        detail::make_valued_pairs(
          a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
        detail::lists_result_within(detail::set_result{result, detail::no_values{}}, offsets_result, result_capacity),
        comp),
      d_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class OutputIterator,
    class OffsetIterator, class Count, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<A, Env, NumPairs>>
  [[nodiscard]] static cudaError_t Intersection(
    A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, NumPairs num_pairs, OutputIterator result,
    std::int64_t result_capacity, OffsetIterator offsets_result, Count* d_count, Compare comp = {},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Intersection(all...); }, a, a_begins, a_ends, b, b_begins, b_ends, num_pairs,
      result, result_capacity, offsets_result, d_count, comp);
  }

  /// Queues segmented_set_intersection_indices of segmented_set_operations.h.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class AIndexIterator,
    class BIndexIterator, class OffsetIterator, class Count, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t IntersectionIndices(
    void* d_temp_storage, std::size_t& temp_storage_bytes, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
    BEnds b_ends, NumPairs num_pairs, AIndexIterator a_indices_result, BIndexIterator b_indices_result,
    std::int64_t result_capacity, OffsetIterator offsets_result, Count* d_count, Compare comp = {},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_lists_job(
        detail::set_intersection_t{},
        detail::make_valued_pairs(
          a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::list_positions{}, detail::list_positions{}),
        detail::lists_result_within(
          detail::kept_positions<AIndexIterator, BIndexIterator>{a_indices_result, b_indices_result}, offsets_result,
          result_capacity),
        comp),
      d_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class AIndexIterator,
    class BIndexIterator, class OffsetIterator, class Count, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<A, Env, NumPairs>>
  [[nodiscard]] static cudaError_t IntersectionIndices(
    A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, NumPairs num_pairs,
    AIndexIterator a_indices_result, BIndexIterator b_indices_result, std::int64_t result_capacity,
    OffsetIterator offsets_result, Count* d_count, Compare comp = {}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return IntersectionIndices(all...); }, a, a_begins, a_ends, b, b_begins, b_ends,
      num_pairs, a_indices_result, b_indices_result, result_capacity, offsets_result, d_count, comp);
  }

  /// Queues segmented_set_union of segmented_set_operations.h.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class OutputIterator,
    class OffsetIterator, class Count, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Union(
    void* d_temp_storage, std::size_t& temp_storage_bytes, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
    BEnds b_ends, NumPairs num_pairs, OutputIterator result, std::int64_t result_capacity,
    OffsetIterator offsets_result, Count* d_count, Compare comp = {}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_lists_job(
        detail::set_union_t{},
        detail::make_valued_pairs(
          a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
        detail::lists_result_within(detail::set_result{result, detail::no_values{}}, offsets_result, result_capacity),
        comp),
      d_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class OutputIterator,
    class OffsetIterator, class Count, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<A, Env, NumPairs>>
  [[nodiscard]] static cudaError_t Union(
    A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, NumPairs num_pairs, OutputIterator result,
    std::int64_t result_capacity, OffsetIterator offsets_result, Count* d_count, Compare comp = {},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Union(all...); }, a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, result,
      result_capacity, offsets_result, d_count, comp);
  }

  /// Queues segmented_set_difference of segmented_set_operations.h.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class OutputIterator,
    class OffsetIterator, class Count, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Difference(
    void* d_temp_storage, std::size_t& temp_storage_bytes, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
    BEnds b_ends, NumPairs num_pairs, OutputIterator result, std::int64_t result_capacity,
    OffsetIterator offsets_result, Count* d_count, Compare comp = {}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_lists_job(
        detail::set_difference_t{},
        detail::make_valued_pairs(
          a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
        detail::lists_result_within(detail::set_result{result, detail::no_values{}}, offsets_result, result_capacity),
        comp),
      d_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class OutputIterator,
    class OffsetIterator, class Count, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<A, Env, NumPairs>>
  [[nodiscard]] static cudaError_t Difference(
    A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, NumPairs num_pairs, OutputIterator result,
    std::int64_t result_capacity, OffsetIterator offsets_result, Count* d_count, Compare comp = {},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Difference(all...); }, a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, result,
      result_capacity, offsets_result, d_count, comp);
  }

  /// Queues segmented_set_symmetric_difference of segmented_set_operations.h.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class OutputIterator,
    class OffsetIterator, class Count, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t SymmetricDifference(
    void* d_temp_storage, std::size_t& temp_storage_bytes, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
    BEnds b_ends, NumPairs num_pairs, OutputIterator result, std::int64_t result_capacity,
    OffsetIterator offsets_result, Count* d_count, Compare comp = {}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_lists_job(
        detail::set_symmetric_difference_t{},
        detail::make_valued_pairs(
          a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
        detail::lists_result_within(detail::set_result{result, detail::no_values{}}, offsets_result, result_capacity),
        comp),
      d_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class OutputIterator,
    class OffsetIterator, class Count, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<A, Env, NumPairs>>
  [[nodiscard]] static cudaError_t SymmetricDifference(
    A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, NumPairs num_pairs, OutputIterator result,
    std::int64_t result_capacity, OffsetIterator offsets_result, Count* d_count, Compare comp = {},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return SymmetricDifference(all...); }, a, a_begins, a_ends, b, b_begins, b_ends,
      num_pairs, result, result_capacity, offsets_result, d_count, comp);
  }

  /// Queues segmented_merge of segmented_set_operations.h.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class OutputIterator,
    class OffsetIterator, class Count, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Merge(
    void* d_temp_storage, std::size_t& temp_storage_bytes, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
    BEnds b_ends, NumPairs num_pairs, OutputIterator result, std::int64_t result_capacity,
    OffsetIterator offsets_result, Count* d_count, Compare comp = {}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_lists_job(
        detail::merge_t{},
        detail::make_valued_pairs(
          a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
        detail::lists_result_within(detail::set_result{result, detail::no_values{}}, offsets_result, result_capacity),
        comp),
      d_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class OutputIterator,
    class OffsetIterator, class Count, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<A, Env, NumPairs>>
  [[nodiscard]] static cudaError_t Merge(
    A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, NumPairs num_pairs, OutputIterator result,
    std::int64_t result_capacity, OffsetIterator offsets_result, Count* d_count, Compare comp = {},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Merge(all...); }, a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, result,
      result_capacity, offsets_result, d_count, comp);
  }

  /// Queues segmented_set_union_by_key of segmented_set_operations.h.
  /// @since 1.0
  template <
    class AKeys, class ABegins, class AEnds, class BKeys, class BBegins, class BEnds, class NumPairs, class AValues,
    class BValues, class KeyOutputIterator, class ValueOutputIterator, class OffsetIterator, class Count, class Compare,
    class Combine>
  [[nodiscard]] static cudaError_t UnionCombined(
    void* d_temp_storage, std::size_t& temp_storage_bytes, AKeys a_keys, ABegins a_begins, AEnds a_ends, BKeys b_keys,
    BBegins b_begins, BEnds b_ends, NumPairs num_pairs, AValues a_values, BValues b_values,
    KeyOutputIterator keys_result, ValueOutputIterator values_result, std::int64_t result_capacity,
    OffsetIterator offsets_result, Count* d_count, Compare comp, Combine combine,
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_lists_job(
        detail::set_union_t{},
        detail::make_valued_pairs(a_keys, a_begins, a_ends, b_keys, b_begins, b_ends, num_pairs, a_values, b_values),
        detail::lists_result_within(
          detail::combined_result{keys_result, values_result, combine}, offsets_result, result_capacity),
        comp),
      d_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class AKeys, class ABegins, class AEnds, class BKeys, class BBegins, class BEnds, class NumPairs, class AValues,
    class BValues, class KeyOutputIterator, class ValueOutputIterator, class OffsetIterator, class Count, class Compare,
    class Combine, class Env = cudaStream_t, class = detail::short_call<AKeys, Env, NumPairs>>
  [[nodiscard]] static cudaError_t UnionCombined(
    AKeys a_keys, ABegins a_begins, AEnds a_ends, BKeys b_keys, BBegins b_begins, BEnds b_ends, NumPairs num_pairs,
    AValues a_values, BValues b_values, KeyOutputIterator keys_result, ValueOutputIterator values_result,
    std::int64_t result_capacity, OffsetIterator offsets_result, Count* d_count, Compare comp, Combine combine,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return UnionCombined(all...); }, a_keys, a_begins, a_ends, b_keys, b_begins, b_ends,
      num_pairs, a_values, b_values, keys_result, values_result, result_capacity, offsets_result, d_count, comp,
      combine);
  }

  /// Queues segmented_set_intersection_by_key of segmented_set_operations.h.
  /// @since 1.0
  template <
    class AKeys, class ABegins, class AEnds, class BKeys, class BBegins, class BEnds, class NumPairs, class AValues,
    class BValues, class KeyOutputIterator, class ValueOutputIterator, class OffsetIterator, class Count, class Compare,
    class Combine>
  [[nodiscard]] static cudaError_t IntersectionCombined(
    void* d_temp_storage, std::size_t& temp_storage_bytes, AKeys a_keys, ABegins a_begins, AEnds a_ends, BKeys b_keys,
    BBegins b_begins, BEnds b_ends, NumPairs num_pairs, AValues a_values, BValues b_values,
    KeyOutputIterator keys_result, ValueOutputIterator values_result, std::int64_t result_capacity,
    OffsetIterator offsets_result, Count* d_count, Compare comp, Combine combine,
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_lists_job(
        detail::set_intersection_t{},
        detail::make_valued_pairs(a_keys, a_begins, a_ends, b_keys, b_begins, b_ends, num_pairs, a_values, b_values),
        detail::lists_result_within(
          detail::combined_result{keys_result, values_result, combine}, offsets_result, result_capacity),
        comp),
      d_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class AKeys, class ABegins, class AEnds, class BKeys, class BBegins, class BEnds, class NumPairs, class AValues,
    class BValues, class KeyOutputIterator, class ValueOutputIterator, class OffsetIterator, class Count, class Compare,
    class Combine, class Env = cudaStream_t, class = detail::short_call<AKeys, Env, NumPairs>>
  [[nodiscard]] static cudaError_t IntersectionCombined(
    AKeys a_keys, ABegins a_begins, AEnds a_ends, BKeys b_keys, BBegins b_begins, BEnds b_ends, NumPairs num_pairs,
    AValues a_values, BValues b_values, KeyOutputIterator keys_result, ValueOutputIterator values_result,
    std::int64_t result_capacity, OffsetIterator offsets_result, Count* d_count, Compare comp, Combine combine,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return IntersectionCombined(all...); }, a_keys, a_begins, a_ends, b_keys, b_begins,
      b_ends, num_pairs, a_values, b_values, keys_result, values_result, result_capacity, offsets_result, d_count, comp,
      combine);
  }

  /// Queues segmented_lower_bound of segmented_set_operations.h.
  /// @since 1.0
  template <
    class Haystack, class HBegins, class HEnds, class Needles, class NBegins, class NEnds, class NumPairs,
    class IndexIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t LowerBound(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Haystack haystack, HBegins h_begins, HEnds h_ends,
    Needles needles, NBegins n_begins, NEnds n_ends, NumPairs num_pairs, IndexIterator result, OffsetIterator offsets,
    Compare comp = {}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_search_job(
        detail::list_search<detail::search_bound::lower>{},
        detail::make_searched_pairs(
          detail::list_search<detail::search_bound::lower>{}, haystack, h_begins, h_ends, needles, n_begins, n_ends,
          num_pairs),
        detail::unwrap(result), detail::unwrap(offsets), detail::written_index_t<IndexIterator>{}, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Haystack, class HBegins, class HEnds, class Needles, class NBegins, class NEnds, class NumPairs,
    class IndexIterator, class OffsetIterator, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Haystack, Env, NumPairs>>
  [[nodiscard]] static cudaError_t LowerBound(
    Haystack haystack, HBegins h_begins, HEnds h_ends, Needles needles, NBegins n_begins, NEnds n_ends,
    NumPairs num_pairs, IndexIterator result, OffsetIterator offsets, Compare comp = {}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return LowerBound(all...); }, haystack, h_begins, h_ends, needles, n_begins, n_ends,
      num_pairs, result, offsets, comp);
  }

  /// Queues segmented_upper_bound of segmented_set_operations.h.
  /// @since 1.0
  template <
    class Haystack, class HBegins, class HEnds, class Needles, class NBegins, class NEnds, class NumPairs,
    class IndexIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t UpperBound(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Haystack haystack, HBegins h_begins, HEnds h_ends,
    Needles needles, NBegins n_begins, NEnds n_ends, NumPairs num_pairs, IndexIterator result, OffsetIterator offsets,
    Compare comp = {}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_search_job(
        detail::list_search<detail::search_bound::upper>{},
        detail::make_searched_pairs(
          detail::list_search<detail::search_bound::upper>{}, haystack, h_begins, h_ends, needles, n_begins, n_ends,
          num_pairs),
        detail::unwrap(result), detail::unwrap(offsets), detail::written_index_t<IndexIterator>{}, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Haystack, class HBegins, class HEnds, class Needles, class NBegins, class NEnds, class NumPairs,
    class IndexIterator, class OffsetIterator, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Haystack, Env, NumPairs>>
  [[nodiscard]] static cudaError_t UpperBound(
    Haystack haystack, HBegins h_begins, HEnds h_ends, Needles needles, NBegins n_begins, NEnds n_ends,
    NumPairs num_pairs, IndexIterator result, OffsetIterator offsets, Compare comp = {}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return UpperBound(all...); }, haystack, h_begins, h_ends, needles, n_begins, n_ends,
      num_pairs, result, offsets, comp);
  }
};

MGPU_THRUST_NAMESPACE_END
