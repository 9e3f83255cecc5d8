// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Exact cuts of sorted sequences whose pieces lie on several ranks, over any transport.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/sampled_brackets.h>
#include <mgpu_thrust/distributed/rank_error.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN

/// @addtogroup distributed
/// @{

/// A rank's piece of a sequence, as distributed_cuts reads it.
template <class Key>
struct distributed_piece
{
  /// Number of elements.
  std::int64_t size;
  /// `read(positions, count, keys)` copies the elements at `count` positions, in any order and perhaps repeated, to
  /// uninitialised memory of the host, one after the other. It may throw.
  std::function<void(const std::int64_t* positions, std::int64_t count, Key* keys)> read;
};

/// What a call over ranks needs of its pieces.
enum class piece_order
{
  /// Each piece is sorted.
  sorted,
  /// Each piece is sorted, and no element goes before one of the same sequence on a lower rank.
  ascending_by_rank
};

/// @}

namespace detail
{

// ---- Messages: what each rank sends to all ----

/// Begins every message: whether the rank has failed, and why.
struct rank_status
{
  std::int64_t has_failed;
  std::uint64_t cuts; ///< hash of the cuts that the rank has found
  char text[176];
};

/// The first message. Its size does not depend on the call, so that ranks whose calls differ can tell.
struct rank_sizes
{
  static constexpr int max_sequences = 8;

  rank_status status;
  std::uint64_t call; ///< hash of what must be the same on all ranks
  std::int64_t result_size;
  std::int64_t sizes[max_sequences];
};

/// Messages of up to this size need no reserve() of a communicator: by the first one ranks learn that it has failed.
inline constexpr std::size_t unreserved_message_bytes = 512;
static_assert(sizeof(rank_sizes) <= unreserved_message_bytes, "the first message needs no room that may be missing");

/// The messages of all ranks in a round.
struct rank_messages
{
  const unsigned char* data;
  std::size_t bytes; ///< of each

