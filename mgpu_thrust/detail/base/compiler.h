// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What compilers have under names of their own, or do not have. All other headers are C++ and CUDA that each compiler
/// reads, which .ci/check_includes.py checks.

#include <mgpu_thrust/detail/base/config.h>

// Excludes an entity from the exports of a shared library. On Windows nothing is exported by default.
#if defined(__GNUC__)
#  define MGPU_THRUST_HIDDEN __attribute__((visibility("hidden")))
#else
#  define MGPU_THRUST_HIDDEN
#endif

// MGPU_THRUST_IGNORE_BEGIN(number) and MGPU_THRUST_IGNORE_END: nvcc does not issue that warning for the code between
// them.
#if defined(__NVCC__)
#  define MGPU_THRUST_PRAGMA(text) _Pragma(#  text)
#  define MGPU_THRUST_IGNORE_BEGIN(number)                                                                             \
    MGPU_THRUST_PRAGMA(nv_diagnostic push) MGPU_THRUST_PRAGMA(nv_diag_suppress number)
#  define MGPU_THRUST_IGNORE_END MGPU_THRUST_PRAGMA(nv_diagnostic pop)
#else
#  define MGPU_THRUST_IGNORE_BEGIN(number)
#  define MGPU_THRUST_IGNORE_END
#endif

// MGPU_THRUST_CHECK_DEVICE_CODE(function): has nvcc compile a __device__ function, which is not called. Other compilers
// refuse functions of the host in all device code.
#if defined(__NVCC__)
#  define MGPU_THRUST_CHECK_DEVICE_CODE(...) static_cast<void>(&__VA_ARGS__)
#else
#  define MGPU_THRUST_CHECK_DEVICE_CODE(...) static_cast<void>(0)
#endif

// MGPU_THRUST_IF_CLUSTERS((code)): code for kernels that are launched in clusters of blocks, a statement in
// parentheses. There are none unless __CUDA_ARCH_LIST__ is defined: Clang neither defines it nor has the functions of a
// cluster.
#if defined(__CUDA_ARCH_LIST__)
#  define MGPU_THRUST_IF_CLUSTERS(code) NV_IF_TARGET(NV_PROVIDES_SM_90, code)
#else
#  define MGPU_THRUST_IF_CLUSTERS(code)
#endif

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Prefetches the cache line that holds an address, if the compiler has an instruction for that. The address need not
/// be valid. Hosts only.
inline void prefetch_line([[maybe_unused]] const void* address)
{
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

/// Hides from the compiler how a number was computed, so that it generates no branches. Hosts only.
template <class Number>
void hide_origin([[maybe_unused]] Number& number)
{
#if defined(__GNUC__)
  asm("" : "+r"(number));
#endif
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
