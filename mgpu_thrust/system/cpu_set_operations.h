// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Set operations on the CPU backends: one pass over pieces that the balanced path cuts.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/system/cpu_executors.h>
#include <mgpu_thrust/system/temporary_storage.h>
#include <mgpu_thrust/thread/adaptive_set_operation.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Elements of a piece. Its inputs and its buffered output stay in a core's second-level cache.
inline constexpr std::int64_t cpu_piece_elements = std::int64_t{1} << 16;

/// A set operation cut into pieces of cpu_piece_elements.
template <class Inputs, class Compare>
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
    return total() / cpu_piece_elements + (total() % cpu_piece_elements != 0);
  }
  Inputs operator[](std::int64_t piece) const
  {
    const auto begin = cut(piece);
    const auto end = cut(piece + 1);
    return inputs.piece(begin.a_index, begin.b_index, end.a_index, end.b_index, cpu_piece_elements + 1);
  }

private:
  balanced_path_point<std::int64_t> cut(std::int64_t piece) const
  {
    const std::int64_t diagonal = piece < count() ? piece * cpu_piece_elements : total();
    return mgpu::balanced_path(inputs.a, inputs.a_count, inputs.b, inputs.b_count, diagonal, comp);
  }
};

/// How many workers of an executor have work if there are so many pieces.
template <class Executor>
int useful_workers(const Executor& executor, std::int64_t pieces)
{
  return static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(executor.workers(), pieces)));
}

/// Runs a set operation and writes its result. Returns the outputs moved behind it.
template <class Backend, class Policy, class Operation, class Inputs, class Outputs, class Compare>
Outputs run_set_operation(
  Backend backend, Policy& policy, const char* algorithm, Operation operation, const Inputs& inputs, Outputs outputs,
  Compare comp)
{
  if constexpr (!std::is_same_v<Backend, serial_backend>)
  {
    const set_pieces<Inputs, Compare> pieces{inputs, comp};
    const auto executor = detail::executor_of(backend);
    const int workers = detail::useful_workers(executor, pieces.count());
    if (workers > 1)
    {
      // Room for the result of a piece: its elements, one that a star adds, one that a step writes and does not keep.
      using buffer = element_buffer<Inputs, has_values<decltype(outputs.values)>, std::int32_t>;
      constexpr std::int64_t capacity = cpu_piece_elements + 16;
      constexpr std::int64_t bytes = capacity * buffer::bytes_per_element;
      const temporary_storage<Policy> storage(policy, algorithm, workers * bytes);
      const std::int64_t size = detail::run_pieces(
        executor, workers, pieces.count(),
        [&](int worker, std::int64_t piece)
        {
          buffer output(pieces[piece], static_cast<unsigned char*>(storage.data()) + worker * bytes, capacity);
          Compare own_comp = comp;
          detail::buffer_set_operation(operation, output, own_comp);
          return output;
        },
        [&](buffer& output, std::int64_t offset)
        {
          Outputs at{outputs.keys + offset, outputs.values + offset};
          output.flush(operation, at);
        });
      return {outputs.keys + size, outputs.values + size};
    }
  }
  return detail::write_set_operation(operation, inputs, outputs, comp);
}

/// Counts what a set operation keeps.
template <class Backend, class Policy, class Operation, class Inputs, class Compare>
std::int64_t
run_set_operation_size(Backend backend, Policy&, const char*, Operation operation, const Inputs& inputs, Compare comp)
{
  const set_pieces<Inputs, Compare> pieces{inputs, comp};
  const auto executor = detail::executor_of(backend);
  return detail::run_pieces(
    executor, detail::useful_workers(executor, pieces.count()), pieces.count(),
    [&](int, std::int64_t piece)
    {
      Compare own_comp = comp;
      return count_sink{detail::count_set_operation(operation, pieces[piece], own_comp)};
    },
    [](count_sink, std::int64_t) {});
}

/// Whether a set operation keeps nothing; stops at the first piece of which it keeps something.
template <class Backend, class Policy, class Operation, class Inputs, class Compare>
bool run_set_operation_empty(
  Backend backend, Policy&, const char*, Operation operation, const Inputs& inputs, Compare comp)
{
  const set_pieces<Inputs, Compare> pieces{inputs, comp};
  const auto executor = detail::executor_of(backend);
  std::atomic<bool> empty{true};
  detail::run_pieces(
    executor, detail::useful_workers(executor, pieces.count()), pieces.count(),
    [&](int, std::int64_t piece)
    {
      Compare own_comp = comp;
      if (detail::count_set_operation(operation, pieces[piece], own_comp) == 0)
      {
        return count_sink{0};
      }
      empty.store(false, std::memory_order_relaxed);
      return count_sink{-1};
    },
    [](count_sink, std::int64_t) {});
  return empty.load(std::memory_order_relaxed);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
