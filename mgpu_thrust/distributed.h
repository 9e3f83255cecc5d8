// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup distributed Several ranks
/// Merges, set operations, searches, joins, segmented reductions and scans, and sorts of data whose pieces lie on
/// several ranks: threads, or processes, with memory of their own. This header is not part of
/// `mgpu_thrust/mgpu_thrust.h`.
///
/// **Policies.** mgpu::over(communicator, policy) is a policy for the ranks of a communicator. Each rank makes the same
/// call, with its local pieces and under a local policy, any CPU or CUDA policy, and gets its piece of the result. All
/// functions of mgpu_thrust take this policy; those that have no form for ranks yet fail to compile with a message that
/// says so. These have one:
/// - `merge`, `merge_by_key`: the pieces of each input *ascend by rank*, as if the input had been cut into them: no
///   element of a rank goes before one of a lower rank;
/// - `set_intersection`, `set_union`, `set_difference`, `set_symmetric_difference`, each `_by_key`, with a function of
///   the values of matches too, and each `_size`; `includes`: of pieces that ascend by rank;
/// - `sorted_lower_bound`, `sorted_upper_bound`: the pieces of the needles, and those of the haystack, ascend by rank;
/// - `asof_join`, in all directions: the pieces of the left rows, and those of the right rows, ascend by rank;
/// - `inner_join`, `left_join`, each `_size`, and mgpu::join_plan of either; `semi_join`, `anti_join`, each `_size`:
///   the pieces of both inputs ascend by rank;
/// - `segmented_reduce`, `segmented_inclusive_scan`, `segmented_exclusive_scan`: of items in pieces, whose segments may
///   go on from rank to rank;
/// - `sort`, `stable_sort`, `sort_by_key`, `stable_sort_by_key`: pieces are in any order;
/// - `merge_runs`, `multiway_merge`, each `_by_key`: of runs of which each rank has some;
/// - `rebalance`, in this header: divides a sequence anew.
///
/// **Semantics.** The result is that of the same call without ranks on the concatenation of all pieces in the order of
/// the ranks: stable, exact where keys are equal, and the same for any number of ranks. Its pieces ascend by rank. Each
/// rank of a merge or a sort gets as many elements as it brought, so the room for its piece is known before the call.
///
/// **Merges of runs.** The runs of rank 0 come first, then those of rank 1, and so on: equal elements are in the order
/// of rank, then run. A rank may have no run. It needs room for as many elements as its runs have, in contiguous memory
/// of the keys' and the values' types, where it first merges its own runs.
///
/// **Set operations.** Elements move as in a merge, but the two elements of a match never come to different ranks. Each
/// rank keeps what its elements give, and the call returns the end of this piece. A rank that brings `n` elements of
/// both ranges needs room for `m = n + 1`; for `m / 2` in an intersection. Pieces may have very different sizes, which
/// `rebalance` changes. Functions whose names end in `_size`, and `includes`, return the result of the whole on all
/// ranks.
///
/// **Searches.** A rank gets a bound for each needle that it brings: a number of elements of the whole haystack. They
/// are received where the output is, so that is contiguous memory of integers.
///
/// **As-of joins.** So does a rank get the row of each left row that it brings: an index in the whole right input, or
/// -1. Both inputs have elements of one type. `accept` and a distance are called where the rows meet, on any rank.
///
/// **Joins.** Rows are pairs of indices in the whole inputs, or -1. They stay where they arise: a rank gets as many
/// elements of both inputs as it brings, and joins them. The size of its mgpu::join_plan is the number of its rows, and
/// functions need room for as many. Where no two right keys are equal, a rank has at most as many rows as it brings
/// elements. The rows of a key that lies on several ranks are divided as its elements are. Of a key with `a` left and
/// `b` right elements, a rank that gets `n` of these gets n a b / (a + b) rows, rounded. So if all elements have one
/// key, each rank gets its share of all rows. No element is sent to two ranks, as these rows follow from numbers of
/// elements. To make a plan, all ranks exchange elements; to write its rows, a rank needs no other. A plan needs the
/// communicator as long as it lives. The result of a `_size` is below 2^59. Outputs of rows have random access.
///
/// **Semi and anti joins.** Row numbers are those in the whole left input. A rank needs room for as many as it brings
/// elements of both inputs.
///
/// **Segments.** A rank passes the offsets of the segments that begin in its piece, counted from the begin of the
/// piece. Items before the first of them, which need not be 0, belong to the last segment of lower ranks; of a rank
/// without offsets all do. A segment that begins where two pieces meet may be passed on either rank. A rank gets a
/// reduction for each offset that it passes, of all items of that segment on whatever ranks, and a result of a scan for
/// each of its items. No items move. Items and offsets are in contiguous memory, as is the output of a reduction.
/// Values of the accumulator type are trivially copyable and have a default constructor; the operator is called on the
/// host too. Operands are grouped by rank too, so sums of floating-point items may differ in the last digits from those
/// without ranks.
///
/// **Elements** are trivially copyable, and those of inputs are in contiguous memory: pointers, iterators of vectors.
/// Both inputs of a call have keys of one type. The comparator is called on the host too, and must be the same on all
/// ranks.
///
/// **Communicators.** Any type that has these members; ranks are numbers from 0 on, and `policy` is a local policy:
/// - `int rank() const`, `int size() const`: this rank, and the number of ranks;
/// - `all_gather(send, receive, bytes)`: gathers the same number of bytes of each rank, in memory of the host, to all
///   ranks, and returns when they are there;
/// - `group_start()`: begins a group of sends and receives;
/// - `send(policy, data, bytes, peer)`, `recv(policy, data, bytes, peer)`: add to the group a send, or a receive, of
///   memory that the policy can access; the peer may be this rank;
/// - `group_end(policy)`: executes the group, in the order of the stream of the policy. It may wait for it, too;
/// - `reserve(bytes)`, which may be missing: allocates what `all_gather` of up to so many bytes needs. Gathers of up to
///   512 bytes, by which all learn of its failure, need none;
/// - `abort()`, which may be missing: makes the other ranks throw where they wait for this one, now or later. A call
///   over ranks calls it when it fails on this rank where the others cannot know.
///
/// mgpu::thread_communicator is one, whose ranks are threads of one process; mgpu::nccl_communicator, in
/// `mgpu_thrust/distributed/nccl_communicator.cuh`, another one.
///
/// **Method.** Rounds of samples find exact cuts of all pieces (mgpu::distributed_cuts); each element is sent once, to
/// the rank that it belongs to, which merges what it receives, or executes the set operation, the join or the search on
/// it. Bounds then return to where the needles are from. As-of, semi and anti joins also send each rank the neighbours
/// of its right rows. A sort sorts each piece first, and a merge of runs merges those of each rank. A segmented
/// reduction or scan first reduces what the piece has of the segments at its two ends, and all ranks gather that.
///
/// **Complexity.** That of the local call for the elements of a rank; for R ranks at most 2 R sends and receives a rank
/// and range; the rounds of mgpu::distributed_cuts, at most four for up to 16 ranks, 2^30 elements each and keys of up
/// to 16 bytes, and two more of some hundred bytes. A set operation has one more, of 32 R bytes, as have inner and left
/// joins, and an as-of join to the nearest row. Where all ranks get a size there are two more, as in a search or a
/// join_plan. A segmented call has three messages in all, and reads items of segments at the ends of its piece once
/// more if it is a scan. Local calls are parallel if the policy is.
///
/// **Temporary storage.** From the local policy's allocator: room for the elements that a rank gets, and what the local
/// call takes; before that, what the local sort takes. A merge, a set operation, a join or a search on a GPU has room
/// for elements of other ranks only. A join_plan keeps what it has. A search also has room for the bounds of needles of
/// other ranks. On the host each of R ranks has 2 R + 2 times the samples of a message, which have up to 256 KiB, or 4
/// R keys for each input if that is more; and 8 bytes for each sample's position. With GPUs a rank also has 128 KiB of
/// page-locked memory, which later calls use again.
///
/// **Synchronisation.** Ranks wait for each other, on the host. Each makes its calls over one communicator in the same
/// order. When the call returns, the result is complete, and what was sent may be changed; under `par_nosync` both hold
/// in the order of the stream alone, but for set operations, semi and anti joins, which always wait.
///
/// **Exceptions.** Those of the local call, and std::invalid_argument on all ranks if their calls differ, or pieces do
/// not ascend by rank, as far as their first and last elements show. If a call fails on one rank before elements move,
/// as it has no memory, its sizes are wrong, or its comparator throws, it throws there, and on all other ranks
/// mgpu::rank_error, which says why. Outputs of merges, set operations, joins and searches are unchanged then, those of
/// merges of runs unspecified, and pieces of sorts may be sorted, each for itself. Where the comparator has thrown, a
/// sort leaves elements of this rank's piece alone, but some may be there twice, others be missing, and values need not
/// belong to their keys: to keep all elements, sort a copy. Temporary storage is allocated before elements move, but
/// for the buffers of a CPU's workers in a set operation or a join, for a join_plan, and in the last merge of a sort.
/// - If one fails as it sets up the call, before its first message, or while elements move, it calls the communicator's
///   abort(), so others that wait for it throw; without abort() they go on waiting. There outputs of merges, joins and
///   set operations are unchanged, pieces of sorts are sorted each for itself, and outputs of searches and rebalance()
///   are unspecified; on ranks that needed nothing of it the call may succeed.
/// - If one fails in its last merge, or in the set operation or join of what it has received, it alone throws. Its
///   comparator throws then, a CPU has no memory for the buffers, or a kernel fails. Its piece of the result is
///   unspecified; the others have theirs. Inputs of merges, joins and set operations are unchanged; of a sort, the
///   elements that this rank had received are lost. Functions that return the result of the whole throw on all ranks,
///   as do the constructor of a join_plan, and searches, whose outputs are then unspecified.
/// - If a rank's function returns without a call of the others, ranks that wait for it throw mgpu::rank_error with its
///   number. mgpu::run_on_threads and mgpu::run_on_gpus see the return; of other threads mgpu::thread_group::leave()
///   tells. Over other communicators ranks go on waiting, until a timeout if there is one.
///
/// Segmented calls throw std::invalid_argument on all ranks if items are before the first segment of all. If a
/// reduction of the ends of a piece fails, all throw. Outputs are unchanged then. If the rest fails on a rank, it alone
/// throws.
///
/// **Broken preconditions.** Where an input is not sorted by `comp`, or the order is none, the result is unspecified,
/// or std::invalid_argument is thrown on all ranks; the call ends, and writes nothing outside of the room that is
/// stated.
///
/// **Source.** The method of the cuts is ours. Sorts that cut runs exactly are in D. Cheng, A. Edelman, J. Gilbert, V.
/// Shah: A Novel Parallel Sorting Algorithm for Contemporary Architectures (2007).
///
/// @code{.cpp}
/// const std::vector<std::vector<int>> orders{{1, 3}, {3, 5}}, items{{3, 3}, {4, 5}}; // sorted keys, on two ranks
/// std::vector<std::vector<std::int64_t>> order(2), item(2);
/// mgpu::run_on_threads(
///   2,
///   [&](mgpu::thread_communicator& comm)
///   {
///     const std::vector<int>& left = orders[comm.rank()];
///     const std::vector<int>& right = items[comm.rank()];
///     const mgpu::join_plan plan(
///       mgpu::over(comm, thrust::seq), mgpu::inner_join_t{}, left.begin(), left.end(), right.begin(), right.end());
///     order[comm.rank()].resize(plan.size());
///     item[comm.rank()].resize(plan.size());
///     plan.fill(order[comm.rank()].begin(), item[comm.rank()].begin());
///   });
/// assert((order == std::vector<std::vector<std::int64_t>>{{1, 1, 2}, {2, 3}})); // indices in all orders
/// assert((item == std::vector<std::vector<std::int64_t>>{{0, 1, 0}, {1, 3}}));
/// @endcode