  const unsigned char* of(int rank) const
  {
    return data + static_cast<std::size_t>(rank) * bytes;
  }
  /// The begin of a rank's message, which may not be aligned.
  template <class Head>
  Head head(int rank) const
  {
    Head copy;
    std::memcpy(&copy, of(rank), sizeof(Head));
    return copy;
  }
};

/// FNV-1a.
class byte_hash
{
public:
  void add(const void* data, std::size_t bytes)
  {
    for (std::size_t i = 0; i < bytes; ++i)
    {
      value_ = (value_ ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211u;
    }
  }
  template <class T>
  void add(const T& value)
  {
    add(&value, sizeof(T));
  }
  /// Adds what a type must have in common on all ranks.
  template <class T>
  void add_type()
  {
    add(sizeof(T));
    add(alignof(T));
    add(std::is_floating_point_v<T>);
    add(std::is_integral_v<T>);
    add(std::is_signed_v<T>);
    add(std::is_class_v<T>);
  }
  std::uint64_t value() const
  {
    return value_;
  }

private:
  std::uint64_t value_ = 14695981039346656037u;
};

/// Stands for a comparator where all keys are equal, so that elements are in the order of (sequence, rank, index) and
/// cuts follow from sizes.
struct no_order
{
  template <class Key>
  bool operator()(const Key&, const Key&) const
  {
    return false;
  }
};

/// Host memory for trivially copyable keys, which need no constructor.
template <class Key>
class key_buffer
{
public:
  void resize(std::int64_t count)
  {
    keys_.resize(static_cast<std::size_t>(count));
  }
  Key* data()
  {
    return reinterpret_cast<Key*>(keys_.data());
  }

private:
  struct alignas(Key) uninitialised_key
  {
    unsigned char bytes[sizeof(Key)];
  };
  std::vector<uninitialised_key> keys_;
};

} // namespace detail

/// @addtogroup distributed
/// @{

/// Finds, on each of several ranks, exact cuts of one or more sorted sequences whose pieces lie on the ranks. It has no
/// transport: it says what to send to all ranks, and takes what all have sent.
///
/// All elements are ordered by (key, sequence, rank, index). So the cuts are exact where keys are equal, and the order is
/// that of a stable merge. Each rank says how many elements of that order it wants; rank 0 gets the first ones, rank 1
/// the next ones, and so on. When all is done each rank knows which part of each of its pieces goes to which rank, and
/// how many elements of each sequence it receives from each. Keys are trivially copyable.
///
/// **Rounds.** In a round each rank writes a message, of the same size on all ranks; all messages, in the order of the
/// ranks, are read by every rank. The first round has sizes, and tells whether the calls of all ranks agree. Rounds of
/// samples follow: a fixed number, that of max_sample_rounds(), which the sizes determine. The last one confirms that no
/// rank has failed and that all have found the same cuts. So a rank that has failed, in read() of a piece, in the
/// comparator, or by fail(), takes part up to the next round, after which all ranks throw: none waits for another.
///
/// @tparam Key     type of the keys, trivially copyable
/// @tparam Compare strict weak order, called on the host
///
/// Complexity: a message has up to `max_bytes` bytes of samples. In each of these rounds each of R ranks, for each of
/// R - 1 cuts of S sequences, takes O((R S log(n))^2) comparisons of n samples at most, and usually a small multiple of
/// R S log(n)^2.
///
/// @code{.cpp}
/// // Two ranks, here in one thread. The transport is a vector.
/// const std::vector<std::vector<int>> pieces{{1, 4, 4, 9}, {0, 4}};
/// std::vector<mgpu::distributed_cuts<int, std::less<>>> ranks;
/// for (int rank = 0; rank < 2; ++rank)
/// {
///   const std::vector<int>& keys = pieces[rank];
///   const auto read = [&keys](const std::int64_t* positions, std::int64_t count, int* out)
///   {
///     for (std::int64_t i = 0; i < count; ++i)
///     {
///       out[i] = keys[positions[i]];
///     }
///   };
///   ranks.emplace_back(
///     "example", rank, 2, std::vector<mgpu::distributed_piece<int>>{{std::int64_t(keys.size()), read}},
///     std::int64_t(keys.size()), std::less<>{});
/// }
/// while (!ranks[0].is_done())
/// {
///   const std::size_t bytes = ranks[0].message_bytes();
///   std::vector<unsigned char> all(2 * bytes);
///   ranks[0].write_message(all.data());
///   ranks[1].write_message(all.data() + bytes);
///   ranks[0].read_messages(all.data());
///   ranks[1].read_messages(all.data());
/// }
/// // The order is 0 1 4 4 | 4 9: rank 0 keeps 1, 4, 4 and receives 0; rank 1 keeps 4 and receives 9.
/// assert(ranks[0].send_count(0, 1) == 1 && ranks[0].receive_count(0, 1) == 1);
/// assert(ranks[1].send_begin(0, 1) == 1 && ranks[1].send_count(0, 1) == 1);
/// @endcode
template <class Key, class Compare>
class distributed_cuts
{
  static_assert(
    std::is_trivially_copyable_v<Key>, "mgpu_thrust: keys are copied from rank to rank, and so must be trivially "
                                       "copyable");

public:
  /// The samples of a message have this many bytes at most, if the caller says nothing else. A message has room for as
  /// many samples as the rounds need to narrow the cuts, so it is larger for many ranks, sequences and large keys.
  static constexpr std::size_t default_max_bytes = std::size_t{1} << 18;

