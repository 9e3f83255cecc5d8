// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Set operations and merges on the CPU backends: one pass over pieces that the balanced path or the merge path cuts.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_executors.h>
#include <mgpu_thrust/detail/execute/cpu_placed_pieces.h>
#include <mgpu_thrust/detail/set_operation/adaptive.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

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
