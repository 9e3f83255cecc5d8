// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Needed by every header of the library: function annotations and the namespace that all names live in.

#include <mgpu_thrust/version.h>

// This comes first, as headers of an older CCCL lack files that are included below.
#if __has_include(<cuda/version>)
#  include <cuda/version>
#endif
#if !defined(CCCL_VERSION) || CCCL_VERSION < 3000000
#  error "mgpu_thrust needs CCCL 3.0 or later, of CUDA Toolkit 13.0, in front of any other among the include paths"
#endif

#include <thrust/version.h>

// Function annotations, empty where there is no CUDA compiler. The first is API: users write it in front of the call
// operator of a function object for both compilers.
#if defined(__CUDACC__)
#  define MGPU_THRUST_HOST_DEVICE __host__ __device__
#  define MGPU_THRUST_DEVICE __device__ __forceinline__
// A function that kernels call rather than inline. It has internal linkage, so that ptxas compiles it with the
// registers of the kernels that call it: with -rdc=true one of external linkage has registers of its own choice, and
// ptxas rejects kernels whose bound is lower.
#  define MGPU_THRUST_DEVICE_CALL static __device__ __noinline__
#else
#  define MGPU_THRUST_HOST_DEVICE
#  define MGPU_THRUST_DEVICE
#endif

// A __host__ __device__ template may call a user's host-only function (a comparator, say) without a warning: whether
// that is right is decided where the template is used.
#if defined(__CUDACC__)
#  define MGPU_THRUST_EXEC_CHECK_DISABLE _Pragma("nv_exec_check_disable")
#else
#  define MGPU_THRUST_EXEC_CHECK_DISABLE
#endif

// All names live in an inline namespace that encodes what changes the meaning of a template: the library's version,
// Thrust's host and device system, the checked mode, nvcc -G, and the architectures compiled for. Two translation units
// that differ in one of these never share a function body, and nothing here clashes with moderngpu, which also uses
// `mgpu`.
#if defined(MGPU_THRUST_CHECK_PRECONDITIONS)
#  define MGPU_THRUST_ABI_CHECKED 1
#else
#  define MGPU_THRUST_ABI_CHECKED 0
#endif
#if defined(__CUDACC_DEBUG__)
#  define MGPU_THRUST_ABI_DEBUGGER g
#else
#  define MGPU_THRUST_ABI_DEBUGGER
#endif
#if defined(__CUDA_ARCH_LIST__)
#  define MGPU_THRUST_ABI_ARCHITECTURES __CUDA_ARCH_LIST__
#else
#  define MGPU_THRUST_ABI_ARCHITECTURES
#endif
#define MGPU_THRUST_ABI_PASTE(version, host, device, checked, debugger, a, b, c, d, e, f, g, h, i, j, k, l, ...)       \
  abi##version##_##host##_##device##_##checked##debugger##_sm##a##b##c##d##e##f##g##h##i##j##k##l
#define MGPU_THRUST_ABI_EXPAND(...) MGPU_THRUST_ABI_PASTE(__VA_ARGS__)
#define MGPU_THRUST_ABI_NAMESPACE                                                                                      \
  MGPU_THRUST_ABI_EXPAND(                                                                                              \
    MGPU_THRUST_VERSION, THRUST_HOST_SYSTEM, THRUST_DEVICE_SYSTEM, MGPU_THRUST_ABI_CHECKED, MGPU_THRUST_ABI_DEBUGGER,  \
    MGPU_THRUST_ABI_ARCHITECTURES, , , , , , , , , , , , , , )
#define MGPU_THRUST_NAMESPACE_BEGIN                                                                                    \
  namespace mgpu                                                                                                       \
  {                                                                                                                    \
  inline namespace MGPU_THRUST_ABI_NAMESPACE                                                                           \
  {
#define MGPU_THRUST_NAMESPACE_END                                                                                      \
  }                                                                                                                    \
  }
