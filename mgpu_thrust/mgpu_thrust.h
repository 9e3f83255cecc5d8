// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// All of mgpu_thrust: the family headers and the partitioning agents. To compile less, include only the headers that
/// you use.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/agent/multiway_path.h>
#include <mgpu_thrust/asof_directions.h>
#include <mgpu_thrust/asof_join.h>
#include <mgpu_thrust/asof_join_n.h>
#include <mgpu_thrust/bulk.h>
#include <mgpu_thrust/bulk_n.h>
#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/interval.h>
#include <mgpu_thrust/interval_n.h>
#include <mgpu_thrust/join.h>
#include <mgpu_thrust/join_n.h>
#include <mgpu_thrust/load_balance.h>
#include <mgpu_thrust/load_balance_n.h>
#include <mgpu_thrust/merge.h>
#include <mgpu_thrust/merge_n.h>
#include <mgpu_thrust/multiway_merge.h>
#include <mgpu_thrust/multiway_merge_n.h>
#include <mgpu_thrust/range_bounds.h>
#include <mgpu_thrust/range_join.h>
#include <mgpu_thrust/range_join_n.h>
#include <mgpu_thrust/read_count.h>
#include <mgpu_thrust/reduce.h>
#include <mgpu_thrust/scan.h>
#include <mgpu_thrust/segmented_compact.h>
#include <mgpu_thrust/segmented_compact_n.h>
#include <mgpu_thrust/segmented_reduce.h>
#include <mgpu_thrust/segmented_reduce_n.h>
#include <mgpu_thrust/segmented_scan.h>
#include <mgpu_thrust/segmented_scan_n.h>
#include <mgpu_thrust/segmented_set_operations.h>
#include <mgpu_thrust/segmented_set_operations_n.h>
#include <mgpu_thrust/segmented_sort.h>
#include <mgpu_thrust/segmented_sort_n.h>
#include <mgpu_thrust/semi_join.h>
#include <mgpu_thrust/semi_join_n.h>
#include <mgpu_thrust/set_operations.h>
#include <mgpu_thrust/set_operations_n.h>
#include <mgpu_thrust/sort.h>
#include <mgpu_thrust/sort_n.h>
#include <mgpu_thrust/sorted_search.h>
#include <mgpu_thrust/sorted_search_n.h>
#include <mgpu_thrust/version.h>
#include <mgpu_thrust/window_reduce.h>
#include <mgpu_thrust/window_reduce_n.h>