  /// @param call        name of the call, the same on all ranks; it is in messages of errors
  /// @param rank        this rank
  /// @param num_ranks   number of ranks
  /// @param pieces      this rank's piece of each sequence, of 1 to 8 sequences, the same number on all ranks
  /// @param result_size number of elements that this rank is to get: the sum of all ranks' is the number of elements
  /// @param comp        strict weak order, the same on all ranks
  /// @param order       what is needed of the pieces, and checked by their first and last keys
  /// @param max_bytes   limit of the samples in a message, the same on all ranks
  /// @param signature   hash of what else must be the same on all ranks, such as the type of values
  distributed_cuts(
    std::string call, int rank, int num_ranks, std::vector<distributed_piece<Key>> pieces, std::int64_t result_size,
    Compare comp, piece_order order = piece_order::sorted, std::size_t max_bytes = default_max_bytes,
    std::uint64_t signature = 0)
      : call_(std::move(call))
      , rank_(rank)
      , num_ranks_(num_ranks)
      , num_sequences_(static_cast<int>(pieces.size()))
      , pieces_(std::move(pieces))
      , result_size_(result_size)
      , comp_(comp)
      , order_(order)
      , max_samples_(
          (std::max)(static_cast<std::int64_t>(max_bytes / sizeof(Key)), 4 * std::int64_t{num_sequences_} * num_ranks))
      , max_bytes_(max_bytes)
      , signature_(signature)
  {
    if (rank < 0 || rank >= num_ranks || num_sequences_ < 1 || num_sequences_ > detail::rank_sizes::max_sequences)
    {
      throw std::invalid_argument("mgpu::distributed_cuts: no such rank, or not 1 to 8 sequences");
    }
  }

  /// Returns the number of rounds of samples that find all cuts, whatever the keys are. After a round in which each cut has
  /// s samples a rank, the brackets of w elements around it have 2 S floor((w - 1) / s) at most
  /// (detail/cut/sampled_brackets.h has the proof). The cuts share the samples but in the first round, when their brackets
  /// are the same. Complexity: O(log(num_elements)).
  ///
  /// @param num_elements  elements on all ranks together
  /// @param num_ranks     number of ranks
  /// @param num_sequences number of sequences
  /// @param samples       samples in a rank's message, at least 4 num_ranks num_sequences
  static constexpr int
  max_sample_rounds(std::int64_t num_elements, int num_ranks, int num_sequences, std::int64_t samples)
  {
    if (num_elements == 0 || num_ranks == 1 || std::is_same_v<Compare, detail::no_order>)
    {
      return 0;
    }
    std::int64_t width = 2 * std::int64_t{num_sequences} * ((num_elements - 1) / samples);
    int rounds = 1;
    for (; width > 0; ++rounds)
    {
      width = 2 * std::int64_t{num_sequences} * ((width - 1) / (samples / (num_ranks - 1)));
    }
    return rounds;
  }

  /// Makes all ranks throw after the next round. Complexity: O(1).
  ///
  /// @param error the exception that this rank throws; others throw mgpu::rank_error with its text
  void fail(std::exception_ptr error)
  {
    failure_ = failure_ ? failure_ : error;
  }
  /// Calls f(), unless this rank has failed. What f() throws is passed to fail(). Complexity: that of f().
  ///
  /// @param f function object
  template <class Function>
  void catch_failure(Function f) noexcept
  {
    try
    {
      if (!failure_)
      {
        f();
      }
    }
    catch (...)
    {
      fail(std::current_exception());
    }
  }
  /// Throws what this rank has failed by, if it has: for a rank whose messages cannot reach the others. Complexity: O(1).
  void rethrow_failure() const
  {
    if (failure_)
    {
      std::rethrow_exception(failure_);
    }
  }
  /// Returns whether no round is left. Complexity: O(1).
  bool is_done() const
  {
    return phase_ == phase::done;
  }
  /// Returns whether the cuts are known, and the round that confirms them is next: the moment to allocate what is needed
  /// for receiving, in catch_failure(). Complexity: O(1).
  bool are_found() const
  {
    return phase_ == phase::confirmation;
  }
  /// Returns the number of rounds of samples, once the first round is over. Complexity: O(1).
  int num_sample_rounds() const
  {
    return num_rounds_;
  }
  /// Returns the size of a message in this round, the same on all ranks. Complexity: O(1).
  std::size_t message_bytes() const
  {
    return phase_ == phase::sizes ? sizeof(detail::rank_sizes)
                                  : sizeof(detail::rank_status) + (phase_ == phase::samples ? sample_bytes() : 0);
  }
  /// Returns the size that no message will exceed, known before the first round, for those who allocate memory in advance.
  /// Complexity: O(1).
  std::size_t max_message_bytes() const
  {
    return (std::max)(
      sizeof(detail::rank_sizes),
      sizeof(detail::rank_status) + static_cast<std::size_t>(2 * num_sequences_ + max_samples_) * sizeof(Key));
  }

