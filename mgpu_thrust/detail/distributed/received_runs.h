// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Runs that a rank receives from all ranks, each in memory of its own.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/distributed/exchange.h>
#include <mgpu_thrust/detail/execute/copy_memory.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// NCCL copies 16 bytes at a time where source and target are aligned to 16 bytes, otherwise one byte: 2^29 bytes each
// way take 2.38 ms in place of 1.55 (H200). So a run is sent with the bytes around it, from a multiple of 16 bytes of
// the piece to another one, and received at an aligned address. The piece is assumed to be aligned; if it is not, that
// is slower. A transfer in two parts, of which the second is aligned, takes longer than an unaligned one, as NCCL
// divides its threads among a peer's transfers.

/// The bytes of a piece that one rank sends to another: those of a run, and those around it.
struct sent_run
{
  static constexpr std::size_t alignment = 16;

  std::size_t begin; ///< in the piece
  std::size_t bytes;
  std::size_t run_begin; ///< in the bytes that are sent

  sent_run(std::int64_t first, std::int64_t count, std::int64_t piece_size, std::size_t item_bytes)
      : begin(0)
      , bytes(0)
      , run_begin(0)
  {
    if (count > 0)
    {
      const auto bytes_of = [&](std::int64_t items) { return static_cast<std::size_t>(items) * item_bytes; };
      begin = bytes_of(first) / alignment * alignment;
      bytes = (std::min)(::cuda::round_up(bytes_of(first + count), alignment), bytes_of(piece_size)) - begin;
      run_begin = bytes_of(first) - begin;
    }
  }
};

/// Room for the runs that a rank receives of a sequence, one from each rank: keys and, if there are any, values. A
/// table tells where they are: their bounds in the sequence of all of them, in a row of its own, and in columns by run
/// the sizes, the addresses of the keys, and those of the values.
template <class Keys, class Values>
class received_runs
{
public:
  using key = typename sent_item<Keys>::type;
  using keys_type = typename sent_item<Keys>::pointer;
  using values_type = typename sent_item<Values>::pointer;

  /// Allocates it, once the cuts are found.
  template <class Policy, class Cuts>
  void allocate(Policy& policy, const char* algorithm, const Cuts& cuts, int num_ranks)
  {
    num_runs_ = num_ranks;
    table_.resize(begin_of(has_values<Values> ? 3 : 2));
    std::size_t end = detail::round_up_storage(table_.size());
    for (int from = 0; from < num_ranks; ++from)
    {
      place<Keys>(cuts, from, end);
    }
    for (int from = 0; has_values<Values> && from < num_ranks; ++from)
    {
      place<Values>(cuts, from, end);
    }
    storage_.emplace(policy, algorithm, end);
    const auto put_number = [](unsigned char* to, std::int64_t number) { std::memcpy(to, &number, sizeof(number)); };
    put_number(table_.data(), 0);
    for (int from = 0; from < num_ranks; ++from)
    {
      const std::int64_t count = cuts.receive_count(0, from);
      num_items_ += count;
      put_number(table_.data() + static_cast<std::size_t>(from + 1) * cell_bytes, num_items_);
      put_number(cell(0, from), count);
      const auto put = [&](int column, auto items)
      {
        const std::size_t run = static_cast<std::size_t>(from + (column - 1) * num_runs_);
        const auto first = reinterpret_cast<decltype(items)>(storage_bytes() + places_[run].run);
        std::memcpy(cell(column, from), &first, sizeof(first));
      };
      put(1, keys_type{});
      if constexpr (has_values<Values>)
      {
        put(2, values_type{});
      }
    }
    detail::copy_bytes(policy, table_.data(), storage_->data(), table_.size());
  }
  /// Adds the keys, and the values, to a communicator's group.
  template <class Communicator, class Policy, class Cuts>
  void exchange(Communicator& communicator, Policy& policy, const Cuts& cuts, Keys keys, Values values) const
  {
    exchange_items(communicator, policy, cuts, keys, 0);
    if constexpr (has_values<Values>)
    {
      exchange_items(communicator, policy, cuts, values, num_runs_);
    }
  }
  auto runs() const
  {
    const auto* const sizes = reinterpret_cast<const std::int64_t*>(column(0));
    const auto* const keys = reinterpret_cast<const keys_type*>(column(1));
    const auto* const bounds = reinterpret_cast<const std::int64_t*>(storage_bytes());
    if constexpr (has_values<Values>)
    {
      const auto* const values = reinterpret_cast<const values_type*>(column(2));
      return bounded_runs<const keys_type*, const values_type*, const std::int64_t*>{
        {keys, values, num_items_, sizes, num_runs_}, bounds};
    }
    else
    {
      return bounded_runs<const keys_type*, no_values, const std::int64_t*>{
        {keys, {}, num_items_, sizes, num_runs_}, bounds};
    }
  }

private:
  static constexpr std::size_t cell_bytes = sizeof(std::int64_t);
  static_assert(sizeof(keys_type) == cell_bytes, "numbers and pointers have 8 bytes");

  /// Where in the storage a run is received, and where it begins there.
  struct run_place
  {
    std::size_t sent;
    std::size_t run;
  };
  /// A begin that is aligned for a transfer is so for an item, too, as the begin of a run is a multiple of its size.
  template <class Items, class Cuts>
  void place(const Cuts& cuts, int from, std::size_t& end)
  {
    const sent_run sent(
      cuts.receive_begin(0, from), cuts.receive_count(0, from), cuts.piece_size(0, from), sent_item<Items>::bytes);
    places_.push_back({end, end + sent.run_begin});
    end = detail::round_up_storage(end + sent.bytes);
  }
  template <class Communicator, class Policy, class Cuts, class Items>
  void exchange_items(Communicator& communicator, Policy& policy, const Cuts& cuts, Items items, int first_place) const
  {
    const auto* const piece = reinterpret_cast<const unsigned char*>(items);
    const int rank = communicator.rank();
    for (int peer = 0; peer < num_runs_; ++peer)
    {
      const sent_run to_peer(
        cuts.send_begin(0, peer), cuts.send_count(0, peer), cuts.piece_size(0, rank), sent_item<Items>::bytes);
      const sent_run from_peer(
        cuts.receive_begin(0, peer), cuts.receive_count(0, peer), cuts.piece_size(0, peer), sent_item<Items>::bytes);
      if (to_peer.bytes > 0)
      {
        communicator.send(policy, piece + to_peer.begin, to_peer.bytes, peer);
      }
      if (from_peer.bytes > 0)
      {
        const run_place& place = places_[static_cast<std::size_t>(first_place + peer)];
        communicator.recv(policy, storage_bytes() + place.sent, from_peer.bytes, peer);
      }
    }
  }
  unsigned char* storage_bytes() const
  {
    return static_cast<unsigned char*>(storage_->data());
  }
  std::size_t begin_of(int column) const
  {
    return (static_cast<std::size_t>(column + 1) * static_cast<std::size_t>(num_runs_) + 1) * cell_bytes;
  }
  unsigned char* cell(int column, int run)
  {
    return table_.data() + begin_of(column) + static_cast<std::size_t>(run) * cell_bytes;
  }
  const unsigned char* column(int number) const
  {
    return storage_bytes() + begin_of(number);
  }

  int num_runs_ = 0;
  std::int64_t num_items_ = 0;
  std::optional<temporary_storage> storage_; ///< the table, and runs
  std::vector<unsigned char> table_;
  std::vector<run_place> places_; ///< of keys, then of values
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
