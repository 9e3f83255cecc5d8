// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The last pass of a merge of runs that folds elements with equal keys: its tile, and its kernel.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/uninitialized.cuh>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/driver/tile_offsets.cuh>
#include <mgpu_thrust/detail/multiway_merge/fold/serial.h>
#include <mgpu_thrust/detail/multiway_merge/runs_pass.cuh>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>
#include <mgpu_thrust/detail/tile/load/run_elements.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/merge/merge_pass_tile.cuh>
#include <mgpu_thrust/detail/tile/merge/moved_elements.cuh>
#include <mgpu_thrust/detail/tile/place/tile_store.cuh>
#include <mgpu_thrust/detail/tile/segments/block_segment_prefix.cuh>
#include <mgpu_thrust/detail/tile/segments/carry_group.cuh>
#include <mgpu_thrust/detail/tile/segments/served_carries.cuh>
#include <mgpu_thrust/detail/tile/segments/thread_items.cuh>
#include <mgpu_thrust/keep_all.h>

#include <cub/block/block_scan.cuh>

#include <thrust/iterator/discard_iterator.h>

#include <cuda/std/iterator>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A fold on a GPU. Keys and Values are iterators to the sequence of all runs, Values may be no_values. Sink is the
/// outputs. The merge moves keys, and values; or, instead of large ones, the index of their element.
template <class Keys, class Values, class Sink, class Op, class Keep>
struct device_fold
{
  using key = typename ::cuda::std::iterator_traits<Keys>::value_type;
  using T = typename folded_value<Values>::type;
  static constexpr bool has_values_too = has_values<Values>;
  static constexpr bool writes = has_values<decltype(Sink::keys)>;
  static constexpr bool drops = !std::is_same_v<Keep, keep_all>;
  static constexpr bool moves_keys = is_sorted_directly<key>;
  static constexpr bool moves_values = has_values_too && moves_keys && is_carried<T>;
  using key_slot = staged_t<std::conditional_t<moves_keys, key, std::int64_t>>;
  /// The bytes that a thread has of an item.
  static constexpr int item_bytes = static_cast<int>(sizeof(key_slot) + (has_values_too ? sizeof(T) : 0));

  Keys keys;
  Values values;
  Sink to;
  Op op;
  Keep keep;

  /// The elements as the merge moves them.
  static auto in(Keys keys, Values values)
  {
    if constexpr (moves_keys && moves_values == has_values_too)
    {
      return key_value_range{detail::as_input(keys), detail::as_input(values)};
    }
    else
    {
      return detail::input_of_indices<std::int64_t>(keys);
    }
  }
  /// Returns what has moved, if it has, or the element whose index has.
  template <bool HasMoved, class Elements, class Moved>
  MGPU_THRUST_DEVICE static decltype(auto) element_of(const Elements& elements, const Moved& moved)
  {
    if constexpr (HasMoved)
    {
      return detail::staged_value(moved);
    }
    else
    {
      return detail::element(elements, static_cast<std::int64_t>(moved));
    }
  }

  /// The key of the first of some elements with equal keys, as it moves, and their values, folded.
  struct group
  {
    key_slot key;
    T value;
  };
  /// Folds neighbouring groups with equal keys.
  MGPU_THRUST_DEVICE group operator()(const group& left, const group& right)
  {
    return {left.key, static_cast<T>(op(left.value, right.value))};
  }
};

/// The output of the last pass of a fold: what its kernel needs. *count receives the number of results.
template <class Fold, class Count>
struct fold_output
{
  using fold_type = Fold;
  using count_type = Count;
  using carries_type = served_carries<typename Fold::group>;

  Fold fold;
  tile_offsets offsets;
  carries_type carries;
  Count* count;
};

