// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Set operations and merges on the CPU backends: one pass over pieces that the balanced path or the merge path cuts.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/system/cpu_executors.h>
#include <mgpu_thrust/system/cpu_placed_pieces.h>
#include <mgpu_thrust/thread/adaptive_set_operation.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of elements of a piece. Its inputs and the results that its worker holds stay in a core's second-level cache.
inline constexpr std::int64_t cpu_piece_elements = std::int64_t{1} << 15;

/// A set operation cut into pieces of cpu_piece_elements.
template <class Operation, class Inputs, class Compare>
struct set_pieces
{
  Inputs inputs;
  Compare comp;

  std::int64_t total() const
  {
    return inputs.a_count + inputs.b_count;
  }
  std::int64_t count() const
  {
    return detail::pieces_of(total(), cpu_piece_elements);
  }
  Inputs operator[](std::int64_t piece) const
  {
    const auto begin = cut(piece);
    const auto end = cut(piece + 1);
    const std::int64_t most = cpu_piece_elements + Operation::matches; // a starred diagonal adds one
    return inputs.piece(begin.a_index, begin.b_index, end.a_index, end.b_index, most);
  }

  /// The point where a piece begins and the one before it ends.
  balanced_path_point<std::int64_t> cut(std::int64_t piece) const
  {
    const std::int64_t diagonal = piece < count() ? piece * cpu_piece_elements : total();
    return detail::operation_path(Operation{}, inputs.a, inputs.a_count, inputs.b, inputs.b_count, diagonal, comp);
  }
};

/// Executes a set operation and writes its result. Returns the outputs advanced past it.
template <class Backend, class Policy, class Operation, class Inputs, class Outputs, class Compare>
Outputs run_set_operation(
  Backend backend, Policy& policy, const char* algorithm, Operation operation, const Inputs& inputs, Outputs outputs,
  Compare comp)
{
  if constexpr (!std::is_same_v<Backend, serial_backend>)
  {
    const set_pieces<Operation, Inputs, Compare> pieces{inputs, comp};
    const std::int64_t count = pieces.count();
    const auto executor = detail::executor_of(backend);
    const int workers = detail::useful_workers(executor, count);
    if constexpr (!Operation::matches)
    {
      // A merge's pieces have known output offsets, so each is written directly.
      const auto work = [&](int, piece_queue& queue)
      {
        Compare own_comp = comp;
        for (std::int64_t piece = queue.take(); piece >= 0; piece = queue.take())
        {
          const std::int64_t offset = piece * cpu_piece_elements;
          detail::write_set_operation(
            operation, pieces[piece], Outputs{outputs.keys + offset, outputs.values + offset}, own_comp);
        }
      };
      detail::run_workers(executor, workers, count, work);
      return {outputs.keys + pieces.total(), outputs.values + pieces.total()};
    }
    else if (workers > 1)
    {
      // Room for the result of a piece: its elements, one that a starred diagonal adds, one that a step writes and does
      // not keep. (The loop over all copies of a key stays within that, as it stops before the end.)
      using buffer = element_buffer<Inputs, has_values<decltype(outputs.values)>, std::int32_t>;
      constexpr std::int64_t capacity = cpu_piece_elements + 16;
      const std::int64_t size = detail::place_pieces<buffer>(
        executor, workers, count, policy, algorithm, capacity, detail::most_kept(operation, inputs), comp,
        [&](std::int64_t piece) { return pieces[piece]; },
        [&](buffer& result, Compare& own_comp) { detail::buffer_set_operation(operation, result, own_comp); },
        [&](buffer& result, std::int64_t offset)
        {
          Outputs at{outputs.keys + offset, outputs.values + offset};
          result.flush(operation, at);
        });
      return {outputs.keys + size, outputs.values + size};
    }
  }
  return detail::write_set_operation(operation, inputs, outputs, comp);
}

/// Counts the elements that a set operation keeps, in the same pieces as run_set_operation writes them: the two agree
/// whatever the order of the inputs is.
template <class Backend, class Policy, class Operation, class Inputs, class Compare>
std::int64_t
run_set_operation_size(Backend backend, Policy&, const char*, Operation operation, const Inputs& inputs, Compare comp)
{
  const set_pieces<Operation, Inputs, Compare> pieces{inputs, comp};
  const auto executor = detail::executor_of(backend);
  const int workers = detail::useful_workers(executor, pieces.count());
  if (workers == 1)
  {
    return detail::count_set_operation(operation, inputs, comp);
  }
  std::atomic<std::int64_t> size{0};
  const auto work = [&](int, piece_queue& queue)
  {
    Compare own_comp = comp;
    for (std::int64_t piece = queue.take(); piece >= 0; piece = queue.take())
    {
      size.fetch_add(detail::count_set_operation(operation, pieces[piece], own_comp), std::memory_order_relaxed);
    }
  };
  detail::run_workers(executor, workers, pieces.count(), work);
  return std::min(size.load(std::memory_order_relaxed), detail::most_kept(operation, inputs));
}

/// Whether a set operation keeps no element; stops at the first piece of which it keeps one.
template <class Backend, class Policy, class Operation, class Inputs, class Compare>
bool run_set_operation_empty(
  Backend backend, Policy&, const char*, Operation operation, const Inputs& inputs, Compare comp)
{
  const set_pieces<Operation, Inputs, Compare> pieces{inputs, comp};
  const auto executor = detail::executor_of(backend);
  std::atomic<bool> empty{true};
  const auto work = [&](int, piece_queue& queue)
  {
    Compare own_comp = comp;
    for (std::int64_t piece = queue.take(); piece >= 0; piece = queue.take())
    {
      if (detail::count_set_operation(operation, pieces[piece], own_comp) > 0)
      {
        empty.store(false, std::memory_order_relaxed);
        queue.stop();
      }
    }
  };
  detail::run_workers(executor, detail::useful_workers(executor, pieces.count()), pieces.count(), work);
  return empty.load(std::memory_order_relaxed);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
