// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The header of a call with deferred sizes: where it is, the kernel that fills it, and the kernels that read it.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The bytes of storage that the header of inputs takes: 0 where the host knows the sizes.
template <class Inputs>
std::size_t header_bytes()
{
  return is_deferred_v<Inputs> ? detail::round_up_storage(sizeof(size_header)) : 0;
}

/// Returns the inputs with a header at the begin of `storage` if they need one, and advances `storage` past it.
template <class Inputs>
const Inputs& with_header(const Inputs& inputs, void*&)
{
  return inputs;
}
template <class Inputs, class First, class Second>
deferred_inputs<Inputs, First, Second> with_header(const deferred_inputs<Inputs, First, Second>& inputs, void*& storage)
{
  auto with = inputs;
  with.header = static_cast<size_header*>(storage);
  storage = static_cast<char*>(storage) + detail::header_bytes<deferred_inputs<Inputs, First, Second>>();
  return with;
}

/// Returns the inputs for the kernels after the first, which read the sizes in the header.
template <class Inputs>
const Inputs& in_header(const Inputs& inputs)
{
  return inputs;
}
template <class Inputs, class First, class Second>
inputs_in_header<Inputs> in_header(const deferred_inputs<Inputs, First, Second>& inputs)
{
  return {inputs, inputs.header};
}
template <class Inputs>
using in_header_t = std::decay_t<decltype(detail::in_header(std::declval<const Inputs&>()))>;

/// Whether the address of a count may be that of a size: they overlap, or the size is not in plain memory.
template <class Count>
bool may_be_at(const Count*, std::int64_t)
{
  return false;
}
template <class Count, class CountIterator>
bool may_be_at([[maybe_unused]] const Count* count, [[maybe_unused]] const deferred<CountIterator>& size)
{
  if constexpr (std::is_pointer_v<CountIterator>)
  {
    const auto begin = reinterpret_cast<std::uintptr_t>(count);
    const auto read = reinterpret_cast<std::uintptr_t>(size.count);
    return begin < read + sizeof(*size.count) && read < begin + sizeof(Count);
  }
  else
  {
    return count != nullptr;
  }
}

/// Whether kernels may read the sizes of inputs where they are, while one of them stores *count, which may be null.
template <class Inputs, class Count>
bool may_read_in_place(const Inputs&, const Count*)
{
  return true;
}
template <class Inputs, class First, class Second, class Count>
bool may_read_in_place(const deferred_inputs<Inputs, First, Second>& inputs, const Count* count)
{
  return !detail::may_be_at(count, inputs.first_size) && !detail::may_be_at(count, inputs.second_size);
}

/// Calls launch(inputs) with the inputs for a kernel that reads their sizes in place, or else in the header.
template <class Inputs, class Launch>
cudaError_t launch_with_sizes([[maybe_unused]] bool in_place, const Inputs& inputs, Launch launch)
{
  if constexpr (is_deferred_v<Inputs>)
  {
    if (in_place)
    {
      return launch(inputs);
    }
  }
  return launch(detail::in_header(inputs));
}

/// Returns inputs with their actual sizes. Stores these in the header, with the number of tiles, tiles_of(inputs).
/// Called by all threads of the first kernel.
template <class Inputs, class First, class Second, class TilesOf>
MGPU_THRUST_DEVICE Inputs sized_into_header(const deferred_inputs<Inputs, First, Second>& inputs, TilesOf tiles_of)
{
  const std::int64_t first = detail::read_size(inputs.first_size);
  const std::int64_t second = detail::read_size(inputs.second_size);
  const Inputs now = inputs.with_sizes(first, second);
  if (blockIdx.x == 0 && threadIdx.x == 0)
  {
    *inputs.header = {first, second, static_cast<int>(tiles_of(now))};
  }
  return now;
}

/// Fills the header, in calls without a kernel that cuts.
template <class First, class Second>
MGPU_THRUST_KERNEL void read_sizes_kernel(First first, Second second, size_header* header)
{
  *header = {detail::read_size(first), detail::read_size(second), 0};
}

/// Queues read_sizes_kernel, if the host does not know the sizes.
template <class Inputs>
cudaError_t queue_header(const Inputs&, cudaStream_t)
{
  return cudaSuccess;
}
template <class Inputs, class First, class Second>
cudaError_t queue_header(const deferred_inputs<Inputs, First, Second>& inputs, cudaStream_t stream)
{
  return detail::launch_kernel(
    detail::read_sizes_kernel<First, Second>, 1, 1, false, stream, inputs.first_size, inputs.second_size,
    inputs.header);
}

/// Returns the number of blocks of a cooperative launch: `blocks`, or a spread_grid() if sizes are deferred, as the
/// host does not know how many blocks have work.
template <class Inputs>
int coresident_grid(int blocks, [[maybe_unused]] int max_blocks)
{
  if constexpr (is_deferred_v<Inputs>)
  {
    return detail::spread_grid(blocks, max_blocks);
  }
  else
  {
    return blocks;
  }
}
/// Returns the tile of a block of a coresident_grid().
template <class Inputs>
MGPU_THRUST_DEVICE int coresident_number()
{
  return is_deferred_v<Inputs> ? detail::spread_number() : static_cast<int>(blockIdx.x);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
