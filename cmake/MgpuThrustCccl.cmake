# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds the include directories of CCCL 3.0 or later (Thrust, CUB, libcu++) and of the CUDA runtime, without CCCL's own
# targets: these set Thrust's device system to CUDA, with which plain C++ files do not compile, and that is the user's
# choice. Sets MGPU_THRUST_CCCL_INCLUDE_DIRS, to nothing if there is no CCCL. With FETCH it is downloaded then.
macro(mgpu_thrust_find_cccl)
  # Where CUDA is: a toolkit of the user's, one that CMake finds, or the usual places. Thrust lies in `cccl` from CUDA 13 on.
  set(_mgpu_thrust_roots ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda
                         /opt/cuda)
  if(CUDAToolkit_INCLUDE_DIRS)
    list(PREPEND _mgpu_thrust_roots ${CUDAToolkit_INCLUDE_DIRS})
  endif()
  if(CMAKE_CUDA_COMPILER)
    cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH _mgpu_thrust_nvcc_dir)
    list(PREPEND _mgpu_thrust_roots "${_mgpu_thrust_nvcc_dir}/..")
  endif()
  find_path(
    MGPU_THRUST_CCCL_DIR thrust/version.h
    HINTS ${_mgpu_thrust_roots}
    PATH_SUFFIXES include/cccl cccl include targets/x86_64-linux/include/cccl targets/sbsa-linux/include/cccl
    DOC "The directory that holds CCCL's thrust/, cub/, cuda/ and nv/"
  )
  find_path(
    MGPU_THRUST_CUDA_RUNTIME_DIR cuda_runtime_api.h
    HINTS ${_mgpu_thrust_roots}
    PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include
    DOC "The directory that holds cuda_runtime_api.h"
  )
  set(MGPU_THRUST_CCCL_INCLUDE_DIRS "")
  if(MGPU_THRUST_CCCL_DIR)
    set(MGPU_THRUST_CCCL_INCLUDE_DIRS ${MGPU_THRUST_CCCL_DIR})
  elseif("${ARGV0}" STREQUAL "FETCH")
    include(FetchContent)
    FetchContent_Declare(
      mgpu_thrust_cccl GIT_REPOSITORY https://github.com/NVIDIA/cccl.git GIT_TAG v3.0.3 GIT_SHALLOW TRUE
      SOURCE_SUBDIR none # the headers only, not CCCL's targets
    )
    FetchContent_MakeAvailable(mgpu_thrust_cccl)
    set(MGPU_THRUST_CCCL_INCLUDE_DIRS
        "${mgpu_thrust_cccl_SOURCE_DIR}/thrust" "${mgpu_thrust_cccl_SOURCE_DIR}/cub"
        "${mgpu_thrust_cccl_SOURCE_DIR}/libcudacxx/include"
    )
  endif()
  if(MGPU_THRUST_CUDA_RUNTIME_DIR)
    list(APPEND MGPU_THRUST_CCCL_INCLUDE_DIRS ${MGPU_THRUST_CUDA_RUNTIME_DIR})
    list(REMOVE_DUPLICATES MGPU_THRUST_CCCL_INCLUDE_DIRS)
  endif()
endmacro()
