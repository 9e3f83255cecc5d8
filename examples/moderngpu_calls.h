// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Some calls of moderngpu 2.x, with its names and the order of its arguments, made by mgpu_thrust: for programs that
/// are to leave moderngpu before each of their calls is rewritten. docs/coming-from-moderngpu.md says what to write
/// instead.
///
/// A context says where a call allocates and, on a GPU, to which stream it queues its work. As in moderngpu no call
/// waits for the GPU. Arguments that moderngpu passes on to a function are captured by the function instead.

#include <mgpu_thrust/load_balance.h>
#include <mgpu_thrust/segmented_sort.h>
#include <mgpu_thrust/sort.h>
#include <mgpu_thrust/sorted_search.h>

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sequence.h>
#include <thrust/tuple.h>

#include <cstddef>
#include <cstdint>

namespace moderngpu_calls
{

/// Memory and, on a GPU, a stream. Derive a class that has those of your program.
class context_t
{
public:
  context_t() = default;
  context_t(const context_t&) = delete;
  context_t& operator=(const context_t&) = delete;
  virtual ~context_t() = default;

  /// Returns memory that thrust::device can use, aligned as cudaMalloc aligns it, or throws.
  virtual void* alloc(std::size_t bytes) = 0;
  /// Gets memory back in stream order: work that is queued may still use it, so only later work of the same stream may
  /// have it next. cudaFreeAsync does so, and so does an allocator that keeps memory for each stream.
  virtual void free(void* memory) = 0;
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  virtual cudaStream_t stream() = 0;
#endif
};

/// The allocator of a policy, which is copied with it.
struct context_allocator
{
  using value_type = char; // Thrust requests numbers of bytes

  context_t* context;

  char* allocate(std::size_t bytes) const
  {
    return static_cast<char*>(context->alloc(bytes));
  }
  void deallocate(char* memory, std::size_t) const
  {
    context->free(memory);
  }
};

/// Returns the policy that a context stands for.
inline auto policy_of(context_t& context)
{
  const context_allocator allocator{&context};
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  return thrust::cuda::par_nosync(allocator).on(context.stream());
#else
  return thrust::device(allocator);
#endif
}

// ---- Load balancing ----

/// Calls f(index, segment, rank) for each of `count` items.
template <class Function, class Segments>
void transform_lbs(Function f, std::int64_t count, Segments segments, std::int64_t num_segments, context_t& context)
{
  mgpu::for_each_in_segments(policy_of(context), count, segments, segments + num_segments, f);
}

/// Calls f(index, segment, rank, values), where `values` is a tuple of what the iterators of `caching_iterators`, a
/// tuple of them, have for the segment.
template <class Function, class Segments, class... Iterators>
void transform_lbs(
  Function f, std::int64_t count, Segments segments, std::int64_t num_segments,
  thrust::tuple<Iterators...> caching_iterators, context_t& context)
{
  mgpu::for_each_in_segments(
    policy_of(context), count, segments, segments + num_segments, thrust::make_zip_iterator(caching_iterators), f);
}

/// Writes the segment of each of `count` items.
template <class Segments, class Output>
void load_balance_search(
  std::int64_t count, Segments segments, std::int64_t num_segments, Output output, context_t& context)
{
  mgpu::load_balancing_search(policy_of(context), count, segments, segments + num_segments, output);
}

// ---- Searches ----

enum bounds_t
{
  bounds_lower,
  bounds_upper
};

/// Writes the lower or upper bound of each needle in the haystack, both sorted by comp. Unlike moderngpu's it cannot
/// write them over the needles.
template <bounds_t Bounds, class Needles, class Haystack, class Indices, class Compare>
void sorted_search(
  Needles needles, std::int64_t num_needles, Haystack haystack, std::int64_t num_haystack, Indices indices,
  Compare comp, context_t& context)
{
  const auto policy = policy_of(context);
  if constexpr (Bounds == bounds_lower)
  {
    mgpu::sorted_lower_bound(policy, haystack, haystack + num_haystack, needles, needles + num_needles, indices, comp);
  }
  else
  {
    mgpu::sorted_upper_bound(policy, haystack, haystack + num_haystack, needles, needles + num_needles, indices, comp);
  }
}

// ---- Sorts, all of them stable ----

template <class Key, class Compare>
void mergesort(Key* keys, std::int64_t count, Compare comp, context_t& context)
{
  mgpu::stable_sort(policy_of(context), keys, keys + count, comp);
}
template <class Key, class Value, class Compare>
void mergesort(Key* keys, Value* values, std::int64_t count, Compare comp, context_t& context)
{
  mgpu::stable_sort_by_key(policy_of(context), keys, keys + count, values, comp);
}

/// Heads of segments, which may leave out the 0 of the first segment, as offsets: a 0 goes before them. If they have it
/// too, there is an empty segment more, which a sort does not notice.
template <class Segments>
struct offset_of_head
{
  Segments heads;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t segment) const
  {
    return segment == 0 ? 0 : static_cast<std::int64_t>(heads[segment - 1]);
  }
};
template <class Segments>
auto offsets_of(Segments heads)
{
  return thrust::make_transform_iterator(
    thrust::make_counting_iterator(std::int64_t{0}), offset_of_head<Segments>{heads});
}

template <class Key, class Segments, class Compare>
void segmented_sort(
  Key* keys, std::int64_t count, Segments segments, std::int64_t num_segments, Compare comp, context_t& context)
{
  const auto offsets = offsets_of(segments);
  mgpu::segmented_stable_sort(policy_of(context), keys, keys + count, offsets, offsets + num_segments + 1, comp);
}
template <class Key, class Value, class Segments, class Compare>
void segmented_sort(
  Key* keys, Value* values, std::int64_t count, Segments segments, std::int64_t num_segments, Compare comp,
  context_t& context)
{
  const auto offsets = offsets_of(segments);
  mgpu::segmented_stable_sort_by_key(
    policy_of(context), keys, keys + count, values, offsets, offsets + num_segments + 1, comp);
}

/// Sorts the keys of each segment, and writes the index that each has had among all keys. Where the keys may stay as
/// they are, mgpu::segmented_stable_sort_indices is one call.
template <class Key, class Index, class Segments, class Compare>
void segmented_sort_indices(
  Key* keys, Index* indices, std::int64_t count, Segments segments, std::int64_t num_segments, Compare comp,
  context_t& context)
{
  thrust::sequence(policy_of(context), indices, indices + count);
  moderngpu_calls::segmented_sort(keys, indices, count, segments, num_segments, comp, context);
}

} // namespace moderngpu_calls
