// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The forms of an operation that several families have.

namespace mgpu_benchmark
{

struct rows_form
{
  static constexpr const char* name = "rows"; ///< writes the indices of rows
};
struct size_form
{
  static constexpr const char* name = "size"; ///< counts only
};

} // namespace mgpu_benchmark
