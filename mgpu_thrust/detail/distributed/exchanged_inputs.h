// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Two sorted inputs over ranks, on the way to the rank that each element belongs to.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/base/three_parts.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/exchange.h>
#include <mgpu_thrust/detail/distributed/part_neighbours.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/distributed/cuts.h>

#include <thrust/iterator/counting_iterator.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Communicator, class Policy, class Inputs, class Compare>
class exchanged_inputs;

/// Cuts both inputs so that each rank gets as many elements as it has, and sends each rank its parts. These are two
/// sorted ranges, as pieces ascend by rank. On a GPU a rank's own parts stay where they are: tiles of them are loaded
/// as fast as from a pointer. On a CPU they are copied, as loops have shortcuts for pointers.
template <class Communicator, class Policy, class KeysA, class ValuesA, class KeysB, class ValuesB, class Compare>
class exchanged_inputs<Communicator, Policy, set_inputs<KeysA, ValuesA, KeysB, ValuesB>, Compare>
{
  using inputs_type = set_inputs<KeysA, ValuesA, KeysB, ValuesB>;
  using key = typename sent_item<KeysA>::type;
  static_assert(
    std::is_same_v<key, typename sent_item<KeysB>::type>,
    "mgpu_thrust: a call over ranks needs keys of one type in both inputs");
  using cuts_type = distributed_cuts<key, order_t<Compare, KeysA, KeysB>>;
  static constexpr own_part own =
    std::is_same_v<backend_t<Policy>, cuda_backend> ? own_part::in_place : own_part::copied;

public:
  /// Of a job on these inputs, which it checks. `signature` is a hash of what else must be the same on all ranks.
  template <class Job>
  exchanged_inputs(
    distributed_policy<Communicator, Policy>& policy, const char* algorithm, const Job& job, cut_path path,
    std::uint64_t signature = 0)
      : communicator_(policy.communicator())
      , policy_(policy.local())
      , algorithm_(algorithm)
      , path_(path)
      , inputs_(job.inputs)
      , cuts_(detail::abort_on_exception(communicator_, [&] { return make_cuts(job, path, signature); }))
  {
    detail::check_order_of_host<Compare>();
    cuts_.catch_failure([&] { (void) detail::check_job(policy_, algorithm, job); });
  }
  exchanged_inputs(const exchanged_inputs&) = delete;
  exchanged_inputs& operator=(const exchanged_inputs&) = delete;

  /// Gives each rank's part of an input its neighbours, so that it is a part of the input with these around it.
  void add_neighbours(int sequence)
  {
    extended_ = sequence;
  }

  /// Executes all rounds. `prepare` is called when the parts have their room, before the cuts are confirmed.
  template <class Prepare>
  void find_cuts(Prepare prepare)
  {
    detail::find_cuts(
      communicator_, cuts_,
      [&]
      {
        allocate();
        prepare();
      });
  }
  void exchange() const
  {
    detail::execute_group(
      communicator_, policy_,
      [&]
      {
        for_each_array(
          [&](int sequence, const auto* items, array_of_items array) {
            detail::exchange_items(
              communicator_, policy_, cuts_, sequence, items, sizeof(*items), received(array), own);
          });
        if (extended_ >= 0)
        {
          auto* const part = reinterpret_cast<key*>(received(extended_ == 0 ? keys_a : keys_b));
          detail::exchange_neighbours(
            communicator_, policy_, cuts_, extended_, path_, extended_ == 0 ? inputs_.a : inputs_.b, part,
            part + received_size(extended_));
        }
      });
  }
  /// This rank's parts of both inputs, which are complete after the exchange.
  auto parts() const
  {
    return set_inputs{part(0, inputs_.a, keys_a), part(0, inputs_.a_values, values_a), part_size(0),
                      part(1, inputs_.b, keys_b), part(1, inputs_.b_values, values_b), part_size(1)};
  }

  /// Sends what this rank has found for each element of its part of an input to the rank that brought it. Those of its
  /// own piece are in `results` already; those of others, one after the other, in `found`.
  template <class T>
  void return_results(int sequence, const T* found, T* results) const
  {
    detail::execute_group(
      communicator_, policy_,
      [&]
      {
        for (int peer = 0; peer < communicator_.size(); ++peer)
        {
          const std::int64_t found_count = cuts_.receive_count(sequence, peer);
          const std::int64_t result_count = cuts_.send_count(sequence, peer);
          if (peer == communicator_.rank())
          {
            continue;
          }
          if (found_count > 0)
          {
            communicator_.send(policy_, found, static_cast<std::size_t>(found_count) * sizeof(T), peer);
          }
          if (result_count > 0)
          {
            T* const to = results + cuts_.send_begin(sequence, peer);
            communicator_.recv(policy_, to, static_cast<std::size_t>(result_count) * sizeof(T), peer);
          }
          found += found_count;
        }
      });
  }