#include <mgpu_thrust/asof_join.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/join.h>
#include <mgpu_thrust/detail/distributed/rebalance.h>
#include <mgpu_thrust/detail/distributed/segments.h>
#include <mgpu_thrust/detail/distributed/semi_join.h>
#include <mgpu_thrust/detail/distributed/set_operation.h>
#include <mgpu_thrust/detail/distributed/sort.h>
#include <mgpu_thrust/detail/distributed/sorted_search.h>
#include <mgpu_thrust/distributed/cuts.h>
#include <mgpu_thrust/distributed/rank_error.h>
#include <mgpu_thrust/distributed/thread_communicator.h>
#include <mgpu_thrust/join.h>
#include <mgpu_thrust/merge.h>
#include <mgpu_thrust/multiway_merge.h>
#include <mgpu_thrust/segmented_reduce.h>
#include <mgpu_thrust/segmented_scan.h>
#include <mgpu_thrust/set_operations.h>
#include <mgpu_thrust/sort.h>
#include <mgpu_thrust/sorted_search.h>

#include <thrust/execution_policy.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup distributed
/// @{

/// Returns a policy for the ranks of a communicator.
///
/// @param communicator the communicator; it must outlive the policy
/// @param exec         execution policy that each rank executes its part under
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<std::vector<int>> pieces{{7, 1, 8}, {2, 8}, {1, 3}};
/// mgpu::run_on_threads(
///   3,
///   [&](mgpu::thread_communicator& comm)
///   {
///     std::vector<int>& mine = pieces[comm.rank()];
///     mgpu::sort(mgpu::over(comm, thrust::seq), mine.begin(), mine.end());
///   });
/// assert((pieces == std::vector<std::vector<int>>{{1, 1, 2}, {3, 7}, {8, 8}}));
/// @endcode
template <class Communicator, class Policy>
detail::distributed_policy<Communicator, Policy>
over(Communicator& communicator, const thrust::execution_policy<Policy>& exec)
{
  return detail::distributed_policy<Communicator, Policy>(communicator, detail::derived(exec));
}

