// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A league table: teams by points, then by goals, then by name, in tables that keep each column in an array.
//
// You learn that rows of several columns are sorted by zipping the columns, with a comparator of yours that compares as
// many of them as it needs, each ascending or descending; that a table of wide rows is better not moved, and read
// through the indices that sort it; and that a sort is stable, so that rows equal in the order keep their order.

#include <mgpu_thrust/sort.h>

#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cstdio>
#include <vector>

namespace
{

const char* const team_names[] = {"Albatross", "Badger", "Cormorant", "Dolphin", "Egret", "Fox"};
const std::vector<int> points_of_teams{7, 12, 7, 12, 3, 7};
const std::vector<int> goals_of_teams{9, 8, 11, 14, 2, 11};
const std::vector<int> team_numbers{0, 1, 2, 3, 4, 5}; // names are in alphabetical order

/// Orders by points and goals, descending, then by names, ascending.
struct table_order
{
  template <class Row>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Row& x, const Row& y) const
  {
    const int x_points = thrust::get<0>(x), y_points = thrust::get<0>(y);
    const int x_goals = thrust::get<1>(x), y_goals = thrust::get<1>(y);
    const int x_team = thrust::get<2>(x), y_team = thrust::get<2>(y);
    return x_points != y_points ? x_points > y_points : x_goals != y_goals ? x_goals > y_goals : x_team < y_team;
  }
};

/// Orders by goals alone, descending.
struct more_goals
{
  MGPU_THRUST_HOST_DEVICE bool operator()(int x, int y) const
  {
    return y < x;
  }
};

} // namespace

int main()
{
  example::skip_without_device();

  // 1. The rows of the table themselves.
  thrust::device_vector<int> points = points_of_teams, goals = goals_of_teams, teams = team_numbers;
  const auto rows = thrust::make_zip_iterator(points.begin(), goals.begin(), teams.begin());
  mgpu::sort(thrust::device, rows, rows + points.size(), table_order{});

  std::printf("%-12s %6s %6s\n", "team", "points", "goals");
  const thrust::host_vector<int> sorted_points = points, sorted_goals = goals, sorted_teams = teams;
  for (std::size_t i = 0; i < sorted_teams.size(); ++i)
  {
    std::printf("%-12s %6d %6d\n", team_names[sorted_teams[i]], sorted_points[i], sorted_goals[i]);
  }

  // 2. Indices that sort the teams by goals, those with equal goals in the table's order; the table is not moved.
  thrust::device_vector<int> order(goals.size());
  mgpu::stable_sort_indices(thrust::device, goals.begin(), goals.end(), order.begin(), more_goals{});

  std::printf("\nBy goals:");
  const thrust::host_vector<int> places = order;
  for (const int place : places)
  {
    std::printf(" %s (%d)", team_names[sorted_teams[place]], sorted_goals[place]);
  }
  std::printf("\n");
  return 0;
}
