// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Code of a host-device function that only the host or only the device executes.

#include <mgpu_thrust/detail/base/config.h>

#if defined(__CUDACC__)
#  include <nv/target>
#endif

// MGPU_THRUST_IF_HOST((code)) and MGPU_THRUST_IF_HOST_ELSE((host_code), (device_code)), statements in parentheses. For
// a C++ compiler all code is host code; it does without <nv/target>, whose macros are not C++17 to the letter.
#if defined(__CUDACC__)
#  define MGPU_THRUST_IF_HOST(code) NV_IF_TARGET(NV_IS_HOST, code)
#  define MGPU_THRUST_IF_HOST_ELSE(host_code, device_code) NV_IF_ELSE_TARGET(NV_IS_HOST, host_code, device_code)
#else
#  define MGPU_THRUST_WITHOUT_PARENTHESES(...) __VA_ARGS__
#  define MGPU_THRUST_IF_HOST(code)                                                                                    \
    {                                                                                                                  \
      MGPU_THRUST_WITHOUT_PARENTHESES code                                                                             \
    }
#  define MGPU_THRUST_IF_HOST_ELSE(host_code, device_code) MGPU_THRUST_IF_HOST(host_code)
#endif