/// Divides a sequence among ranks anew: rank 0 gets the first elements, rank 1 the next ones, and so on. Each element
/// is sent once, unless it stays.
///
/// @param exec        policy that mgpu::over() has made
/// @param first,last  this rank's piece
/// @param result      start of the output, of result_size elements in contiguous memory, which must not overlap the
///   piece
/// @param result_size number of elements that this rank is to have, in total the number of elements of all pieces
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<std::vector<int>> pieces{{1, 2, 3, 4, 5}, {}, {6, 7}};
/// std::vector<std::vector<int>> even(3);
/// mgpu::run_on_threads(
///   3,
///   [&](mgpu::thread_communicator& comm)
///   {
///     const auto ranks = mgpu::over(comm, thrust::seq);
///     const std::vector<int>& mine = pieces[comm.rank()];
///     std::vector<int>& out = even[comm.rank()];
///     out.resize(mgpu::rebalanced_size(ranks, mine.size()));
///     mgpu::rebalance(ranks, mine.begin(), mine.end(), out.begin(), out.size());
///   });
/// assert((even == std::vector<std::vector<int>>{{1, 2, 3}, {4, 5}, {6, 7}}));
/// @endcode
template <class Communicator, class Policy, class InputIterator, class OutputIterator>
OutputIterator rebalance(
  const detail::distributed_policy<Communicator, Policy>& exec, InputIterator first, InputIterator last,
  OutputIterator result, std::int64_t result_size)
{
  detail::rebalance(
    detail::derived(exec), detail::unwrap(first), detail::length_of(first, last), detail::unwrap(result), result_size);
  return result + result_size;
}

/// Returns how many elements this rank has after an even division: all ranks have as many, or the first ones one more.
/// All ranks call it.
///
/// @param exec policy that mgpu::over() has made
/// @param size number of elements that this rank has now
/// @since 1.0
///
/// @code{.cpp}
/// std::atomic<std::int64_t> of_rank_0{0};
/// mgpu::run_on_threads(
///   2,
///   [&](mgpu::thread_communicator& comm)
///   {
///     const std::int64_t mine = comm.rank() == 0 ? 0 : 5; // elements
///     const std::int64_t even = mgpu::rebalanced_size(mgpu::over(comm, thrust::seq), mine);
///     of_rank_0 += comm.rank() == 0 ? even : 0;
///   });
/// assert(of_rank_0 == 3); // and rank 1 has 2
/// @endcode
template <class Communicator, class Policy>
std::int64_t rebalanced_size(const detail::distributed_policy<Communicator, Policy>& exec, std::int64_t size)
{
  return detail::rebalanced_size(exec.communicator(), size);
}

/// @}
MGPU_THRUST_NAMESPACE_END
