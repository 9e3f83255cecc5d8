// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The passes over given runs on a CUDA device: the layout of their temporary storage, and their launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/cut/multiway_cut.cuh>
#include <mgpu_thrust/detail/execute/permute.cuh>
#include <mgpu_thrust/detail/multiway_merge/choice.h>
#include <mgpu_thrust/detail/multiway_merge/kernels.cuh>
#include <mgpu_thrust/detail/multiway_merge/runs_pass.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>
#include <mgpu_thrust/detail/tile/load/run_elements.cuh>
#include <mgpu_thrust/detail/tile/merge/merge_buffers.cuh>

#include <thrust/iterator/counting_iterator.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Assigns element i of an input to element i of a buffer.
template <class In, class Buffer>
struct fill_buffer
{
  In in;
  Buffer to;

  MGPU_THRUST_DEVICE void operator()(std::int64_t i)
  {
    to.keys[i] = detail::element(in.keys, i);
    if constexpr (has_values<decltype(Buffer::values)>)
    {
      to.values[i] = detail::value_of(in, i);
    }
  }
};

/// The kernel of a pass to an output: a key_value_range, or what a fold specialises this for.
template <class Out>
struct pass_kernel
{
  template <class Shapes, class From, class Compare>
  static cudaError_t
  launch(const From& from, const Out& to, const runs_pass& pass, const Compare& comp, cudaStream_t stream)
  {
    return detail::launch_kernel(
      detail::merge_runs_kernel<Shapes, From, Out, Compare>, static_cast<int>(pass.tiles), Shapes::merge::threads,
      kernels_can_overlap, stream, from, to, pass, comp);
  }
};

/// A merge of given runs from `In`, a key_value_range, to `Out`, by passes that merge groups of up to eight runs.
template <
  class In, class Out, class Compare,
  class Shapes = sort_shapes_t<typename merge_buffers<In, Out>::key, merge_buffers<In, Out>::values::bytes>>
class merge_of_runs
{
  using buffers_type = merge_buffers<In, Out>;
  using values = typename buffers_type::values;
  using buffer = typename buffers_type::buffer;
  using shapes = Shapes;

  static_assert(
    shapes::tile_items <= (std::numeric_limits<decltype(runs_tile::size)>::max)(), "runs_tile has the size of a tile");

  /// Whether the first pass reads the input. Otherwise it is copied to a buffer first.
  static constexpr bool reads_input =
    run_elements_of<decltype(In::keys)>::are_in_memory
    && (!buffers_type::has_values_too || run_elements_of<decltype(In::values)>::are_in_memory);

  struct storage_layout
  {
    storage_layout(std::int64_t count, const multiway_merge_choice& chosen)
    {
      const auto most = static_cast<std::size_t>(chosen.tiles);
      copy_at = buffers_type::bytes(count, chosen.passes - 1);
      parts_at = copy_at + (reads_input ? 0 : buffers_type::buffer_bytes(count));
      tiles_at = parts_at + detail::round_up_storage(most * max_ways * sizeof(run_part_of_tile));
      bytes = tiles_at + detail::round_up_storage(most * sizeof(runs_tile));
    }

    std::size_t copy_at; ///< of the input, after the buffers
    std::size_t parts_at;
    std::size_t tiles_at;
    std::size_t bytes;
  };

public:
  static std::size_t storage_bytes(std::int64_t count, const multiway_merge_choice& chosen)
  {
    return storage_layout(count, chosen).bytes;
  }

  /// Queues the merge. `size` is the number of elements, which may be deferred. `bounds` are as run_bounds.cuh has
  /// them.
  template <class Size>
  static cudaError_t launch(
    void* storage, const multiway_merge_choice& chosen, const In& in, const Out& out, const Size& size,
    std::int64_t num_runs, const std::int64_t* bounds, Compare comp, cudaStream_t stream)
  {
    const std::int64_t count = detail::capacity_of(size);
    const storage_layout layout(count, chosen);
    auto* const bytes = static_cast<unsigned char*>(storage);
    // Pass 0 fills the first source, as a block sort does in a sort. So the buffers count one pass less.
    const buffers_type buffers(bytes, out, count, chosen.passes - 1);
    const merges all{
      chosen.passes,
      num_runs,
      count,
      bounds,
      reinterpret_cast<runs_tile*>(bytes + layout.tiles_at),
      reinterpret_cast<run_part_of_tile*>(bytes + layout.parts_at),
      buffers,
      comp,
      stream};
    cudaError_t error = cudaSuccess;
    if constexpr (!reads_input)
    {
      const buffer copy = buffers_type::buffer_at(bytes + layout.copy_at, count);
      error = detail::queue_for_each<1>(size, fill_buffer<In, buffer>{in, copy}, stream);
      error = error == cudaSuccess ? all.queue(0, copy) : error;
    }
    else if constexpr (can_be_indices<decltype(In::values)>)
    {
      using indices = thrust::counting_iterator<typename values::type>;
      error = in.values == nullptr ? all.queue(0, key_value_range{in.keys, indices(0)}) : all.queue(0, in);
    }
    else
    {
      error = all.queue(0, in);
    }
    for (int number = 1; number < chosen.passes && error == cudaSuccess; ++number)
    {
      error = all.queue(number, buffers.source(number - 1));
    }
    return error;
  }

private:
  struct merges
  {
    int passes;
    std::int64_t num_runs;
    std::int64_t count;
    const std::int64_t* bounds;
    runs_tile* found;
    run_part_of_tile* parts;
    const buffers_type& buffers;
    Compare comp;
    cudaStream_t stream;

    /// Queues a pass: its cut, and its merge.
    template <class From>
    cudaError_t queue(int number, const From& from) const
    {
      const merge_pass runs = detail::pass_of_runs(num_runs, number);
      const runs_pass pass{bounds, runs, shapes::tile_items, detail::tiles_of_runs(count, runs, shapes::tile_items),
                           found,  parts};
      const cudaError_t error = detail::queue_multiway_cut(
        runs_to_cut<run_elements_of<decltype(From::keys)>, Compare>{{from.keys, count}, pass, comp}, stream);
      const auto merge = [&](const auto& to)
      { return pass_kernel<std::decay_t<decltype(to)>>::template launch<shapes>(from, to, pass, comp, stream); };
      if (error != cudaSuccess)
      {
        return error;
      }
      return number + 1 == passes ? merge(buffers.result()) : merge(buffers.source(number));
    }
  };
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
