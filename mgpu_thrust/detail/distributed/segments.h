// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator reduce, and scan, items in segments. No items move: all ranks gather what each has
/// of the segments at the ends of its piece.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/exchange.h>
#include <mgpu_thrust/detail/distributed/total_size.h>
#include <mgpu_thrust/detail/execute/check_preconditions.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/copy_memory.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/detail/segmented_reduce/cpu.h>
#include <mgpu_thrust/detail/segmented_reduce/job.h>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#include <mgpu_thrust/detail/segmented_scan/cpu.h>
#include <mgpu_thrust/detail/segmented_scan/job.h>
#include <mgpu_thrust/detail/segmented_scan/serial.h>
#include <mgpu_thrust/distributed/cuts.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segmented_reduce/launch.cuh>
#  include <mgpu_thrust/detail/segmented_scan/launch.cuh>
#endif

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Where a segment begins, counted from an item; the first one begins there.
template <class Offsets>
struct offset_from
{
  Offsets offsets;
  std::int64_t begin;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t segment) const
  {
    return segment == 0 ? 0 : static_cast<std::int64_t>(offsets[segment]) - begin;
  }
};

/// What a rank has of segments that may go on on other ranks. The head is the reduction of its items before the first
/// segment that begins there, the tail that of the last segment that begins there, with init if there is one.
template <class T>
struct rank_carry
{
  static_assert(
    std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>,
    "mgpu_thrust: values that go from rank to rank must be trivially copyable, and have a default constructor");
  std::int64_t num_segments;
  bool has_head;
  bool has_tail;
  T head;
  T tail;
};

/// This rank's segments, and the carries of all ranks. `Operands` has the input and the operator.
template <class T, class Policy, class Offsets, class Operands>
struct segments_over_ranks
{
  using item = typename sent_item<decltype(Operands::input)>::type;
  using offset = typename sent_item<Offsets>::type;
  static_assert(
    !is_device_lambda<decltype(Operands::op)>, "mgpu_thrust: a call over ranks calls the operator on the host too, "
                                               "which a __device__ lambda does not allow; use a"
                                               " __host__ __device__ one");
  Policy& policy;
  const char* algorithm;
  segments<Offsets> in;
  Operands operands;
  std::size_t rank = 0;
  std::int64_t head_end = 0;   ///< number of items before the first segment that begins in the piece
  std::int64_t last_begin = 0; ///< of the last one
  std::vector<rank_carry<T>> carries = {};

  /// The first segments that begin in the piece from an item on.
  auto part(std::int64_t num_segments, std::int64_t begin, std::int64_t end) const
  {
    return segments{
      end - begin,
      thrust::make_transform_iterator(
        thrust::counting_iterator<std::int64_t>(0), offset_from<Offsets>{in.offsets, begin}),
      num_segments};
  }

  /// Reduces what this rank has of the first and last segments, and gathers the carries. If a rank fails, all throw.
  template <class Communicator>
  void gather(Communicator& communicator, const std::optional<T>& init)
  {
    rank = static_cast<std::size_t>(communicator.rank());
    rank_carry<T> own{};
    (void) detail::total_size(
      communicator, algorithm,
      [&]
      {
        find_borders();
        own.num_segments = in.num_segments;
        own.has_head = reduce({}, 0, head_end, own.head);
        own.has_tail = in.num_segments > 0 && reduce(init, last_begin, in.num_items, own.tail);
        carries.resize(static_cast<std::size_t>(communicator.size()));
        if constexpr (has_reserve_v<Communicator>)
        {
          communicator.reserve(sizeof(own));
        }
        return std::int64_t{0};
      },
      detail::value_signature<T*>());
    detail::abort_on_exception(communicator, [&] { communicator.all_gather(&own, carries.data(), sizeof(own)); });
    bool has_segments = false;
    for (const rank_carry<T>& carry : carries)
    {
      if (carry.has_head && !has_segments)
      {
        throw std::invalid_argument(
          std::string("mgpu::") + algorithm + ": items before the first segment of all ranks");
      }
      has_segments |= carry.num_segments > 0;
    }
  }
  /// The reduction of what lower ranks have of the segment of this rank's first items, unless all of it is empty.
  std::optional<T> before()
  {
    std::optional<T> value;
    for (std::size_t from = 0; from < rank; ++from)
    {
      append(value, carries[from].has_head, carries[from].head);
      if (carries[from].num_segments > 0)
      {
        value.reset();
        append(value, carries[from].has_tail, carries[from].tail);
      }
    }
    return value;
  }
  /// The reduction of the last segment that begins in this rank's piece: of all ranks' items, after init.
  T whole_tail()
  {
    std::optional<T> value = carries[rank].tail;
    bool goes_on = true;
    for (std::size_t from = rank + 1; from < carries.size() && goes_on; ++from)
    {
      append(value, carries[from].has_head, carries[from].head);
      goes_on = carries[from].num_segments == 0;
    }
    return *value;
  }

private:
  void find_borders()
  {
    size_checks check(algorithm);
    check.size("the input", in.num_items);
    check.size("the offsets", in.num_segments);
    head_end = in.num_items;
    if (in.num_segments > 0)
    {
      const std::int64_t positions[2] = {0, in.num_segments - 1};
      key_buffer<offset> ends;
      ends.resize(2);
      detail::read_elements(policy, algorithm, in.offsets, positions, 2, ends.data());
      head_end = detail::clamp_index(static_cast<std::int64_t>(ends.data()[0]), 0, in.num_items);
      last_begin = detail::clamp_index(static_cast<std::int64_t>(ends.data()[1]), head_end, in.num_items);
      const auto own = part(in.num_segments, head_end, in.num_items);
      precondition_checks<Policy>(policy, algorithm).offsets(own.offsets, own.num_segments, own.num_items);
    }
  }
  /// Reduces the items [begin, end) after `left`, or after the first one if there is no such value. Returns whether
  /// there is any operand.
  bool reduce(std::optional<T> left, std::int64_t begin, std::int64_t end, T& result)
  {
    if (!left && begin == end)
    {
      return false;
    }
    if (!left)
    {
      key_buffer<item> first;
      first.resize(1);
      detail::read_elements(policy, algorithm, operands.input, &begin, 1, first.data());
      left = static_cast<T>(*first.data());
      ++begin;
    }
    const temporary_storage storage(policy, algorithm, sizeof(T));
    T* const reduced = static_cast<T*>(storage.data());
    (void) detail::execute(
      policy, algorithm,
      segmented_reduce_job(
        segment_reduction{operands.input + begin, reduced, *left, operands.op}, part(1, begin, end), reduced));
    const std::int64_t position = 0;
    detail::read_elements(policy, algorithm, static_cast<const T*>(reduced), &position, 1, &result);
    return true;
  }
  void append(std::optional<T>& left, bool has_right, const T& right)
  {
    if (has_right)
    {
      left = left ? static_cast<T>(operands.op(*left, right)) : right;
    }
  }
};

