// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Selection of the body of a function that both host code and device code call.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/target.h>

// An entry has two bodies, one for calls from host code and one, which runs serially, for calls from device code. The
// device pass of nvcc compiles only kernels whose launch it sees: hence the host call that is never executed.
#define MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(host_call, device_call)                                                   \
  MGPU_THRUST_IF_HOST_ELSE((return host_call;), (if (false) { (void) host_call; } return device_call;))
