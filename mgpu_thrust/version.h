// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The version of mgpu_thrust, as one number: 10000 * major + 100 * minor + patch. CMakeLists.txt reads it from here.
#define MGPU_THRUST_VERSION 10000