/// Folds the elements of a tile. Groups of equal keys that end in the tile are its results; of groups without values,
/// those that begin there. A carry is the part of the tile's first group in earlier tiles.
///
///     elements     a a|b b b b|b b c c d|d e
///     tiles           |t1     |t2       |        t1 has the result a (b if there are no values), t2 b and c
///
/// Shared memory, beside that of the merge:
///
///                  +-----------------------------+-----------------------------+----------------+
///                  | memory of merged keys       | prefix                      | carry          |
///     1. merge     | keys                        |                             |                |
///     2. heads     | keys are read               |                             |                |
///     3. fold      | values loaded, then read    | a group and a flag per warp |                |
///     4. carry     |                             |                             | stored, read   |
///     5. write     | results put, then written   |                             |                |
///                  +-----------------------------+-----------------------------+----------------+
template <class Shapes, class From, class Out, class Compare>
class fold_tile
{
  using Fold = typename Out::fold_type;
  using shape = typename Shapes::merge;
  using keys_type = run_elements_of<decltype(From::keys)>;
  using values_type = run_elements_of<decltype(From::values)>;
  using moved_value = typename value_or_none<decltype(From::values)>::type;
  using moved_key = typename ::cuda::std::iterator_traits<decltype(keys_type::all)>::value_type;
  using merger_type = merge_pass_tile<Shapes, keys_type, moved_value, thrust::discard_iterator<>, false, Compare>;
  using key_slot = typename Fold::key_slot;
  using T = typename Fold::T;
  using group = typename Fold::group;
  using prefix_type = block_segment_prefix<shape::threads, group>;
  using block_scan = cub::BlockScan<int, shape::threads, cub::BLOCK_SCAN_WARP_SCANS>;
  static constexpr int items = shape::items_per_thread;
  static_assert(items < 32, "mgpu_thrust: a word has a bit for each item, and for the next one");

public:
  struct TempStorage
  {
    typename merger_type::TempStorage merge;
    typename prefix_type::storage prefix;
    typename Out::carries_type::storage carry;
    typename block_scan::TempStorage scan;
    std::int64_t offset;
    bool is_empty;
    bool begins_group;
    bool ends_group;
  };

  MGPU_THRUST_DEVICE
  fold_tile(TempStorage& shared, const From& in, const Out& out, const runs_pass& pass, int tile, const Compare& comp)
      : shared_(shared)
      , pass_(pass)
      , tile_(tile)
      , own_(pass.found[tile])
      , keys_{in.keys, pass.count()}
      , values_{in.values, pass.count()}
      , merger_(shared.merge, keys_, thrust::discard_iterator<>(), own_.size, own_.own_run, comp)
      , order_{comp}
      , out_(out)
      , fold_(out.fold)
  {
  }

  /// Called by all threads of the block.
  MGPU_THRUST_DEVICE void process()
  {
    // 1. Merge.
    start_to_load();
    __syncthreads();
    if (shared_.is_empty)
    {
      post_nothing();
      return;
    }
    merger_.finish_load(pass_, tile_);
    merger_.merge(pass_.runs.levels, {own_.size, own_.size});

    // 2. Find the heads of groups, of the thread's items and of the one after these.
    const int first = static_cast<int>(threadIdx.x) * items;
    const int count = (min) ((max) (own_.size - first, 0), items);
    key_slot keys[items];
    const unsigned heads = find_heads(first, keys);
    const unsigned all = (1u << count) - 1;

    // 3. Fold, and write what is left.
    if constexpr (Fold::has_values_too)
    {
      fold_items({first, count, heads & all}, heads >> 1 & all, keys);
    }
    else
    {
      post(heads & all);
      write_keys(keys);
    }
  }

private:
  MGPU_THRUST_DEVICE void start_to_load()
  {
    if (threadIdx.x < 32)
    {
      const int run = static_cast<int>(threadIdx.x);
      const run_piece piece = pass_.piece(tile_, run);
      const bool is_empty = own_.size == 0 || __any_sync(~0u, piece.size < 0); // less if `comp` is no order
      if (!is_empty)
      {
        merger_.start(pass_, tile_, piece, values_);
        load_neighbours(run, piece);
      }
      if (run == 0)
      {
        shared_.is_empty = is_empty;
      }
    }
  }
  /// Loads the keys before and after the tile in the lane's run.
  MGPU_THRUST_DEVICE void load_neighbours(int run, const run_piece& piece)
  {
    if (run < max_ways)
    {
      const tile_run given = pass_.given_runs(tile_, run);
      const std::int64_t end = piece.begin + piece.size;
      has_before_ = piece.begin > pass_.bounds[given.begin];
      has_after_ = end < pass_.bounds[given.end];
      if (has_before_)
      {
        before_ = *keys_.at(pass_, tile_, run, piece.begin - 1);
      }
      if (has_after_)
      {
        after_ = *keys_.at(pass_, tile_, run, end);
      }
    }
  }

