// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What all jobs over ranks do: agree on cuts, and send each rank its part of every piece.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/execute/copy_memory.h>
#include <mgpu_thrust/distributed/cuts.h>

#include <cuda/std/iterator>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The type of the items in a piece, or no_values.
template <class Iterator>
struct sent_item
{
  using type = typename ::cuda::std::iterator_traits<Iterator>::value_type;
  static_assert(
    std::is_pointer_v<Iterator>, "mgpu_thrust: pieces that go from rank to rank must be in contiguous memory");
  static_assert(
    std::is_trivially_copyable_v<type>, "mgpu_thrust: elements that go from rank to rank must be trivially copyable");
  static constexpr std::size_t bytes = sizeof(type);
  using pointer = const type*;
};
template <>
struct sent_item<no_values>
{
  using type = no_values;
  static constexpr std::size_t bytes = 0;
  using pointer = no_values;
};

/// Asserts at compile time that the host can call a comparator.
template <class Compare>
void check_order_of_host()
{
  static_assert(
    !is_device_lambda<Compare>, "mgpu_thrust: a call over ranks calls the comparator on the host too, which a "
                                "__device__ lambda does not allow; use a"
                                " __host__ __device__ one");
}

/// A rank's piece, in memory that a policy can access; the policy must outlive it.
template <class Policy, class Keys>
auto make_piece(Policy& policy, const char* algorithm, Keys keys, std::int64_t size)
{
  using key = typename sent_item<Keys>::type;
  return distributed_piece<key>{
    size < 0 ? 0 : size, [&policy, algorithm, keys](const std::int64_t* positions, std::int64_t count, key* out)
    { detail::read_elements(policy, algorithm, keys, positions, count, out); }};
}

/// The signature of a call that sends values, perhaps no_values, beside keys.
template <class Values>
std::uint64_t value_signature()
{
  byte_hash hash;
  hash.add(sent_item<Values>::bytes);
  hash.add_type<typename sent_item<Values>::type>();
  return hash.value();
}

template <class Communicator, class = void>
inline constexpr bool has_abort_v = false;
template <class Communicator>
inline constexpr bool has_abort_v<Communicator, std::void_t<decltype(std::declval<Communicator&>().abort())>> = true;

template <class Communicator, class = void>
inline constexpr bool has_reserve_v = false;
template <class Communicator>
inline constexpr bool
  has_reserve_v<Communicator, std::void_t<decltype(std::declval<Communicator&>().reserve(std::size_t{}))>> = true;

/// Returns f(), where what it throws cannot reach other ranks by messages: before the first round, in the transport,
/// and after the last round. The others then throw rather than wait, if the communicator has abort().
template <class Communicator, class Function>
auto abort_on_exception([[maybe_unused]] Communicator& communicator, Function f)
{
  try
  {
    return f();
  }
  catch (...)
  {
    if constexpr (has_abort_v<Communicator>)
    {
      communicator.abort();
    }
    throw;
  }
}

/// Executes all rounds. `prepare` is called when the cuts are known, before they are confirmed, unless this rank has
/// failed.
template <class Communicator, class Cuts, class Prepare>
void find_cuts(Communicator& communicator, Cuts& cuts, Prepare prepare)
{
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<unsigned char> message;
  std::vector<unsigned char> messages;
  detail::abort_on_exception(
    communicator,
    [&]
    {
      message.resize(cuts.message_bytes());
      messages.resize(ranks * cuts.message_bytes());
    });
  cuts.catch_failure(
    [&]
    {
      message.reserve(cuts.max_message_bytes());
      messages.reserve(ranks * cuts.max_message_bytes());
      if constexpr (has_reserve_v<Communicator>)
      {
        communicator.reserve(cuts.max_message_bytes());
      }
    });
  while (!cuts.is_done())
  {
    if (cuts.are_found())
    {
      cuts.catch_failure(prepare);
    }
    message.resize(cuts.message_bytes()); // allocates nothing
    messages.resize(ranks * cuts.message_bytes());
    cuts.write_message(message.data());
    detail::abort_on_exception(
      communicator,
      [&]
      {
        try
        {
          communicator.all_gather(message.data(), messages.data(), message.size());
        }
        catch (...)
        {
          cuts.rethrow_failure(); // which was there first
          throw;
        }
      });
    cuts.read_messages(messages.data());
  }
}

/// Executes a group of sends and receives, which f() adds.
template <class Communicator, class Policy, class Function>
void execute_group(Communicator& communicator, Policy& policy, Function f)
{
  detail::abort_on_exception(
    communicator,
    [&]
    {
      communicator.group_start();
      f();
      communicator.group_end(policy);
    });
}

/// What a rank does with its own part of its piece.
enum class own_part
{
  copied,  ///< to where it would be received
  in_place ///< it stays in the piece, and there is no room for it in what is received
};

/// Adds to a communicator's group what a sequence's items need: each rank is sent its part of this rank's piece, and
/// this rank receives its part of all pieces, in the order of the ranks.
template <class Communicator, class Policy, class Cuts>
void exchange_items(
  Communicator& communicator, Policy& policy, const Cuts& cuts, int sequence, const void* items, std::size_t item_bytes,
  unsigned char* received, own_part own = own_part::copied)
{
  const auto* const sent = static_cast<const unsigned char*>(items);
  for (int rank = 0; rank < communicator.size(); ++rank)
  {
    if (rank == communicator.rank() && own == own_part::in_place)
    {
      continue;
    }
    const std::size_t send_bytes = static_cast<std::size_t>(cuts.send_count(sequence, rank)) * item_bytes;
    const std::size_t receive_bytes = static_cast<std::size_t>(cuts.receive_count(sequence, rank)) * item_bytes;
    if (send_bytes > 0)
    {
      const auto begin = static_cast<std::size_t>(cuts.send_begin(sequence, rank)) * item_bytes;
      communicator.send(policy, sent + begin, send_bytes, rank);
    }
    if (receive_bytes > 0)
    {
      communicator.recv(policy, received, receive_bytes, rank);
    }
    received += receive_bytes;
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
