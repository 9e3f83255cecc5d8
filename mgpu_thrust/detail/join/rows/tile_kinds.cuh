// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kinds of tiles that a kernel of a join has: pieces of the merge path, needles, or either; or intervals.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/join/ranges/interval_finder.cuh>
#include <mgpu_thrust/detail/join/ranges/intervals.h>
#include <mgpu_thrust/detail/join/rows/needle_finder.cuh>
#include <mgpu_thrust/detail/join/rows/needles.h>
#include <mgpu_thrust/detail/join/rows/row_finder.cuh>
#include <mgpu_thrust/detail/join/rows/row_writer.cuh>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The tiles of a kernel. With `either`, the kernel decides by the deferred sizes. The needles of a range join are
/// intervals.
enum class join_tiles
{
  of_merge_path,
  of_needles,
  either
};

/// The tiles of a Kind's kernels whose sizes are deferred.
template <class Kind>
inline constexpr join_tiles deferred_join_tiles = is_range_join<Kind>      ? join_tiles::of_needles
                                                  : may_have_needles<Kind> ? join_tiles::either
                                                                           : join_tiles::of_merge_path;

/// Finders of the rows of a kernel's tiles.
template <join_tiles Tiles, class Shape, class Kind, class Inputs, class Compare>
struct join_finders
{
  static constexpr join_tiles kind = Tiles;
  static constexpr int tile_items = Shape::items;
  using of_merge_path = join_row_finder<Shape, Kind, Inputs, Compare>;
  using of_needles = std::conditional_t<
    is_range_join<Kind>, interval_finder<Shape, Kind, Inputs, Compare>,
    join_needle_finder<Shape, Kind, Inputs, Compare>>;

  struct either_storage
  {
    union
    {
      typename of_merge_path::TempStorage merge_path;
      typename of_needles::TempStorage needles;
    };
  };
  struct merge_path_storage
  {
    typename of_merge_path::TempStorage merge_path;
  };
  struct needle_storage
  {
    typename of_needles::TempStorage needles;
  };
  using TempStorage = std::conditional_t<
    Tiles == join_tiles::either, either_storage,
    std::conditional_t<Tiles == join_tiles::of_merge_path, merge_path_storage, needle_storage>>;

  /// Before the shared memory of a tile is loaded to again: see tile_stage.
  MGPU_THRUST_DEVICE static void fence_writes([[maybe_unused]] const Inputs& inputs)
  {
    if constexpr (is_range_join<Kind>)
    {
      of_needles::tile_type::fence_writes();
    }
    else if constexpr (Tiles != join_tiles::of_needles)
    {
      if (!are_needles(inputs))
      {
        of_merge_path::tile_type::fence_writes();
      }
    }
  }

  /// Whether the tiles of inputs with these sizes are needles.
  MGPU_THRUST_DEVICE static bool are_needles(const Inputs& inputs)
  {
    if constexpr (Tiles == join_tiles::either)
    {
      return detail::has_needles(Kind{}, inputs.a_count, inputs.b_count);
    }
    else
    {
      return Tiles == join_tiles::of_needles;
    }
  }
};

/// Returns the writer of the rows that a finder has found.
template <class Shape, class Kind, class Inputs, class Compare, class Outputs>
MGPU_THRUST_DEVICE auto
make_join_writer(join_row_finder<Shape, Kind, Inputs, Compare>& found, const Outputs& outputs, tile_begin begin)
{
  return join_row_writer(found, outputs, begin);
}
template <class Shape, class Kind, class Inputs, class Compare, class Outputs>
MGPU_THRUST_DEVICE auto
make_join_writer(join_needle_finder<Shape, Kind, Inputs, Compare>& found, const Outputs& outputs, tile_begin begin)
{
  return join_needle_writer(found, outputs, begin);
}

template <class Shape, class Kind, class Inputs, class Compare, class Outputs>
MGPU_THRUST_DEVICE auto
make_join_writer(interval_finder<Shape, Kind, Inputs, Compare>& found, const Outputs& outputs, tile_begin begin)
{
  return join_row_writer(found, outputs, {begin.a, found.first_point()});
}

/// Calls work(finder, tile, begin) for a tile of a kernel with these join_finders: of needles, or of both inputs
/// between the ends that ends() returns. All threads call it. While the keys of both inputs are loaded, one thread
/// calls while_loading(prefetch), as in tile_stage.
template <class Finders, class Inputs, class Compare, class Ends, class WhileLoading, class Work>
MGPU_THRUST_DEVICE void with_join_tile(
  typename Finders::TempStorage& shared, const Inputs& inputs, Compare& comp, int index, [[maybe_unused]] Ends ends,
  [[maybe_unused]] WhileLoading while_loading, Work work)
{
  if constexpr (Finders::kind != join_tiles::of_merge_path)
  {
    if (Finders::are_needles(inputs))
    {
      using finder_type = typename Finders::of_needles;
      typename finder_type::tile_type tile(inputs, comp, index);
      finder_type finder(shared.needles);
      work(finder, tile, tile.begin());
      return;
    }
  }
  if constexpr (Finders::kind != join_tiles::of_needles)
  {
    using finder_type = typename Finders::of_merge_path;
    const tile_ends found = ends();
    typename finder_type::tile_type tile(
      shared.merge_path.tile, inputs, comp, found.begin, found.part(inputs, Finders::tile_items), while_loading);
    finder_type finder(shared.merge_path);
    work(finder, tile, found.begin);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