  /// Reads the thread's keys. Returns a word whose bit k tells whether item first + k is the head of a group; the item
  /// after the tile is one if no later element equals the tile's last.
  MGPU_THRUST_DEVICE unsigned find_heads(int first, key_slot (&keys)[items])
  {
    const key_slot* const merged = merger_.keys();
    const int last = own_.size - 1;
    if (threadIdx.x < 32)
    {
      const bool begins = __all_sync(~0u, !has_before_ || order_(before_, merged[0]));
      const bool ends = __all_sync(~0u, !has_after_ || order_(merged[last], after_));
      if (threadIdx.x == 0)
      {
        shared_.begins_group = begins || tile_ == 0; // in any case, whatever `comp` is
        shared_.ends_group = ends;
      }
    }
    unsigned heads = 0;
    key_slot left = merged[(max) ((min) (first - 1, last), 0)];
#pragma unroll
    for (int k = 0; k <= items; ++k)
    {
      const int item = first + k;
      const key_slot right = merged[(min) (item, last)];
      heads |= static_cast<unsigned>(0 < item && item <= last && order_(left, right)) << k;
      left = right;
      if (k < items)
      {
        keys[k] = right;
      }
    }
    __syncthreads(); // all keys have been read
    heads |= first == 0 && shared_.begins_group;
    if (first <= last && last < first + items && shared_.ends_group)
    {
      heads |= 1u << (last + 1 - first);
    }
    return heads;
  }

  /// Folds the thread's items. Bit k of `tails` tells whether item k is the last of its group.
  MGPU_THRUST_DEVICE void fold_items(const thread_items& own, unsigned tails, key_slot (&keys)[items])
  {
    // 1. Reduce the items from the last head on, and those of earlier threads.
    uninitialized_t<T> values[items];
    load_values(own, keys, values);
    if constexpr (!Fold::drops)
    {
      post(tails);
    }
    uninitialized_t<group> tail = group{keys[0], values[0]};
#pragma unroll
    for (int k = 1; k < items; ++k)
    {
      append(tail, own, k, keys, values);
    }
    const bool is_new = own.has_start() || own.count == 0;
    const segment_prefix<group> prefix = prefix_type::before(shared_.prefix, tail, is_new, fold_);

    // 2. The last thread with items posts the carry for later tiles. The first group may need one from earlier tiles.
    if (own.count > 0 && own.stop() == own_.size)
    {
      const bool is_restarted = own.has_start() || (own.first > 0 && prefix.is_after_start);
      const bool is_whole = own.has_start() || own.first == 0;
      out_.carries.post(
        tile_, is_restarted ? carried::restarted : carried::continued,
        is_whole ? static_cast<group>(tail) : fold_(prefix.value, tail));
    }
    if (!shared_.begins_group)
    {
      if (threadIdx.x < 32)
      {
        out_.carries.wait(tile_, shared_.carry, fold_);
      }
      __syncthreads();
    }

    // 3. Fold each group to its last item, and write the results.
    uninitialized_t<group> folded = prefix.value;
    if (own.count > 0 && !own.is_start(0) && !(own.first > 0 && prefix.is_after_start))
    {
      const group carry = shared_.carry.value();
      folded = own.first == 0 ? carry : fold_(carry, prefix.value);
    }
    unsigned kept_bits = 0;
#pragma unroll
    for (int k = 0; k < items; ++k)
    {
      append(folded, own, k, keys, values);
      const group& result = folded;
      if (k < own.count && tails >> k & 1 && static_cast<bool>(fold_.keep(result.value)))
      {
        kept_bits |= 1u << k;
        keys[k] = result.key;
        values[k] = result.value;
      }
    }
    if constexpr (Fold::drops)
    {
      post(kept_bits);
    }
    write_keys(keys);
    if constexpr (Fold::writes)
    {
      write<T>(fold_.to.values + shared_.offset, [&](int k) -> const T& { return values[k]; });
    }
  }
  MGPU_THRUST_DEVICE void append(
    uninitialized_t<group>& folded, const thread_items& own, int k, const key_slot (&keys)[items],
    const uninitialized_t<T> (&values)[items])
  {
    if (k < own.count)
    {
      const group next{keys[k], values[k]};
      folded = own.is_start(k) ? next : fold_(folded, next);
    }
  }
  /// Loads the values of the thread's items. A thread that is not full repeats the tile's last value.
  MGPU_THRUST_DEVICE void
  load_values(const thread_items& own, const key_slot (&keys)[items], uninitialized_t<T> (&values)[items])
  {
    if constexpr (has_values<decltype(From::values)>)
    {
      const moved_value* const moved = merger_.load_values(pass_, tile_, values_, 1 << pass_.runs.levels);
#pragma unroll
      for (int k = 0; k < items; ++k)
      {
        const moved_value& value = moved[merger_.number((min) (own.item(k), own_.size - 1))];
        values[k] = Fold::template element_of<Fold::moves_values>(fold_.values, value);
      }
    }
    else
    {
#pragma unroll
      for (int k = 0; k < items; ++k)
      {
        values[k] = Fold::template element_of<false>(fold_.values, keys[k]);
      }
    }
  }

