// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Writes a tile from shared memory to an output.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/word_of_size.h>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>

#include <cuda/ptx>

#include <cstdint>
#include <iterator>
#include <new>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Writes a tile of values, by all `Threads` threads of a block. From sm_90 on a bulk copy (TMA) writes to plain
/// memory. For that, the values' addresses in shared memory equal those in global memory modulo 16: the first value is
/// shift() values after a boundary.
template <int Threads, class Value, class Output>
class tile_store
{
  static constexpr int granule = 16;
  static constexpr bool fits_granules =
    granule % sizeof(Value) == 0 && std::is_trivially_copyable_v<Value> && std::is_same_v<Output, Value*>;

public:
  /// Upper bound of shift(), in values and in bytes.
  static constexpr int max_shift = granule;

  MGPU_THRUST_DEVICE explicit tile_store(Output to)
      : to_(to)
  {
  }

  MGPU_THRUST_DEVICE int shift() const
  {
    if constexpr (fits_granules)
    {
      return is_bulk() ? static_cast<int>(address() % granule / sizeof(Value)) : 0;
    }
    else
    {
      return 0;
    }
  }

  /// Called by all threads between their writes of the values to shared memory and the barrier after these.
  MGPU_THRUST_DEVICE static void fence_writes()
  {
    if constexpr (fits_granules)
    {
      tile_loader<Threads>::fence_writes();
    }
  }

  /// Writes the tile; called by all threads after fence_writes() and a barrier. The values are in use until the next
  /// barrier.
  MGPU_THRUST_DEVICE void write(const staged_t<Value>* values, int count) const
  {
    if constexpr (fits_granules)
    {
      if (is_bulk())
      {
        NV_IF_TARGET(NV_PROVIDES_SM_90, (write_granules(reinterpret_cast<const Value*>(values), count); return;))
      }
    }
    const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 4
    for (int i = thread; i < count; i += Threads)
    {
      *(to_ + i) = detail::staged_value(values[i]);
    }
  }

private:
  MGPU_THRUST_DEVICE std::uintptr_t address() const
  {
    return reinterpret_cast<std::uintptr_t>(to_);
  }
  MGPU_THRUST_DEVICE bool is_bulk() const
  {
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (return address() % sizeof(Value) == 0;), (return false;))
  }

  /// The first thread starts a bulk copy of whole granules. The first warp writes the values before and after them.
  MGPU_THRUST_DEVICE void write_granules(const Value* values, int count) const
  {
    constexpr int per_granule = granule / static_cast<int>(sizeof(Value));
    const int thread = static_cast<int>(threadIdx.x);
    const int head = (min) ((per_granule - shift()) % per_granule, count);
    const int tail = (count - head) % per_granule;
    const int middle = count - head - tail;
    if (thread < head)
    {
      to_[thread] = values[thread];
    }
    if (thread < tail)
    {
      to_[head + middle + thread] = values[head + middle + thread];
    }
    if (thread == 0 && middle > 0)
    {
      ::cuda::ptx::cp_async_bulk(
        ::cuda::ptx::space_global, ::cuda::ptx::space_shared, to_ + head, values + head,
        static_cast<std::uint32_t>(middle * static_cast<int>(sizeof(Value))));
      ::cuda::ptx::cp_async_bulk_commit_group();
      ::cuda::ptx::cp_async_bulk_wait_group_read(::cuda::ptx::n32_t<0>{});
    }
  }

  Output to_;
};

/// Writes a tile of values of any size, by all `Threads` threads of a block. Trivially copyable values are copied as
/// bytes to plain memory, from sm_90 on by a bulk copy (TMA), before that by 16 bytes a thread. For that, addresses in
/// shared memory equal those in global memory modulo 16: the first value is shift() bytes after such a boundary.
/// (tile_store is for values of which 16 bytes hold a whole number, and shifts by values.)
template <int Threads, class Value, class Output>
class tile_bytes_store
{
  static constexpr bool copies_bytes = std::is_trivially_copyable_v<Value> && std::is_same_v<Output, Value*>;

public:
  MGPU_THRUST_DEVICE explicit tile_bytes_store(Output to)
      : to_(to)
  {
  }

  MGPU_THRUST_DEVICE int shift() const
  {
    if constexpr (copies_bytes)
    {
      return are_bytes() ? static_cast<int>(address() % 16) : 0;
    }
    else
    {
      return 0;
    }
  }
  /// Stores a value to its place in shared memory. `to` is the address of the first.
  MGPU_THRUST_DEVICE static void put(unsigned char* to, int i, const Value& value)
  {
    ::new (static_cast<void*>(reinterpret_cast<staged_t<Value>*>(to) + i)) staged_t<Value>{value};
  }
  /// Called by all threads between their writes of the values to shared memory and the barrier after these.
  MGPU_THRUST_DEVICE static void fence_writes()
  {
    if constexpr (copies_bytes)
    {
      tile_loader<Threads>::fence_writes();
    }
  }

  /// Writes the tile; called by all threads after fence_writes() and a barrier. The values are in use until the next
  /// barrier.
  MGPU_THRUST_DEVICE void write(const unsigned char* from, int count) const
  {
    const int thread = static_cast<int>(threadIdx.x);
    if constexpr (copies_bytes)
    {
      if (are_bytes())
      {
        write_bytes(from, count * static_cast<int>(sizeof(Value)));
        return;
      }
    }
    const auto* const values = reinterpret_cast<const staged_t<Value>*>(from);
#pragma unroll 4
    for (int i = thread; i < count; i += Threads)
    {
      *(to_ + i) = detail::staged_value(values[i]);
    }
  }

private:
  MGPU_THRUST_DEVICE std::uintptr_t address() const
  {
    return reinterpret_cast<std::uintptr_t>(to_);
  }
  /// Whether bytes are copied. Wide values have an alignment in shared memory that those in global memory may lack.
  MGPU_THRUST_DEVICE bool are_bytes() const
  {
    return !is_wide<Value> || address() % 16 == 0;
  }

  MGPU_THRUST_DEVICE void write_bytes(const unsigned char* from, int bytes) const
  {
    using word = aligned_word_t<Value>;
    auto* const to = reinterpret_cast<unsigned char*>(to_);
    const int head = (min) (-static_cast<int>(address()) & 15, bytes);
    const int tail = (bytes - head) & 15;
    const int middle = bytes - head - tail;
    const int thread = static_cast<int>(threadIdx.x);
    const int at = thread * static_cast<int>(sizeof(word));
    const auto copy_word = [&](int first)
    { *reinterpret_cast<word*>(to + first + at) = *reinterpret_cast<const word*>(from + first + at); };
    if (at < head)
    {
      copy_word(0);
    }
    if (at < tail)
    {
      copy_word(head + middle);
    }
    NV_IF_ELSE_TARGET(
      NV_PROVIDES_SM_90, (if (thread == 0 && middle > 0) {
        ::cuda::ptx::cp_async_bulk(
          ::cuda::ptx::space_global, ::cuda::ptx::space_shared, to + head, from + head,
          static_cast<std::uint32_t>(middle));
        ::cuda::ptx::cp_async_bulk_commit_group();
        ::cuda::ptx::cp_async_bulk_wait_group_read(::cuda::ptx::n32_t<0>{});
      }),
      (for (int i = thread * 16; i < middle; i += Threads * 16) {
        *reinterpret_cast<uint4*>(to + head + i) = *reinterpret_cast<const uint4*>(from + head + i);
      }))
  }

  Output to_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