  /// Writes this rank's message, of message_bytes() bytes. Never throws. Complexity: O(1) and the samples.
  ///
  /// @param message memory of the host
  void write_message(void* message) noexcept
  {
    std::memset(message, 0, message_bytes());
    catch_failure([&] { write_content(static_cast<unsigned char*>(message)); });
    if (failure_)
    {
      write_failure(message);
    }
  }

  /// Reads the messages of all ranks, and begins the next round. Complexity: see the class.
  ///
  /// @param messages messages of message_bytes() bytes each, one after the other, in the order of the ranks
  /// @throws what this rank has failed by, or mgpu::rank_error if another has: on all ranks
  /// @throws std::invalid_argument on all ranks, if their calls differ, or pieces are not in order, as far as this shows
  void read_messages(const void* messages)
  {
    const detail::rank_messages received{static_cast<const unsigned char*>(messages), message_bytes()};
    throw_failures(received);
    switch (phase_)
    {
    case phase::sizes:
      read_sizes(received);
      break;
    case phase::samples:
      catch_failure([&] { read_samples(received); });
      phase_ = ++round_ < num_rounds_ ? phase::samples : phase::confirmation;
      break;
    case phase::confirmation:
      phase_ = phase::done;
      require_same_cuts(received);
      break;
    case phase::done:
      break;
    }
  }

  /// Returns the number of elements of a rank's piece, when all is done. Complexity: O(1).
  ///
  /// @param sequence number of the sequence
  /// @param rank     the rank that has the piece
  std::int64_t piece_size(int sequence, int rank) const
  {
    return sizes_[run_of(sequence, rank)];
  }
  /// Returns the position in this rank's piece where the elements for a rank begin, when all is done. Complexity: O(1).
  ///
  /// @param sequence number of the sequence
  /// @param to       the rank that gets the elements
  std::int64_t send_begin(int sequence, int to) const
  {
    return cut(sequence, rank_, to);
  }
  /// Returns how many elements of this rank's piece go to a rank, perhaps itself. Complexity: O(1).
  ///
  /// @param sequence number of the sequence
  /// @param to       the rank that gets the elements
  std::int64_t send_count(int sequence, int to) const
  {
    return cut(sequence, rank_, to + 1) - cut(sequence, rank_, to);
  }
  /// Returns how many elements this rank gets from a rank, perhaps itself. Complexity: O(1).
  ///
  /// @param sequence number of the sequence
  /// @param from     the rank that has the elements
  std::int64_t receive_count(int sequence, int from) const
  {
    return cut(sequence, from, rank_ + 1) - cut(sequence, from, rank_);
  }

private:
  enum class phase
  {
    sizes,
    samples,
    confirmation,
    done
  };

  // ---- Runs: a piece of a sequence on a rank. Their order is that of elements with equal keys ----

  std::size_t num_runs() const
  {
    return static_cast<std::size_t>(num_sequences_) * static_cast<std::size_t>(num_ranks_);
  }
  std::size_t run_of(int sequence, int rank) const
  {
    return static_cast<std::size_t>(sequence * num_ranks_ + rank);
  }
  /// The number of elements of a rank's piece that go to ranks below `boundary`.
  std::int64_t cut(int sequence, int rank, int boundary) const
  {
    const std::size_t run = run_of(sequence, rank);
    return boundary == 0            ? 0
           : boundary == num_ranks_ ? sizes_[run]
                                    : brackets_[static_cast<std::size_t>(boundary - 1)][run].begin;
  }

