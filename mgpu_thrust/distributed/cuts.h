// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Exact cuts of sorted sequences whose pieces lie on several ranks, over any transport.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/sampled_brackets.h>
#include <mgpu_thrust/distributed/rank_error.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

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
/// @since 1.0
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
/// @since 1.0
enum class piece_order
{
  /// Each piece is sorted.
  sorted,
  /// Each piece is sorted, and no element goes before one of the same sequence on a lower rank.
  ascending_by_rank
};

/// The path that cuts over ranks lie on.
/// @since 1.0
enum class cut_path
{
  /// The merge path: elements in the order (key, sequence, rank, index).
  merge,
  /// The balanced path of two sequences: the k-th copy of a key in the first is just before the k-th copy in the
  /// second, where copies are in the order (rank, index), and no cut is between these two: see mgpu::balanced_path.
  balanced,
  /// The merge path of two sequences. A round more tells where the copies of keys at the cuts are: see copies().
  merge_and_copies
};

/// Where the copies of a key are in two sequences: from the begins up to, but not including, the ends.
/// @since 1.0
struct key_copies
{
  std::int64_t a_begin;
  std::int64_t a_end;
  std::int64_t b_begin;
  std::int64_t b_end;
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
/// Messages of samples have up to this size, unless ranks are many.
inline constexpr std::size_t usual_message_bytes = std::size_t{1} << 18;

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

/// Stands for element i of a sequence where all that matters is how it compares with one key: 0 if it is before the
/// key, 1 for a copy, 2 if it is after it.
struct level_of_element
{
  std::int64_t copies_begin;
  std::int64_t copies_end;

  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t i) const
  {
    return (i >= copies_begin) + (i >= copies_end);
  }
  auto iterator() const
  {
    return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), *this);
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
  /// Copies a key, whose address may not be aligned.
  void set(std::size_t index, const void* key)
  {
    std::memcpy(&keys_[index], key, sizeof(Key));
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
/// On the merge path all elements are ordered by (key, sequence, rank, index). So the cuts are exact where keys are
/// equal, and the order is that of a stable merge. Each rank says how many elements of that order it wants; rank 0 gets
/// the first ones, rank 1 the next ones, and so on. When all is done each rank knows which part of each of its pieces
/// goes to which rank, and how many elements of each sequence it receives from each. Keys are trivially copyable.
///
/// **Balanced path.** If two sequences are cut on the balanced path, both elements of a match, the k-th copies of a key
/// in the two sequences, come to the same rank. So ranks can execute a set operation on what they receive, each for
/// itself, and the results, one after the other, are that of the whole. A cut that would divide a match is starred: the
/// element of the second sequence comes to the lower rank, which gets one more than it wants; the rank above the cut
/// gets one fewer.
///
/// **Rounds.** In a round each rank writes a message, of the same size on all ranks; all messages, in the order of the
/// ranks, are read by every rank. The first round has sizes, and tells whether the calls of all ranks agree. Rounds of
/// samples follow: a fixed number, that of max_sample_rounds(), which the sizes determine. If there are any, one round
/// of counts follows unless the path is cut_path::merge. The last round confirms that no rank has failed and that all
/// have found the same cuts. So a rank that has failed, in read() of a piece, in the comparator, or by fail(), takes
/// part up to the next round, after which all ranks throw: none waits for another.
///
/// @tparam Key     type of the keys, trivially copyable
/// @tparam Compare strict weak order, called on the host
/// @since 1.0
///
/// Complexity: a message has up to `max_bytes` bytes of samples. In each of these rounds each of R ranks, for each of
/// R - 1 cuts of S sequences, takes O((R S log(n))^2) comparisons of n samples at most, and usually a small multiple of
/// R S log(n)^2. In a round of samples read() of a piece is called once; in that of counts once if a cut's key has few
/// copies, and O(log(m)) times at most, where m is the size of the piece.
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
  static constexpr std::size_t default_max_bytes = detail::usual_message_bytes;

  /// @param call        name of the call, the same on all ranks; it is in messages of errors
  /// @param rank        this rank
  /// @param num_ranks   number of ranks
  /// @param pieces      this rank's piece of each sequence, of 1 to 8 sequences, the same number on all ranks
  /// @param result_size number of elements that this rank is to get: the sum of all ranks' is the number of elements
  /// @param comp        strict weak order, the same on all ranks
  /// @param order       what is needed of the pieces, and checked by their first and last keys
  /// @param max_bytes   limit of the samples in a message, the same on all ranks
  /// @param signature   hash of what else must be the same on all ranks, such as the type of values
  /// @param path        the path of the cuts, the same on all ranks; but for cut_path::merge it needs two sequences
  distributed_cuts(
    std::string call, int rank, int num_ranks, std::vector<distributed_piece<Key>> pieces, std::int64_t result_size,
    Compare comp, piece_order order = piece_order::sorted, std::size_t max_bytes = default_max_bytes,
    std::uint64_t signature = 0, cut_path path = cut_path::merge)
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
      , path_(path)
  {
    if (rank < 0 || rank >= num_ranks || num_sequences_ < 1 || num_sequences_ > detail::rank_sizes::max_sequences)
    {
      throw std::invalid_argument("mgpu::distributed_cuts: no such rank, or not 1 to 8 sequences");
    }
    if (path != cut_path::merge && (num_sequences_ != 2 || std::is_same_v<Compare, detail::no_order>) )
    {
      throw std::invalid_argument("mgpu::distributed_cuts: this path is one of two sequences in an order");
    }
  }

  /// Returns the number of rounds of samples that find all cuts, whatever the keys are. After a round in which each cut
  /// has s samples a rank, the brackets of w elements around it have 2 S floor((w - 1) / s) at most
  /// (detail/cut/sampled_brackets.h has the proof). The cuts share the samples but in the first round, when their
  /// brackets are the same. The number is the same for both paths: after the last of these rounds the cuts on the merge
  /// path are known, and the first key of the second sequence after each of them, from which one round of counts finds
  /// the balanced path, however many copies of it there are. Complexity: O(log(num_elements)).
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
  /// Throws what this rank has failed by, if it has: for a rank whose messages cannot reach the others. Complexity:
  /// O(1).
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
  /// Returns whether the cuts are known, and the round that confirms them is next: the moment to allocate what is
  /// needed for receiving, in catch_failure(). Complexity: O(1).
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
                                  : sizeof(detail::rank_status)
                                      + (phase_ == phase::samples  ? sample_bytes(num_samples_)
                                         : phase_ == phase::counts ? count_bytes()
                                                                   : 0);
  }
  /// Returns the size that no message will exceed, known before the first round, for those who allocate memory in
  /// advance. Complexity: O(1).
  std::size_t max_message_bytes() const
  {
    return (std::max)(
      sizeof(detail::rank_sizes), sizeof(detail::rank_status) + (std::max)(sample_bytes(max_samples_), count_bytes()));
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
  /// @throws std::invalid_argument on all ranks, if their calls differ, or pieces are not in order, as far as this
  ///   shows
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
      phase_ = ++round_ < num_rounds_ ? phase::samples : counts_copies() ? phase::counts : phase::confirmation;
      break;
    case phase::counts:
      require_same_cuts(received);
      catch_failure([&] { read_counts(received); });
      phase_ = phase::confirmation;
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
  /// Returns the position in a rank's piece where the elements for this rank begin, when all is done. Complexity: O(1).
  ///
  /// @param sequence number of the sequence
  /// @param from     the rank that has the elements
  std::int64_t receive_begin(int sequence, int from) const
  {
    return cut(sequence, from, rank_);
  }
  /// Returns how many elements this rank gets from a rank, perhaps itself. Complexity: O(1).
  ///
  /// @param sequence number of the sequence
  /// @param from     the rank that has the elements
  std::int64_t receive_count(int sequence, int from) const
  {
    return cut(sequence, from, rank_ + 1) - cut(sequence, from, rank_);
  }

  /// Returns how many elements of a sequence go to ranks below a rank, when all is done. Complexity: O(num_ranks).
  ///
  /// @param sequence number of the sequence
  /// @param rank     a rank, or the number of ranks
  std::int64_t part_begin(int sequence, int rank) const
  {
    std::int64_t begin = 0;
    for (int from = 0; from < num_ranks_; ++from)
    {
      begin += cut(sequence, from, rank);
    }
    return begin;
  }
  /// Returns where the copies of a key are in the two sequences, when all is done: of the first key of the second
  /// sequence on ranks above a rank. If there is none, no element is a copy. The path is cut_path::merge_and_copies.
  /// Complexity: O(1).
  ///
  /// @param rank the rank, not the last one
  const key_copies& copies(int rank) const
  {
    return copies_[static_cast<std::size_t>(rank)];
  }

private:
  enum class phase
  {
    sizes,
    samples,
    counts, ///< of copies, unless the path is the merge path alone
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
  bool counts_copies() const
  {
    return path_ != cut_path::merge;
  }
  std::size_t num_cuts() const
  {
    return static_cast<std::size_t>(num_ranks_ - 1);
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
    case phase::counts:
      write_cuts(message);
      write_counts(message + sizeof(detail::rank_status));
      break;
    default:
      write_cuts(message);
    }
  }
  std::uint64_t hash_of_call() const
  {
    detail::byte_hash hash;
    hash.add(call_.data(), call_.size());
    hash.add(num_ranks_);
    hash.add(num_sequences_);
    hash.add(order_);
    hash.add(path_);
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

    // 2. The size of messages, without an allocation: as few samples as need no more rounds than the most do; and
    // fewer, for another round, where a rank would receive many.
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
        copies_.assign(diagonals_.size(), {});
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

  // ---- Rounds of samples. A message has the first and the last key of each piece; where copies are
  // ---- counted, for each cut, the key of the second sequence after its bracket, if there is one; and the samples ----

  std::size_t sample_bytes(std::int64_t samples) const
  {
    return samples_begin() + static_cast<std::size_t>(samples) * sizeof(Key);
  }
  std::size_t samples_begin() const
  {
    return end_key_bytes(num_sequences_) + (counts_copies() ? num_cuts() : 0) * sizeof(Key);
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
    key_buffer_.resize(2 + num_samples_ + static_cast<std::int64_t>(num_cuts()));
    unsigned char* const samples = content + samples_begin();
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

      const bool has_next_keys = counts_copies() && sequence == 1;
      for (std::size_t cut = 0; has_next_keys && cut < num_cuts(); ++cut)
      {
        positions_.push_back((std::min)(brackets_[cut][run_of(sequence, rank_)].end, piece.size - 1));
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
      if (has_next_keys)
      {
        put(content + end_key_bytes(num_sequences_), static_cast<std::int64_t>(num_cuts()));
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
    const std::size_t begin = sizeof(detail::rank_status) + samples_begin();
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
    std::vector<std::vector<detail::bracket_part>> parts(diagonals_.size());
    for (std::size_t cut = 0; cut < diagonals_.size(); ++cut)
    {
      std::vector<detail::bracket_part>& brackets = brackets_[cut];
      std::int64_t target = diagonals_[cut];
      for (const detail::bracket_part& bracket : brackets)
      {
        target -= bracket.begin;
      }
      detail::bracket_search<Key, Compare>(sampled[sampled.size() == 1 ? 0 : cut], comp_).narrow(target, parts[cut]);
      for (std::size_t run = 0; run < brackets.size(); ++run)
      {
        brackets[run] = {brackets[run].begin + parts[cut][run].begin, brackets[run].begin + parts[cut][run].end};
      }
    }
    if (round_ + 1 == num_rounds_)
    {
      require_exact_cuts();
      if (counts_copies())
      {
        find_next_keys(messages, sampled, parts);
      }
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
      for (std::size_t run = 0; run < num_runs(); ++run)
      {
        before += brackets_[cut][run].begin;
        require_order(width(cut, run) == 0);
      }
      require_order(before == diagonals_[cut]);
    }
    require_ascending_cuts();
  }
  void require_ascending_cuts() const
  {
    for (std::size_t cut = 1; cut < diagonals_.size(); ++cut)
    {
      for (std::size_t run = 0; run < num_runs(); ++run)
      {
        require_order(brackets_[cut - 1][run].begin <= brackets_[cut][run].begin);
      }
    }
  }
  void require_order(bool is_in_order) const
  {
    if (!is_in_order)
    {
      throw std::invalid_argument(
        "mgpu::" + call_ + ": a piece is not sorted, or the comparator is no strict weak order");
    }
  }

  // ---- The balanced path, from the merge path. It differs only in copies of the first key of the second sequence
  // ---- after the cut: how many of them are before the cut follows from how many each rank has ----

  std::size_t count_bytes() const
  {
    return counts_copies() ? num_cuts() * sizeof(key_copies) : 0;
  }
  /// Finds the first key of the second sequence after each cut, of all ranks. In the last round of samples each element
  /// of a bracket is one, so a cut is before a sample of this rank, or before the key that follows the bracket.
  void find_next_keys(
    const detail::rank_messages& messages, const std::vector<std::vector<detail::sampled_bracket<Key>>>& sampled,
    const std::vector<std::vector<detail::bracket_part>>& parts)
  {
    next_keys_.resize(static_cast<std::int64_t>(num_cuts()));
    next_key_ranks_.assign(num_cuts(), -1);
    key_buffer_.resize(1);
    for (std::size_t cut = 0; cut < num_cuts(); ++cut)
    {
      for (int rank = 0; rank < num_ranks_; ++rank)
      {
        const std::size_t run = run_of(1, rank);
        if (brackets_[cut][run].begin == sizes_[run])
        {
          continue;
        }
        const detail::sampled_bracket<Key>& bracket = sampled[sampled.size() == 1 ? 0 : cut][run];
        const std::int64_t sample = parts[cut][run].begin;
        if (sample < bracket.width)
        {
          key_buffer_.set(0, bracket.samples + sample);
        }
        else
        {
          key_buffer_.set(
            0, messages.of(rank) + sizeof(detail::rank_status) + end_key_bytes(num_sequences_) + cut * sizeof(Key));
        }
        if (next_key_ranks_[cut] < 0 || comp_(*key_buffer_.data(), next_keys_.data()[cut]))
        {
          next_keys_.set(cut, key_buffer_.data());
          next_key_ranks_[cut] = rank;
        }
      }
    }
  }
  /// A search in this rank's piece of a sequence for the end of the elements that are before a cut's next key or, if
  /// `is_upper`, are not after it: a position from `begin` to `end`.
  struct key_bound
  {
    std::size_t cut;
    bool is_upper;
    std::int64_t begin;
    std::int64_t end;
    std::int64_t num_probes;
  };
  /// Executes searches of a piece together: each reads the positions that all of them probe. Most keys have few copies,
  /// so a first probe is at distances of powers of 2 from the cut; after it, probes divide what is left evenly.
  void find_bounds(const distributed_piece<Key>& piece, std::vector<key_bound>& bounds)
  {
    const std::int64_t max_probes = num_samples_ / static_cast<std::int64_t>(2 * num_cuts());
    for (bool is_first = true;; is_first = false)
    {
      positions_.clear();
      for (key_bound& bound : bounds)
      {
        const auto before = static_cast<std::int64_t>(positions_.size());
        const std::int64_t width = bound.end - bound.begin;
        if (is_first)
        {
          for (std::int64_t distance = 1; distance <= width; distance *= 2)
          {
            positions_.push_back(bound.is_upper ? bound.begin + distance - 1 : bound.end - distance);
          }
          if (!bound.is_upper)
          {
            std::reverse(positions_.begin() + before, positions_.end());
          }
        }
        else
        {
          const std::int64_t distance = detail::sample_step(width, max_probes);
          for (std::int64_t i = 1; i <= detail::samples_of(width, distance); ++i)
          {
            positions_.push_back(bound.begin + i * distance - 1);
          }
        }
        bound.num_probes = static_cast<std::int64_t>(positions_.size()) - before;
      }
      if (positions_.empty())
      {
        return;
      }
      key_buffer_.resize(static_cast<std::int64_t>(positions_.size()));
      piece.read(positions_.data(), static_cast<std::int64_t>(positions_.size()), key_buffer_.data());
      const Key* probes = key_buffer_.data();
      const std::int64_t* positions = positions_.data();
      for (key_bound& bound : bounds)
      {
        const Key& key = next_keys_.data()[bound.cut];
        const std::int64_t before = detail::partition_point(
          std::int64_t{0}, bound.num_probes,
          [&](std::int64_t i)
          { return bound.is_upper ? !comp_(key, probes[i]) : static_cast<bool>(comp_(probes[i], key)); });
        bound.begin = before > 0 ? positions[before - 1] + 1 : bound.begin;
        bound.end = before < bound.num_probes ? positions[before] : bound.end;
        probes += bound.num_probes;
        positions += bound.num_probes;
      }
    }
  }
  void write_counts(unsigned char* content)
  {
    std::vector<key_bound> of_a;
    std::vector<key_bound> of_b;
    for (std::size_t cut = 0; cut < num_cuts(); ++cut)
    {
      const std::int64_t a = brackets_[cut][run_of(0, rank_)].begin;
      const std::int64_t b = brackets_[cut][run_of(1, rank_)].begin;
      const bool has_key = next_key_ranks_[cut] >= 0;
      const bool counts_all = has_key && path_ == cut_path::merge_and_copies;
      of_a.push_back({cut, false, has_key ? 0 : a, a, 0});
      of_a.push_back({cut, true, a, counts_all ? sizes_[run_of(0, rank_)] : a, 0});
      of_b.push_back({cut, false, has_key ? 0 : b, b, 0});
      of_b.push_back({cut, true, b, has_key ? sizes_[run_of(1, rank_)] : b, 0});
    }
    find_bounds(pieces_[0], of_a);
    find_bounds(pieces_[1], of_b);
    for (std::size_t cut = 0; cut < num_cuts(); ++cut)
    {
      const key_copies counts{
        of_a[2 * cut].begin, of_a[2 * cut + 1].begin, of_b[2 * cut].begin, of_b[2 * cut + 1].begin};
      std::memcpy(content + cut * sizeof(counts), &counts, sizeof(counts));
    }
  }
  void read_counts(const detail::rank_messages& messages)
  {
    std::vector<key_copies> of_ranks(static_cast<std::size_t>(num_ranks_));
    for (std::size_t cut = 0; cut < num_cuts(); ++cut)
    {
      // 1. The numbers of all ranks together.
      std::int64_t a_cut = 0;
      std::int64_t b_cut = 0;
      std::int64_t b_count = 0;
      key_copies all{};
      for (int rank = 0; rank < num_ranks_; ++rank)
      {
        key_copies& counts = of_ranks[static_cast<std::size_t>(rank)];
        std::memcpy(&counts, messages.of(rank) + sizeof(detail::rank_status) + cut * sizeof(counts), sizeof(counts));
        all.a_begin += counts.a_begin;
        all.a_end += counts.a_end;
        all.b_begin += counts.b_begin;
        all.b_end += counts.b_end;
        a_cut += brackets_[cut][run_of(0, rank)].begin;
        b_cut += brackets_[cut][run_of(1, rank)].begin;
        b_count += sizes_[run_of(1, rank)];
      }

      if (path_ == cut_path::merge_and_copies)
      {
        copies_[cut] = all;
        continue;
      }

      // 2. The point of the path. Up to it, elements of A that are not before the key are copies of it.
      const detail::level_of_element a{all.a_begin, INT64_MAX};
      const detail::level_of_element b{all.b_begin, all.b_end};
      const auto point = detail::balance(a.iterator(), a_cut, b.iterator(), b_count, b_cut, std::less<int>{});

      // 3. The copies before it are the first ones in the order of the ranks.
      std::int64_t a_copies = point.a_index - all.a_begin;
      std::int64_t b_copies = point.b_index - all.b_begin;
      const auto move_cut =
        [](detail::bracket_part& bracket, std::int64_t begin, std::int64_t end, std::int64_t& copies)
      {
        const std::int64_t here = (std::min)(copies, end - begin);
        bracket = {begin + here, begin + here};
        copies -= here;
      };
      for (int rank = 0; rank < num_ranks_; ++rank)
      {
        const key_copies& counts = of_ranks[static_cast<std::size_t>(rank)];
        detail::bracket_part& a_bracket = brackets_[cut][run_of(0, rank)];
        move_cut(a_bracket, counts.a_begin, a_bracket.begin, a_copies);
        move_cut(brackets_[cut][run_of(1, rank)], counts.b_begin, counts.b_end, b_copies);
      }
    }
    require_ascending_cuts();
  }

  // ---- The last round ----

  void write_cuts(unsigned char* message) const
  {
    detail::rank_status status{};
    status.cuts = hash_of_cuts();
    std::memcpy(message, &status, sizeof(status));
  }
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
    hash.add(next_key_ranks_.data(), next_key_ranks_.size() * sizeof(int));
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
  cut_path path_;

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
  detail::key_buffer<Key> samples_;   ///< of all ranks
  detail::key_buffer<Key> next_keys_; ///< of the second sequence after each cut
  std::vector<int> next_key_ranks_;   ///< that have them, or -1 after the last key
  std::vector<key_copies> copies_;    ///< of next keys, on all ranks
};

/// @}
MGPU_THRUST_NAMESPACE_END
