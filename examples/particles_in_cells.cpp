// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Particles in the cells of a grid, kept in the order of their cells while they move, as simulations of plasmas and
// fluids keep them, so that particles near in space are near in memory.
//
// You learn how to sort nearly sorted input. In a small step few particles leave their cell, and those move to one next
// to it; but all have to be in order again. mgpu::locality_sort_by_key has the result of a stable sort, with work that
// depends on how far elements are from their sorted positions. The keys are the cells, the values the particles, whose
// columns are zipped; those of one cell keep their order. One search finds where each of the cells begins.
//
// After each step the particles are compared with what std::stable_sort gives.

#include <mgpu_thrust/segmented_sort.h>
#include <mgpu_thrust/sorted_search.h>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace
{

constexpr int cells_a_row = 64; // the grid is square
constexpr int num_cells = cells_a_row * cells_a_row;
constexpr int cell_width = 1000;
constexpr int grid_width = cells_a_row * cell_width;
constexpr int num_particles = 100000;
constexpr int num_steps = 5;

// ---- Particles, in parallel ----

/// The position of a particle, x and y, and its movement in a step. Integers, so that all machines agree.
using particle = thrust::tuple<int, int, int, int>;

/// Returns the cell that a particle is in.
struct find_cell
{
  MGPU_THRUST_HOST_DEVICE int operator()(const particle& p) const
  {
    return thrust::get<1>(p) / cell_width * cells_a_row + thrust::get<0>(p) / cell_width;
  }
};

/// Returns a particle after a step. It bounces off the walls.
struct move
{
  MGPU_THRUST_HOST_DEVICE particle operator()(const particle& p) const
  {
    int x = thrust::get<0>(p), y = thrust::get<1>(p), x_step = thrust::get<2>(p), y_step = thrust::get<3>(p);
    move_between_walls(x, x_step);
    move_between_walls(y, y_step);
    return {x, y, x_step, y_step};
  }

private:
  MGPU_THRUST_HOST_DEVICE static void move_between_walls(int& at, int& step)
  {
    if (at + step < 0 || at + step >= grid_width)
    {
      step = -step;
    }
    at += step;
  }
};

/// The particles, with an array for each column, and their cells.
struct particles
{
  thrust::device_vector<int> x, y, x_step, y_step, cells;

  auto rows()
  {
    return thrust::make_zip_iterator(x.begin(), y.begin(), x_step.begin(), y_step.begin());
  }
  void find_cells()
  {
    thrust::transform(thrust::device, rows(), rows() + num_particles, cells.begin(), find_cell{});
  }
  /// Sorts the particles by their cells.
  void sort()
  {
    mgpu::locality_sort_by_key(thrust::device, cells.begin(), cells.end(), rows());
  }
  void make_step()
  {
    thrust::transform(thrust::device, rows(), rows() + num_particles, rows(), move{});
  }
  /// Returns the number of particles in the fullest cell.
  int fullest_cell() const
  {
    thrust::device_vector<int> starts(num_cells);
    const thrust::counting_iterator<int> numbers(0);
    mgpu::sorted_lower_bound(thrust::device, cells.begin(), cells.end(), numbers, numbers + num_cells, starts.begin());
    std::vector<int> ends(num_cells, num_particles);
    thrust::copy(starts.begin() + 1, starts.end(), ends.begin());
    std::adjacent_difference(ends.begin(), ends.end(), ends.begin());
    return *std::max_element(ends.begin(), ends.end());
  }
};

// ---- Particles on the host ----

std::vector<int> to_host(const thrust::device_vector<int>& values)
{
  std::vector<int> copy(values.size());
  thrust::copy(values.begin(), values.end(), copy.begin());
  return copy;
}

/// Returns all columns, the cells first.
std::vector<std::vector<int>> columns_of(const particles& all)
{
  return {to_host(all.cells), to_host(all.x), to_host(all.y), to_host(all.x_step), to_host(all.y_step)};
}

particles make_particles()
{
  std::uint32_t state = 1;
  const auto random = [&state](int below)
  {
    state = state * 1664525u + 1013904223u;
    return static_cast<int>((state >> 8) % static_cast<std::uint32_t>(below));
  };
  std::vector<int> columns[4];
  for (int i = 0; i < num_particles; ++i)
  {
    columns[0].push_back(random(grid_width));
    columns[1].push_back(random(grid_width));
    columns[2].push_back(random(41) - 20); // 50 steps or more to cross a cell
    columns[3].push_back(random(41) - 20);
  }
  return {columns[0], columns[1], columns[2], columns[3], std::vector<int>(num_particles)};
}

} // namespace

int main()
{
  example::skip_without_device();
  particles all = make_particles();
  all.find_cells();
  all.sort(); // the particles are in random order: locality sort is correct for any input

  bool is_right = true;
  std::printf(
    "%d particles in %d cells\n\nstep  left their cell  farthest from its place  fullest cell\n", num_particles,
    num_cells);
  for (int step = 1; step <= num_steps; ++step)
  {
    const std::vector<int> old_cells = to_host(all.cells);
    all.make_step();
    all.find_cells();
    const auto unsorted = columns_of(all);
    all.sort();

    // The expected result, by the standard library's sort of indices.
    std::vector<int> order(num_particles);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return unsorted[0][i] < unsorted[0][j]; });
    const auto sorted = columns_of(all);
    int left = 0;
    int farthest = 0;
    for (int i = 0; i < num_particles; ++i)
    {
      left += unsorted[0][i] != old_cells[i];
      farthest = std::max(farthest, std::abs(order[i] - i));
      for (std::size_t column = 0; column < sorted.size(); ++column)
      {
        is_right = is_right && sorted[column][i] == unsorted[column][order[i]];
      }
    }
    std::printf("%4d  %15d  %23d  %12d\n", step, left, farthest, all.fullest_cell());
  }
  std::printf("\nstd::stable_sort %s.\n", is_right ? "agrees" : "DISAGREES");
  return is_right ? 0 : 1;
}