  // ---- Failures ----

  void write_failure(void* message) const noexcept
  {
    detail::rank_status status{};
    status.has_failed = 1;
    const auto copy_text = [&](const char* text) { std::strncpy(status.text, text, sizeof(status.text) - 1); };
    try
    {
      std::rethrow_exception(failure_);
    }
    catch (const std::exception& error)
    {
      copy_text(error.what());
    }
    catch (...)
    {
      copy_text("an exception that has no text");
    }
    std::memcpy(message, &status, sizeof(status));
  }
  /// All ranks read the same messages, so all throw.
  void throw_failures(const detail::rank_messages& messages)
  {
    for (int rank = 0; rank < num_ranks_; ++rank)
    {
      const auto status = messages.head<detail::rank_status>(rank);
      if (status.has_failed != 0)
      {
        phase_ = phase::done;
        rethrow_failure();
        throw rank_error("mgpu::" + call_ + ": rank " + std::to_string(rank) + " has failed: " + status.text);
      }
    }
  }
  [[noreturn]] void fail_everywhere(const std::string& message)
  {
    phase_ = phase::done;
    throw std::invalid_argument("mgpu::" + call_ + ": " + message);
  }

  // ---- The first round ----

  /// Samples of all ranks that take a host about as long to send and search as a round of few takes: 50 us.
  static constexpr std::int64_t max_cheap_samples = std::int64_t{1} << 14;
  /// Rounds are added up to this number.
  static constexpr int usual_rounds = 4;