/// Each rank reduces the segments that begin in its piece, but the last one: that takes what higher ranks have of it.
template <class Input, class Result, class T, class Op, class Offsets, class Output>
struct distributed_work<segmented_reduce_job<segment_reduction<Input, Result, T, Op>, segments<Offsets>, Output>>
{
  template <class Policy, class Job>
  static Output run(Policy& policy, const char* algorithm, const Job& job)
  {
    auto& local = policy.local();
    const auto& reduction = job.reduction;
    segments_over_ranks<T, std::decay_t<decltype(local)>, Offsets, std::decay_t<decltype(reduction)>> over_ranks{
      local, algorithm, job.in, reduction};
    over_ranks.gather(policy.communicator(), reduction.init);
    const std::int64_t last = job.in.num_segments - 1;
    if (last >= 0)
    {
      const std::int64_t begin = over_ranks.head_end;
      (void) detail::execute(
        local, algorithm,
        segmented_reduce_job(
          segment_reduction{reduction.input + begin, reduction.output, reduction.init, reduction.op},
          over_ranks.part(last, begin, last > 0 ? over_ranks.last_begin : begin), reduction.output));
      const auto whole = static_cast<typename sent_item<Result>::type>(over_ranks.whole_tail());
      detail::copy_bytes(local, &whole, reduction.output + last, sizeof(whole));
      detail::finish_queued(local, algorithm);
    }
    return job.result();
  }
};

/// Each rank scans the segments that begin in its piece, and the items before them after what lower ranks have of their
/// segment.
template <bool IsInclusive, class T, class Input, class Result, class Init, class Op, class Offsets, class Output>
struct distributed_work<
  segmented_scan_job<segment_scan<IsInclusive, T, Input, Result, Init, Op>, segments<Offsets>, Output>>
{
  template <class Policy, class Job>
  static Output run(Policy& policy, const char* algorithm, const Job& job)
  {
    auto& local = policy.local();
    const auto& scan = job.scan;
    segments_over_ranks<T, std::decay_t<decltype(local)>, Offsets, std::decay_t<decltype(scan)>> over_ranks{
      local, algorithm, job.in, scan};
    std::optional<T> init;
    if constexpr (!std::is_same_v<Init, nothing>)
    {
      init = scan.init;
    }
    over_ranks.gather(policy.communicator(), init);
    const auto scan_part = [&](const auto& first, std::int64_t num_segments, std::int64_t begin, std::int64_t end)
    {
      if (begin < end)
      {
        (void) detail::execute(
          local, algorithm,
          detail::make_segmented_scan_job<IsInclusive, T>(
            scan.input + begin, over_ranks.part(num_segments, begin, end), scan.output + begin, first, scan.op));
      }
    };
    const std::optional<T> carry = over_ranks.before();
    const std::int64_t head_end = over_ranks.head_end;
    carry ? scan_part(*carry, 1, 0, head_end) : scan_part(scan.init, 1, 0, head_end);
    scan_part(scan.init, job.in.num_segments, head_end, job.in.num_items);
    return job.result();
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
