// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Pieces with consecutive results in the output, whose sizes are known only when they are done: one pass on the
/// workers of a CPU backend, which hold some results until their output offsets are known.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <thread>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Offsets of the consecutive outputs of pieces, whose sizes are known only when they are done, by decoupled look-back
/// as on the GPU. A piece's word is 0, or its size with `size_known`, or, as soon as a worker knows it, the end of its
/// output with `end_known`.
class piece_offsets
{
public:
  /// Bytes of storage for the words of `pieces` pieces.
  static std::size_t bytes(std::int64_t pieces)
  {
    return static_cast<std::size_t>(pieces) * sizeof(word);
  }
  piece_offsets(void* storage, std::int64_t pieces)
      : words_(static_cast<word*>(storage))
  {
    for (std::int64_t piece = 0; piece < pieces; ++piece)
    {
      (::new (static_cast<void*>(words_ + piece)) word)->store(0, std::memory_order_relaxed);
    }
  }
  /// Publishes the size of a piece.
  void post(std::int64_t piece, std::int64_t size)
  {
    words_[piece].store(size * 4 + size_known, std::memory_order_relaxed);
  }
  /// Returns the offset of a piece whose size is published, or -1 if that of a piece before it is not published yet.
  std::int64_t find(std::int64_t piece)
  {
    std::int64_t offset = 0;
    for (std::int64_t before = piece - 1; before >= 0; --before)
    {
      const std::int64_t found = words_[before].load(std::memory_order_relaxed);
      if (found == 0)
      {
        return -1;
      }
      offset += found / 4;
      if (found % 4 == end_known)
      {
        break;
      }
    }
    const std::int64_t size = words_[piece].load(std::memory_order_relaxed) / 4;
    words_[piece].store((offset + size) * 4 + end_known, std::memory_order_relaxed);
    return offset;
  }
  /// The end of the last piece's output, when all are done.
  std::int64_t end(std::int64_t pieces) const
  {
    return words_[pieces - 1].load(std::memory_order_relaxed) / 4;
  }

private:
  using word = std::atomic<std::int64_t>;
  static_assert(std::is_trivially_destructible_v<word>, "the storage is given back as it is");
  static constexpr std::int64_t size_known = 1;
  static constexpr std::int64_t end_known = 2;

  word* words_;
};

/// Number of results that a worker may hold until earlier pieces of other workers are done. It takes more pieces
/// meanwhile, so a worker that loses its core for a while does not stall the others.
inline constexpr int cpu_results_in_hand = 4;

/// The results of pieces that a worker holds until their offsets are known.
template <class Buffer>
class results_in_hand
{
public:
  /// `storage` has cpu_results_in_hand slots, each of `bytes` bytes for `capacity` elements.
  results_in_hand(unsigned char* storage, std::int64_t bytes, std::int64_t capacity)
      : storage_(storage)
      , bytes_(bytes)
      , capacity_(capacity)
  {
  }
  bool empty() const
  {
    return oldest_ == newest_;
  }
  bool full() const
  {
    return newest_ - oldest_ == cpu_results_in_hand;
  }
  /// Adds a result for a piece, to be filled, that is made of `inputs` and a slot of storage. One slot must be free.
  template <class Inputs>
  Buffer& add(std::int64_t piece, const Inputs& inputs)
  {
    const int slot = newest_++ % cpu_results_in_hand;
    pieces_[slot] = piece;
    return results_[slot].emplace(inputs, storage_ + slot * bytes_, capacity_);
  }
  std::int64_t oldest_piece() const
  {
    return pieces_[oldest_ % cpu_results_in_hand];
  }
  Buffer& oldest()
  {
    return *results_[oldest_ % cpu_results_in_hand];
  }
  void drop_oldest()
  {
    if (++oldest_ == newest_)
    {
      oldest_ = newest_ = 0; // so that the same memory, in cache, is reused while no worker is late
    }
  }

private:
  unsigned char* storage_;
  std::int64_t bytes_;
  std::int64_t capacity_;
  int oldest_ = 0;
  int newest_ = 0;
  std::int64_t pieces_[cpu_results_in_hand] = {};
  std::optional<Buffer> results_[cpu_results_in_hand];
};

/// Executes `count` pieces on the workers, and returns the total size of their results. A piece's result is a Buffer
/// made of inputs_of(piece) and storage for `capacity` elements; fill(buffer, own), with what own_of(worker) makes for
/// the worker, a copy of the comparator say, stores the result and its `size` there; flush(buffer, offset) writes it to
/// the output when its offset is known. Elements after the first `max_size`, which can occur if the inputs are not
/// sorted, are left out.
template <class Buffer, class Workers, class OwnOf, class InputsOf, class Fill, class Flush>
std::int64_t place_pieces(
  const Workers& workers, std::int64_t count, std::int64_t capacity, std::int64_t max_size, OwnOf own_of,
  InputsOf inputs_of, Fill fill, Flush flush)
{
  const std::int64_t result_bytes = capacity * Buffer::bytes_per_element;
  const std::int64_t worker_bytes = cpu_results_in_hand * result_bytes;
  const std::int64_t all_workers_bytes = workers.count(count) * worker_bytes;
  const auto storage = workers.storage(static_cast<std::size_t>(all_workers_bytes) + piece_offsets::bytes(count));
  unsigned char* const results_begin = static_cast<unsigned char*>(storage.data());
  piece_offsets offsets(results_begin + all_workers_bytes, count);

  const auto work = [&](int worker, piece_queue& queue)
  {
    results_in_hand<Buffer> results(results_begin + worker * worker_bytes, result_bytes, capacity);
    auto own = own_of(worker);
    while (!queue.stopped())
    {
      const std::int64_t piece = results.full() ? -1 : queue.take();
      if (piece >= 0)
      {
        Buffer& result = results.add(piece, inputs_of(piece));
        fill(result, own);
        offsets.post(piece, result.size);
      }
      else if (results.empty())
      {
        return;
      }
      std::int64_t offset = 0;
      while (!results.empty() && (offset = offsets.find(results.oldest_piece())) >= 0)
      {
        Buffer& result = results.oldest();
        result.size = detail::clamp_index(max_size - offset, 0, result.size);
        flush(result, offset);
        results.drop_oldest();
      }
      if (piece < 0)
      {
        std::this_thread::yield();
      }
    }
  };
  workers.run(count, work);
  return (std::min)(offsets.end(count), max_size);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