  void write_content(unsigned char* message)
  {
    switch (phase_)
    {
    case phase::sizes:
    {
      detail::rank_sizes sizes{};
      sizes.call = hash_of_call();
      sizes.result_size = result_size_;
      for (int sequence = 0; sequence < num_sequences_; ++sequence)
      {
        sizes.sizes[sequence] = pieces_[static_cast<std::size_t>(sequence)].size;
      }
      std::memcpy(message, &sizes, sizeof(sizes));
      break;
    }
    case phase::samples:
      write_samples(message + sizeof(detail::rank_status));
      break;
    default:
    {
      detail::rank_status status{};
      status.cuts = hash_of_cuts();
      std::memcpy(message, &status, sizeof(status));
    }
    }
  }
  std::uint64_t hash_of_call() const
  {
    detail::byte_hash hash;
    hash.add(call_.data(), call_.size());
    hash.add(num_ranks_);
    hash.add(num_sequences_);
    hash.add(order_);
    hash.add(max_bytes_);
    hash.add_type<Key>();
    hash.add(signature_);
    return hash.value();
  }
  void read_sizes(const detail::rank_messages& messages)
  {
    // 1. Check. All ranks find the same errors.
    std::int64_t total = 0;
    std::int64_t total_results = 0;
    std::int64_t largest = 0;
    constexpr std::int64_t limit = INT64_MAX / (2 * detail::rank_sizes::max_sequences);
    const auto first = messages.head<detail::rank_sizes>(0);
    for (int rank = 0; rank < num_ranks_; ++rank)
    {
      const auto sizes = messages.head<detail::rank_sizes>(rank);
      if (sizes.call != first.call)
      {
        fail_everywhere("rank " + std::to_string(rank) + " makes another call than rank 0");
      }
      std::int64_t size = 0;
      for (int sequence = 0; sequence < num_sequences_; ++sequence)
      {
        const std::int64_t piece = sizes.sizes[sequence];
        if (piece < 0 || piece > limit - size)
        {
          fail_everywhere("the size of a piece of rank " + std::to_string(rank) + " is negative, or too large");
        }
        size += piece;
      }
      largest = (std::max)(largest, size);
      if (sizes.result_size < 0 || sizes.result_size > limit - total_results || size > limit - total)
      {
        fail_everywhere(
          "the size of the result of rank " + std::to_string(rank) + " is negative, or sizes are too large");
      }
      total += size;
      total_results += sizes.result_size;
    }
    if (total_results != total)
    {
      fail_everywhere(
        "the ranks have " + std::to_string(total) + " elements, and want " + std::to_string(total_results));
    }

    // 2. The size of messages, without an allocation: as few samples as need no more rounds than the most do; and fewer, for
    // another round, where a rank would receive many.
    const auto rounds = [&](std::int64_t samples)
    { return max_sample_rounds(total, num_ranks_, num_sequences_, samples); };
    const std::int64_t min_samples = 4 * std::int64_t{num_sequences_} * num_ranks_;
    num_samples_ = (std::min)(max_samples_, (std::max)(min_samples, largest));
    const auto use_rounds = [&](int limit)
    {
      while (num_samples_ / 2 >= min_samples && rounds(num_samples_ / 2) <= limit)
      {
        num_samples_ /= 2;
      }
      num_rounds_ = rounds(num_samples_);
    };
    use_rounds(rounds(num_samples_));
    for (int limit = num_rounds_ + 1; limit <= usual_rounds && num_samples_ * num_ranks_ > max_cheap_samples; ++limit)
    {
      use_rounds(limit);
    }
    phase_ = num_rounds_ > 0 ? phase::samples : phase::confirmation;

    // 3. All cuts may be anywhere.
    catch_failure(
      [&]
      {
        sizes_.resize(num_runs());
        for (int rank = 0; rank < num_ranks_; ++rank)
        {
          const auto sizes = messages.head<detail::rank_sizes>(rank);
          for (int sequence = 0; sequence < num_sequences_; ++sequence)
          {
            sizes_[run_of(sequence, rank)] = sizes.sizes[sequence];
          }
          diagonals_.push_back((rank > 0 ? diagonals_.back() : 0) + sizes.result_size);
        }
        diagonals_.pop_back(); // the end of all elements
        std::vector<detail::bracket_part> all;
        for (const std::int64_t size : sizes_)
        {
          all.push_back({0, size});
        }
        brackets_.assign(diagonals_.size(), all);
        samples_.resize(num_ranks_ * num_samples_);
        if constexpr (std::is_same_v<Compare, detail::no_order>)
        {
          cut_without_order();
        }
      });
  }
  void cut_without_order()
  {
    for (std::size_t cut = 0; cut < diagonals_.size(); ++cut)
    {
      std::int64_t before = diagonals_[cut];
      for (std::size_t run = 0; run < num_runs(); ++run)
      {
        const std::int64_t size = (std::min)(before, sizes_[run]);
        brackets_[cut][run] = {size, size};
        before -= size;
      }
    }
  }

  // ---- Rounds of samples. A message has the first and the last key of each piece, then the samples ----

