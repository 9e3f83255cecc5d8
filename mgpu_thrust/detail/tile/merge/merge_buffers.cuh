// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The two buffers between which the passes of a sort, or of a merge of many runs, alternate on a GPU.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>

#include <thrust/iterator/discard_iterator.h>

#include <cuda/std/iterator>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The buffers of a sort from `In` to `Out`, each a key_value_range; they may be the same. The first buffer is the
/// output if that is plain memory. A sort of indices discards its keys: the values alone are the output. With several
/// passes the keys of the first buffer are then in temporary storage, and the last pass does not write them. The first
/// pass of a merge is to them what a tile sort is to a sort.
///
/// Tiles are sorted to source(0). Each pass reads source(pass) and writes target(pass), which the next one reads. The
/// last pass, or the tile sort if there is no pass, writes the result.
template <class In, class Out>
class merge_buffers
{
public:
  using key = typename ::cuda::std::iterator_traits<decltype(In::keys)>::value_type;
  using values = value_or_none<decltype(In::values)>;
  using buffer = key_value_range<key*, typename values::pointer>;
  static constexpr bool has_values_too = has_values<decltype(In::values)>;
  static constexpr bool discards_keys =
    std::is_same_v<Out, key_value_range<thrust::discard_iterator<>, typename values::pointer>>;
  static constexpr bool is_output_a_buffer = discards_keys || std::is_same_v<Out, buffer>;
  /// The range that receives the result.
  using output = std::conditional_t<is_output_a_buffer, buffer, Out>;

  /// The bytes of temporary storage of the buffers, without parts that are the output. `are_both_needed` tells whether
  /// another sort may need both, however many passes there are.
  static std::size_t bytes(std::int64_t count, int passes, bool are_both_needed = false)
  {
    return (passes > 0 || are_both_needed ? buffer_bytes(count) : 0)
           + (passes > 1 || are_both_needed ? bytes_of_first(count) : 0);
  }

  merge_buffers(unsigned char* storage, const Out& out, std::int64_t count, int passes, bool are_both_needed = false)
      : second_(buffer_at(storage, count))
      , first_(buffer_at(storage + (passes > 0 || are_both_needed ? buffer_bytes(count) : 0), count))
      , out_(out)
      , passes_(passes)
  {
    if constexpr (discards_keys)
    {
      first_ = {passes > 1 || are_both_needed ? first_.keys : nullptr, out.values};
    }
    else if constexpr (is_output_a_buffer)
    {
      first_ = out;
    }
  }

  const buffer& source(int pass) const
  {
    return (passes_ - pass) % 2 == 1 ? second_ : first_;
  }
  /// For passes before the last.
  const buffer& target(int pass) const
  {
    return source(pass + 1);
  }
  /// The target of the tile sort if there is no pass.
  output result_of_tiles() const
  {
    if constexpr (is_output_a_buffer)
    {
      return first_;
    }
    else
    {
      return out_;
    }
  }
  /// The target of the last pass.
  output result() const
  {
    output result = result_of_tiles();
    if constexpr (discards_keys)
    {
      result.keys = nullptr;
    }
    return result;
  }
  /// The output if that is a buffer; source(0) if the number of passes is even.
  const buffer& first() const
  {
    return first_;
  }
  const buffer& second() const
  {
    return second_;
  }

  /// The bytes of a buffer in temporary storage.
  static std::size_t buffer_bytes(std::int64_t count)
  {
    return key_bytes(count) + detail::round_up_storage(static_cast<std::size_t>(count) * values::bytes);
  }
  static buffer buffer_at(unsigned char* storage, [[maybe_unused]] std::int64_t count)
  {
    auto* const keys = reinterpret_cast<key*>(storage);
    if constexpr (has_values_too)
    {
      return {keys, reinterpret_cast<typename values::pointer>(storage + key_bytes(count))};
    }
    else
    {
      return {keys, {}};
    }
  }

private:
  static std::size_t key_bytes(std::int64_t count)
  {
    return detail::round_up_storage(static_cast<std::size_t>(count) * sizeof(key));
  }
  static std::size_t bytes_of_first(std::int64_t count)
  {
    return !is_output_a_buffer ? buffer_bytes(count) : discards_keys ? key_bytes(count) : 0;
  }

  buffer second_;
  buffer first_;
  Out out_;
  int passes_;
};

/// The buffers in kernels that compute the number of passes. A pass reads `odd` if an odd number of passes is left, and
/// `even` otherwise; the last one writes the output. `even` is the output if that is plain memory.
template <class Buffer, class Out>
struct pass_buffers
{
  Buffer even;
  Buffer odd;
  Out out;

  /// Selects member by member: for a selected reference nvcc 13.0 makes copies in local memory.
  MGPU_THRUST_DEVICE Buffer source(int passes_left) const
  {
    const bool is_even = passes_left % 2 == 0;
    return {is_even ? even.keys : odd.keys, is_even ? even.values : odd.values};
  }
  /// Calls f(target) with the target of a pass, given the number of passes left before it.
  template <class Function>
  MGPU_THRUST_DEVICE void with_target(int passes_left, Function f) const
  {
    if constexpr (std::is_same_v<Buffer, Out>)
    {
      f(source(passes_left - 1));
    }
    else
    {
      passes_left == 1 ? f(out) : f(source(passes_left - 1));
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
