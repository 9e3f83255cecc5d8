// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Segments that go on from rank to rank: what each rank has of them.

#include <mgpu_thrust/detail/base/config.h>
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
#include <mgpu_thrust/distributed/cuts.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segmented_reduce/launch.cuh>
#endif

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// Returns the first segments of a piece that begin from an item on.
template <class Offsets>
auto segments_from(Offsets offsets, std::int64_t num_segments, std::int64_t begin, std::int64_t end)
{
  return segments{
    end - begin,
    thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), offset_from<Offsets>{offsets, begin}),
    num_segments};
}

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

/// The carries of all ranks, on each, and this rank's segments. `Operands` has the input and the operator.
template <class T, class Policy, class Offsets, class Operands>
class segment_carries_of_ranks
{
  using item = typename sent_item<decltype(Operands::input)>::type;
  using offset = typename sent_item<Offsets>::type;
  using operator_type = decltype(Operands::op);
  static_assert(
    !is_device_lambda<operator_type>, "mgpu_thrust: a call over ranks calls the operator on the host too, which a "
                                      "__device__ lambda does not allow; use a __host__ __device__ one");

public:
  segment_carries_of_ranks(Policy& policy, const char* algorithm, const segments<Offsets>& in, const Operands& operands)
      : policy_(policy)
      , algorithm_(algorithm)
      , in_(in)
      , operands_(operands)
  {
  }
  segment_carries_of_ranks(const segment_carries_of_ranks&) = delete;
  segment_carries_of_ranks& operator=(const segment_carries_of_ranks&) = delete;

  /// Reduces what this rank has of the first and last segments, and gathers the carries. If a rank fails, all throw.
  template <class Communicator>
  void gather(Communicator& communicator, const T* init)
  {
    rank_ = static_cast<std::size_t>(communicator.rank());
    rank_carry<T> own{};
    (void) detail::total_size(
      communicator, algorithm_,
      [&]
      {
        find_borders();
        own.num_segments = in_.num_segments;
        own.has_head = reduce(nullptr, 0, head_end_, own.head);
        own.has_tail = in_.num_segments > 0 && reduce(init, last_begin_, in_.num_items, own.tail);
        carries_.resize(static_cast<std::size_t>(communicator.size()));
        if constexpr (has_reserve_v<Communicator>)
        {
          communicator.reserve(sizeof(own));
        }
        return std::int64_t{0};
      },
      detail::value_signature<T*>());
    detail::abort_on_exception(communicator, [&] { communicator.all_gather(&own, carries_.data(), sizeof(own)); });
    bool has_segments = false;
    for (const rank_carry<T>& carry : carries_)
    {
      if (carry.has_head && !has_segments)
      {
        throw std::invalid_argument(
          std::string("mgpu::") + algorithm_ + ": items before the first segment of all ranks");
      }
      has_segments |= carry.num_segments > 0;
    }
  }

  /// The number of items before the first segment that begins in this rank's piece.
  std::int64_t head_end() const
  {
    return head_end_;
  }
  /// Where the last segment that begins here begins.
  std::int64_t last_begin() const
  {
    return last_begin_;
  }
  /// The reduction of what lower ranks have of the segment of this rank's first items, unless all of it is empty.
  std::optional<T> before()
  {
    std::optional<T> value;
    for (std::size_t from = 0; from < rank_; ++from)
    {
      append(value, carries_[from].has_head, carries_[from].head);
      if (carries_[from].num_segments > 0)
      {
        value.reset();
        append(value, carries_[from].has_tail, carries_[from].tail);
      }
    }
    return value;
  }
  /// The reduction of the last segment that begins in this rank's piece: of all ranks' items, after init.
  T whole_tail()
  {
    std::optional<T> value = carries_[rank_].tail;
    for (std::size_t from = rank_ + 1; from < carries_.size(); ++from)
    {
      append(value, carries_[from].has_head, carries_[from].head);
      if (carries_[from].num_segments > 0)
      {
        break;
      }
    }
    return *value;
  }

private:
  void find_borders()
  {
    // 1. Read the first offset and the last one.
    size_checks check(algorithm_);
    check.size("the input", in_.num_items);
    check.size("the offsets", in_.num_segments);
    head_end_ = in_.num_items;
    last_begin_ = in_.num_items;
    if (in_.num_segments == 0)
    {
      return;
    }
    const std::int64_t positions[2] = {0, in_.num_segments - 1};
    key_buffer<offset> ends;
    ends.resize(2);
    detail::read_elements(policy_, algorithm_, in_.offsets, positions, 2, ends.data());

    // 2. Wrong offsets name no items outside.
    head_end_ = static_cast<std::int64_t>(ends.data()[0]);
    if (head_end_ < 0 || head_end_ > in_.num_items)
    {
      throw std::invalid_argument(
        std::string("mgpu::") + algorithm_ + ": the first offset of a rank is not from 0 to the number of its items");
    }
    last_begin_ = detail::clamp_index(static_cast<std::int64_t>(ends.data()[1]), head_end_, in_.num_items);
    const auto own = detail::segments_from(in_.offsets, in_.num_segments, head_end_, in_.num_items);
    precondition_checks<Policy>(policy_, algorithm_).offsets(own.offsets, own.num_segments, own.num_items);
  }

  /// Reduces the items [begin, end) after `init`, or after the first one if that is null. Returns whether there is any.
  bool reduce(const T* init, std::int64_t begin, std::int64_t end, T& result)
  {
    key_buffer<item> first;
    first.resize(1);
    if (init == nullptr && begin == end)
    {
      return false;
    }
    if (init == nullptr)
    {
      detail::read_elements(policy_, algorithm_, operands_.input, &begin, 1, first.data());
    }
    const T left = init != nullptr ? *init : static_cast<T>(*first.data());
    begin += init == nullptr;
    const temporary_storage storage(policy_, algorithm_, sizeof(T));
    T* const reduced = static_cast<T*>(storage.data());
    (void) detail::execute(
      policy_, algorithm_,
      segmented_reduce_job(
        segment_reduction{operands_.input + begin, reduced, left, operands_.op},
        detail::segments_from(in_.offsets, 1, begin, end), reduced));
    detail::wait_for_policy(policy_);
    const std::int64_t position = 0;
    detail::read_elements(policy_, algorithm_, static_cast<const T*>(reduced), &position, 1, &result);
    return true;
  }
  void append(std::optional<T>& left, bool has_right, const T& right)
  {
    if (has_right)
    {
      left = left ? static_cast<T>(operands_.op(*left, right)) : right;
    }
  }

  Policy& policy_;
  const char* algorithm_;
  segments<Offsets> in_;
  Operands operands_;
  std::size_t rank_ = 0;
  std::int64_t head_end_ = 0;
  std::int64_t last_begin_ = 0;
  std::vector<rank_carry<T>> carries_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