  /// The number of elements of an input on all ranks together.
  std::int64_t whole_size(int sequence) const
  {
    return part_begin(sequence, communicator_.size());
  }
  /// Where a rank's part begins in an input.
  std::int64_t part_begin(int sequence, int rank) const
  {
    return cuts_.part_begin(sequence, rank);
  }
  /// The copies of the key that follows the cut above a rank, if they were counted.
  const key_copies& copies(int rank) const
  {
    return cuts_.copies(rank);
  }
  /// Where this rank's part begins in an input, with its neighbours.
  std::int64_t part_position(int sequence) const
  {
    return part_begin(sequence, communicator_.rank()) - neighbours(sequence).num_before();
  }
  /// The number of elements of this rank's part, with its neighbours.
  std::int64_t part_size(int sequence) const
  {
    return neighbours(sequence).num_before() + size_from(sequence, communicator_.size())
           + neighbours(sequence).num_after();
  }
  /// The neighbours of this rank's part of an input, if it has been given them.
  part_neighbours neighbours(int sequence) const
  {
    return sequence == extended_ ? neighbours_ : part_neighbours{};
  }
  /// Of the elements of this rank's part that are in its piece: how many there are, where they begin in the part, and
  /// where in the piece.
  std::int64_t own_size(int sequence) const
  {
    return cuts_.receive_count(sequence, communicator_.rank());
  }
  std::int64_t own_begin(int sequence) const
  {
    return neighbours(sequence).num_before() + size_from(sequence, communicator_.rank());
  }
  std::int64_t own_position(int sequence) const
  {
    return cuts_.send_begin(sequence, communicator_.rank());
  }

private:
  /// The arrays that are sent, in the order of sends and receives.
  enum array_of_items : std::size_t
  {
    keys_a,
    keys_b,
    values_a,
    values_b,
    num_arrays
  };

  template <class Job>
  cuts_type make_cuts(const Job& job, cut_path path, std::uint64_t signature)
  {
    byte_hash types;
    types.add(detail::value_signature<ValuesA>());
    types.add(detail::value_signature<ValuesB>());
    types.add(signature);
    return cuts_type(
      algorithm_, communicator_.rank(), communicator_.size(),
      {detail::make_piece(policy_, algorithm_, inputs_.a, inputs_.a_count),
       detail::make_piece(policy_, algorithm_, inputs_.b, inputs_.b_count)},
      inputs_.a_count + inputs_.b_count, job.order(), piece_order::ascending_by_rank, cuts_type::default_max_bytes,
      types.value(), path);
  }
  /// Calls f(sequence, items, array) for the keys of both inputs, then for their values.
  template <class Function>
  void for_each_array(Function f) const
  {
    f(0, inputs_.a, keys_a);
    f(1, inputs_.b, keys_b);
    if constexpr (has_values<ValuesA>)
    {
      f(0, inputs_.a_values, values_a);
    }
    if constexpr (has_values<ValuesB>)
    {
      f(1, inputs_.b_values, values_b);
    }
  }
  void allocate()
  {
    if (extended_ >= 0)
    {
      neighbours_ = detail::neighbours_of_part(cuts_, extended_, communicator_.rank(), communicator_.size(), path_);
    }
    std::size_t end = 0;
    for_each_array(
      [&](int sequence, const auto* items, array_of_items array)
      {
        const auto bytes = [&](std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(*items); };
        begins_[array] = end + detail::round_up_storage(bytes(neighbours(sequence).num_before()));
        end =
          detail::round_up_storage(begins_[array] + bytes(received_size(sequence) + neighbours(sequence).num_after()));
      });
    storage_.emplace(policy_, algorithm_, end);
  }
  /// Where an array is received, without the neighbour before it.
  unsigned char* received(array_of_items array) const
  {
    return static_cast<unsigned char*>(storage_->data()) + begins_[array];
  }

  /// The number of elements that this rank receives, without neighbours.
  std::int64_t received_size(int sequence) const
  {
    return size_from(sequence, communicator_.size()) - (own == own_part::in_place ? own_size(sequence) : 0);
  }
  /// The number of elements that this rank gets from ranks before `end`.
  std::int64_t size_from(int sequence, int end) const
  {
    std::int64_t size = 0;
    for (int from = 0; from < end; ++from)
    {
      size += cuts_.receive_count(sequence, from);
    }
    return size;
  }
  /// The items of a part. Those of this rank's piece, if in place, are between those of lower and of higher ranks.
  template <class T>
  auto part(int sequence, T* piece, array_of_items array) const
  {
    using item = std::remove_const_t<T>;
    const auto* const items = reinterpret_cast<const item*>(received(array)) - neighbours(sequence).num_before();
    if constexpr (own == own_part::copied)
    {
      return items;
    }
    else
    {
      const std::int64_t begin = own_begin(sequence);
      const item* const middle = piece + own_position(sequence);
      return three_parts_iterator<item>(
        thrust::counting_iterator<std::int64_t>(0),
        three_parts<item>{items, middle, items + begin, begin, begin + own_size(sequence)});
    }
  }
  no_values part(int, no_values, array_of_items) const
  {
    return {};
  }

  Communicator& communicator_;
  Policy& policy_;
  const char* algorithm_;
  cut_path path_;
  inputs_type inputs_;
  cuts_type cuts_;
  std::optional<temporary_storage> storage_;
  std::size_t begins_[num_arrays] = {}; ///< of arrays, in the storage
  int extended_ = -1;                   ///< the input whose parts have neighbours
  part_neighbours neighbours_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