  /// Keeps the items of these bits as results: finds their places, and posts their number. Called once by all threads.
  /// It contains a barrier.
  MGPU_THRUST_DEVICE void post(unsigned bits)
  {
    kept_ = bits;
    block_scan(shared_.scan).ExclusiveSum(__popc(bits), place_, all_kept_);
    if (threadIdx.x == 0)
    {
      out_.offsets.post(tile_, all_kept_);
    }
  }
  MGPU_THRUST_DEVICE void post_nothing() const
  {
    if (threadIdx.x == 0)
    {
      out_.offsets.post(tile_, 0);
      if constexpr (Fold::has_values_too)
      {
        const uninitialized_t<group> unspecified{};
        out_.carries.post(tile_, carried::nothing, unspecified);
      }
    }
  }

  /// Waits for the place of the tile's results, and writes their keys.
  MGPU_THRUST_DEVICE void write_keys([[maybe_unused]] key_slot (&keys)[items])
  {
    if constexpr (Fold::writes)
    {
      if (threadIdx.x == 0)
      {
        shared_.offset = out_.offsets.wait(tile_);
      }
      __syncthreads();
      write<typename Fold::key>(
        fold_.to.keys + shared_.offset,
        [&](int k) -> decltype(auto) { return Fold::template element_of<Fold::moves_keys>(fold_.keys, keys[k]); });
    }
  }
  /// Writes result(k) for each item k that is kept. Small ones are put to shared memory first. Called by all threads
  /// when nothing else is in use there.
  template <class Value, class Output, class Result>
  MGPU_THRUST_DEVICE void write(Output to, Result result)
  {
    using store_type = tile_bytes_store<shape::threads, Value, Output>;
    constexpr bool fits =
      sizeof(shared_.merge.bytes) >= Shapes::tile_items * sizeof(Value) + 16 && alignof(Value) <= 16;
    const store_type store(to);
    unsigned char* const staged = shared_.merge.bytes + store.shift();
    int place = place_;
#pragma unroll
    for (int k = 0; k < items; ++k)
    {
      if (kept_ >> k & 1)
      {
        if constexpr (fits)
        {
          store_type::put(staged, place++, result(k));
        }
        else
        {
          *(to + place++) = result(k);
        }
      }
    }
    if constexpr (fits)
    {
      store_type::fence_writes();
      __syncthreads();
      store.write(staged, all_kept_);
      __syncthreads(); // the memory is free
    }
  }

  TempStorage& shared_;
  const runs_pass& pass_;
  int tile_;
  runs_tile own_;
  keys_type keys_;
  values_type values_;
  merger_type merger_;
  compare_staged<Compare> order_;
  const Out& out_;
  Fold fold_;               ///< its functions may change
  bool has_before_ = false; ///< whether the lane's run has an element before the tile
  bool has_after_ = false;
  moved_key before_;
  moved_key after_;
  unsigned kept_ = 0; ///< the thread's results, by its items; the place of the first, and the number of all
  int place_ = 0;
  int all_kept_ = 0;
};

/// Shared memory of a block with a tile, or of the block that serves carries.
template <class Tile, class Serving>
union fold_storage
{
  Tile tile;
  Serving serving;
  MGPU_THRUST_DEVICE fold_storage()
  {
  }
};

/// The blocks of a grid before those with tiles: they serve offsets, and carries.
inline constexpr int fold_serving_blocks = 2;

/// Merges and folds a tile of the last pass per block.
template <class Shapes, class From, class Out, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::merge::threads, Shapes::merge::blocks_per_multiprocessor)
  fold_runs_kernel(From in, Out out, runs_pass pass, Compare comp)
{
  using tile_type = fold_tile<Shapes, From, Out, Compare>;
  constexpr int threads = Shapes::merge::threads;
  __shared__
    fold_storage<typename tile_type::TempStorage, typename Out::carries_type::template serving_storage<threads>>
      shared;
  static_assert(
    sizeof(shared) + max_shared_bytes_of_function <= max_static_shared_bytes, "mgpu_thrust: values are too large");

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
  const int tile = static_cast<int>(blockIdx.x) - fold_serving_blocks;
  if (tile >= 0)
  {
    tile_type(shared.tile, in, out, pass, tile, comp).process();
  }
  else if (blockIdx.x == 0)
  {
    const std::int64_t sum = out.offsets.template serve_grid<threads, Out::fold_type::writes>();
    if (threadIdx.x == 0)
    {
      *out.count = static_cast<typename Out::count_type>(sum);
    }
  }
  else if constexpr (Out::fold_type::has_values_too)
  {
    out.carries.template serve<threads>(shared.serving, static_cast<int>(pass.tiles), out.fold);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