  std::size_t sample_bytes() const
  {
    return static_cast<std::size_t>(2 * num_sequences_ + num_samples_) * sizeof(Key);
  }
  /// The bytes of the first and last keys of a number of pieces.
  static constexpr std::size_t end_key_bytes(int pieces)
  {
    return 2 * static_cast<std::size_t>(pieces) * sizeof(Key);
  }
  /// In the first round the brackets of all cuts are the same, and are sampled once.
  std::size_t sampled_cuts() const
  {
    return round_ == 0 ? 1 : diagonals_.size();
  }
  std::int64_t max_samples_of_cut() const
  {
    return num_samples_ / static_cast<std::int64_t>(sampled_cuts());
  }
  std::int64_t width(std::size_t cut, std::size_t run) const
  {
    return brackets_[cut][run].end - brackets_[cut][run].begin;
  }
  std::int64_t step(std::size_t cut, int rank) const
  {
    std::int64_t sum = 0;
    for (int sequence = 0; sequence < num_sequences_; ++sequence)
    {
      sum += width(cut, run_of(sequence, rank));
    }
    return detail::sample_step(sum, max_samples_of_cut());
  }
  std::int64_t num_samples(std::size_t cut, int sequence, int rank) const
  {
    return detail::samples_of(width(cut, run_of(sequence, rank)), step(cut, rank));
  }
  void write_samples(unsigned char* content)
  {
    key_buffer_.resize(2 + num_samples_);
    unsigned char* const samples = content + end_key_bytes(num_sequences_);
    for (int sequence = 0; sequence < num_sequences_; ++sequence)
    {
      // 1. Where the keys are.
      const distributed_piece<Key>& piece = pieces_[static_cast<std::size_t>(sequence)];
      if (piece.size == 0)
      {
        continue;
      }
      positions_.assign({0, piece.size - 1});
      for (std::size_t cut = 0; cut < sampled_cuts(); ++cut)
      {
        const std::int64_t begin = brackets_[cut][run_of(sequence, rank_)].begin;
        const std::int64_t distance = step(cut, rank_);
        const std::int64_t count = num_samples(cut, sequence, rank_);
        for (std::int64_t i = 1; i <= count; ++i)
        {
          positions_.push_back(begin + i * distance - 1);
        }
      }

      // 2. Read them all, and put each to its place.
      piece.read(positions_.data(), static_cast<std::int64_t>(positions_.size()), key_buffer_.data());
      const auto* next = reinterpret_cast<const unsigned char*>(key_buffer_.data());
      const auto put = [&](unsigned char* place, std::int64_t count)
      {
        std::memcpy(place, next, static_cast<std::size_t>(count) * sizeof(Key));
        next += static_cast<std::size_t>(count) * sizeof(Key);
      };
      put(content + end_key_bytes(sequence), 2);
      for (std::size_t cut = 0; cut < sampled_cuts(); ++cut)
      {
        put(
          samples + static_cast<std::size_t>(samples_before(cut, sequence, rank_)) * sizeof(Key),
          num_samples(cut, sequence, rank_));
      }
    }
  }
  /// Where a rank's samples of a cut and sequence are among its samples.
  std::int64_t samples_before(std::size_t cut, int sequence, int rank) const
  {
    std::int64_t before = static_cast<std::int64_t>(cut) * max_samples_of_cut();
    for (int earlier = 0; earlier < sequence; ++earlier)
    {
      before += num_samples(cut, earlier, rank);
    }
    return before;
  }
  void read_samples(const detail::rank_messages& messages)
  {
    // 1. Copy the keys to where they are aligned.
    const std::size_t begin = sizeof(detail::rank_status) + end_key_bytes(num_sequences_);
    for (int rank = 0; rank < num_ranks_; ++rank)
    {
      std::memcpy(
        static_cast<void*>(samples_.data() + rank * num_samples_), messages.of(rank) + begin,
        static_cast<std::size_t>(num_samples_) * sizeof(Key));
    }
    if (round_ == 0 && order_ == piece_order::ascending_by_rank)
    {
      require_ascending(messages);
    }

    // 2. Narrow the brackets of each cut.
    std::vector<std::vector<detail::sampled_bracket<Key>>> sampled(sampled_cuts());
    for (std::size_t cut = 0; cut < sampled.size(); ++cut)
    {
      for (int sequence = 0; sequence < num_sequences_; ++sequence)
      {
        for (int rank = 0; rank < num_ranks_; ++rank)
        {
          sampled[cut].push_back(
            {samples_.data() + rank * num_samples_ + samples_before(cut, sequence, rank),
             num_samples(cut, sequence, rank), step(cut, rank), width(cut, run_of(sequence, rank))});
        }
      }
    }
    std::vector<detail::bracket_part> parts;
    for (std::size_t cut = 0; cut < diagonals_.size(); ++cut)
    {
      std::vector<detail::bracket_part>& brackets = brackets_[cut];
      std::int64_t target = diagonals_[cut];
      for (const detail::bracket_part& bracket : brackets)
      {
        target -= bracket.begin;
      }
      detail::bracket_search<Key, Compare>(sampled[sampled.size() == 1 ? 0 : cut], comp_).narrow(target, parts);
      for (std::size_t run = 0; run < brackets.size(); ++run)
      {
        brackets[run] = {brackets[run].begin + parts[run].begin, brackets[run].begin + parts[run].end};
      }
    }
    if (round_ + 1 == num_rounds_)
    {
      require_exact_cuts();
    }
  }
  /// Of each sequence, the first key of a rank is not before the last one of a lower rank.
  void require_ascending(const detail::rank_messages& messages)
  {
    key_buffer_.resize(2);
    Key* const key = key_buffer_.data();
    for (int sequence = 0; sequence < num_sequences_; ++sequence)
    {
      int last = -1;
      for (int rank = 0; rank < num_ranks_; ++rank)
      {
        if (sizes_[run_of(sequence, rank)] > 0)
        {
          const std::size_t place = sizeof(detail::rank_status) + end_key_bytes(sequence);
          std::memcpy(static_cast<void*>(key), messages.of(rank) + place, sizeof(Key));
          if (last >= 0)
          {
            std::memcpy(static_cast<void*>(key + 1), messages.of(last) + place + sizeof(Key), sizeof(Key));
            if (comp_(key[0], key[1]))
            {
              throw std::invalid_argument(
                "mgpu::" + call_ + ": the pieces of sequence " + std::to_string(sequence)
                + " do not ascend by rank: the first element of rank " + std::to_string(rank)
                + " goes before the last one of rank " + std::to_string(last));
            }
          }
          last = rank;
        }
      }
    }
  }
  /// The brackets are empty now, unless keys were not in order.
  void require_exact_cuts() const
  {
    for (std::size_t cut = 0; cut < diagonals_.size(); ++cut)
    {
      std::int64_t before = 0;
      bool is_exact = true;
      for (std::size_t run = 0; run < num_runs(); ++run)
      {
        before += brackets_[cut][run].begin;
        is_exact =
          is_exact && width(cut, run) == 0 && (cut == 0 || brackets_[cut - 1][run].begin <= brackets_[cut][run].begin);
      }
      if (!is_exact || before != diagonals_[cut])
      {
        throw std::invalid_argument(
          "mgpu::" + call_ + ": a piece is not sorted, or the comparator is no strict weak order");
      }
    }
  }

