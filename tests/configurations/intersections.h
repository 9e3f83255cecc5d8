// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// One function, with the same types, compiled in translation units that are configured differently.

#include <vector>

/// mgpu::set_intersection, compiled without MGPU_THRUST_CHECK_PRECONDITIONS.
std::vector<int> unchecked_intersection(const std::vector<int>& a, const std::vector<int>& b);

/// mgpu::set_intersection, compiled with MGPU_THRUST_CHECK_PRECONDITIONS.
std::vector<int> checked_intersection(const std::vector<int>& a, const std::vector<int>& b);

/// What another library's mgpu::merge_path returns for the same arguments as ours.
int merge_path_of_another_library(const int* a, int a_count, const int* b, int b_count, int diagonal);