  // ---- The last round ----

  std::uint64_t hash_of_cuts() const
  {
    detail::byte_hash hash;
    for (const std::vector<detail::bracket_part>& brackets : brackets_)
    {
      for (const detail::bracket_part& bracket : brackets)
      {
        hash.add(bracket.begin);
      }
    }
    return hash.value();
  }
  void require_same_cuts(const detail::rank_messages& messages)
  {
    for (int rank = 1; rank < num_ranks_; ++rank)
    {
      if (messages.head<detail::rank_status>(rank).cuts != messages.head<detail::rank_status>(0).cuts)
      {
        fail_everywhere("ranks find different cuts, so their comparators differ");
      }
    }
  }

  std::string call_;
  int rank_;
  int num_ranks_;
  int num_sequences_;
  std::vector<distributed_piece<Key>> pieces_;
  std::int64_t result_size_;
  Compare comp_;
  piece_order order_;
  std::int64_t max_samples_;
  std::size_t max_bytes_;
  std::uint64_t signature_;

  phase phase_ = phase::sizes;
  std::exception_ptr failure_;
  int num_rounds_ = 0;
  int round_ = 0;
  std::int64_t num_samples_ = 0;                            ///< in a rank's message
  std::vector<std::int64_t> sizes_;                         ///< of runs
  std::vector<std::int64_t> diagonals_;                     ///< elements before each cut
  std::vector<std::vector<detail::bracket_part>> brackets_; ///< of each cut, in each run
  std::vector<std::int64_t> positions_;
  detail::key_buffer<Key> key_buffer_;
  detail::key_buffer<Key> samples_; ///< of all ranks
};

/// @}
MGPU_THRUST_NAMESPACE_END
