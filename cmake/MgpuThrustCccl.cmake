# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors

# Sets `version` to the THRUST_VERSION of the headers in `directory`, or 0. It is a function so that the CMAKE_MATCH_<n>
# variables of its regular expressions are local.
function(mgpu_thrust_read_thrust_version directory version)
  set(found 0)
  if(EXISTS "${directory}/thrust/version.h")
    file(STRINGS "${directory}/thrust/version.h" line REGEX "#define THRUST_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+" found "${line}")
  endif()
  set(${version} "${found}" PARENT_SCOPE)
endfunction()

# Sets `directories` to the include directories of a copy of CCCL, given by the directory that holds its thrust/: that
# directory, which is the only one in a toolkit, or those of the three folders of a checkout.
function(mgpu_thrust_get_cccl_folders directory directories)
  set(found "${directory}")
  if(EXISTS "${directory}/thrust/thrust/version.h")
    set(found "${directory}/thrust" "${directory}/cub" "${directory}/libcudacxx/include")
  endif()
  set(${directories} "${found}" PARENT_SCOPE)
endfunction()

# Sets `directories` to the include directories of the CCCL targets that the project has, by find_package(CCCL), CPM or a
# subdirectory; to nothing unless there are targets with all three libraries.
function(mgpu_thrust_get_cccl_of_targets directories)
  set(found "")
  foreach(target IN ITEMS Thrust::Thrust CUB::CUB libcudacxx::libcudacxx CCCL::CCCL CCCL::Thrust CCCL::CUB
                          CCCL::libcudacxx)
    if(TARGET ${target})
      get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
      list(APPEND found ${includes})
    endif()
  endforeach()
  list(TRANSFORM found REPLACE "^\\$<BUILD_INTERFACE:(.*)>$" "\\1")
  list(FILTER found EXCLUDE REGEX "^\\$<|-NOTFOUND$")
  list(TRANSFORM found REPLACE "/$" "")
  list(REMOVE_DUPLICATES found)
  set(sorted "") # Thrust's first
  foreach(header IN ITEMS thrust/version.h cub/version.cuh cuda/std/version nv/target)
    set(of_header ${found})
    foreach(directory IN LISTS found)
      if(NOT EXISTS "${directory}/${header}")
        list(REMOVE_ITEM of_header "${directory}")
      endif()
    endforeach()
    if(NOT of_header)
      set(${directories} "" PARENT_SCOPE)
      return()
    endif()
    list(APPEND sorted ${of_header})
  endforeach()
  list(REMOVE_DUPLICATES sorted)
  set(${directories} "${sorted}" PARENT_SCOPE)
endfunction()

# Downloads `name` at a tag by FetchContent; further arguments are FetchContent_Declare's. Where the repository cannot
# be reached, it stops with one message, which ends with `remedy`, before git's errors, which name none.
macro(mgpu_thrust_download name repository tag remedy)
  include(FetchContent)
  string(TOUPPER "${name}" _mgpu_thrust_upper)
  if(NOT FETCHCONTENT_FULLY_DISCONNECTED AND NOT FETCHCONTENT_SOURCE_DIR_${_mgpu_thrust_upper}
     AND NOT EXISTS "${FETCHCONTENT_BASE_DIR}/${name}-src/.git"
  )
    find_package(Git QUIET)
    set(_mgpu_thrust_result "there is no git")
    if(GIT_EXECUTABLE)
      execute_process(
        COMMAND "${GIT_EXECUTABLE}" ls-remote --exit-code "${repository}" "${tag}"
        RESULT_VARIABLE _mgpu_thrust_result
        OUTPUT_QUIET ERROR_QUIET
        TIMEOUT 60
      )
    endif()
    if(NOT _mgpu_thrust_result EQUAL 0)
      message(FATAL_ERROR "mgpu_thrust: ${name} is not installed, and ${repository} cannot be reached. ${remedy}")
    endif()
  endif()
  FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW TRUE ${ARGN})
  FetchContent_MakeAvailable(${name})
endmacro()

# Finds the include directories of CCCL 3.0 or later (Thrust, CUB, libcu++) and of the CUDA runtime. They are those of
# CCCL's targets, if the project has these already, so that it has no second copy. The targets are not linked: they set
# Thrust's device system to CUDA, with which plain C++ files do not compile, while the system is the user's choice. Sets
# MGPU_THRUST_CCCL_INCLUDE_DIRS, to nothing if there is no CCCL or only an older one; MGPU_THRUST_CCCL_PROBLEM then says
# so. With FETCH, CCCL is downloaded if there is none.
macro(mgpu_thrust_find_cccl)
  # Candidates for CUDA's directory: the user's toolkit, the one that CMake finds, or the usual paths. From CUDA 13 on
  # Thrust is in `cccl`.
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
    MGPU_THRUST_CUDA_RUNTIME_DIR cuda_runtime_api.h
    HINTS ${_mgpu_thrust_roots}
    PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include
    DOC "The directory that holds cuda_runtime_api.h"
  )
  set(MGPU_THRUST_CCCL_PROBLEM "")
  mgpu_thrust_get_cccl_of_targets(MGPU_THRUST_CCCL_INCLUDE_DIRS)
  if(NOT MGPU_THRUST_CCCL_INCLUDE_DIRS)
    find_path(
      MGPU_THRUST_CCCL_DIR thrust/version.h
      HINTS ${_mgpu_thrust_roots}
      PATH_SUFFIXES include/cccl cccl include targets/x86_64-linux/include/cccl targets/sbsa-linux/include/cccl
      DOC "The directory that holds CCCL's thrust/, cub/, cuda/ and nv/, or a checkout of CCCL"
    )
    if(MGPU_THRUST_CCCL_DIR)
      mgpu_thrust_get_cccl_folders("${MGPU_THRUST_CCCL_DIR}" MGPU_THRUST_CCCL_INCLUDE_DIRS)
    endif()
  endif()
  if(MGPU_THRUST_CCCL_INCLUDE_DIRS)
    list(GET MGPU_THRUST_CCCL_INCLUDE_DIRS 0 _mgpu_thrust_first)
    mgpu_thrust_read_thrust_version("${_mgpu_thrust_first}" _mgpu_thrust_version)
    if(_mgpu_thrust_version LESS 300000)
      set(MGPU_THRUST_CCCL_INCLUDE_DIRS "")
      set(MGPU_THRUST_CCCL_PROBLEM
          "mgpu_thrust needs CCCL 3.0 (CUDA Toolkit 13.0) or later: ${_mgpu_thrust_first} has THRUST_VERSION ${_mgpu_thrust_version}. Set MGPU_THRUST_CCCL_DIR to the directory that holds a newer thrust/"
      )
    endif()
  elseif("${ARGV0}" STREQUAL "FETCH")
    mgpu_thrust_download(
      mgpu_thrust_cccl https://github.com/NVIDIA/cccl.git v3.0.3
      "Set MGPU_THRUST_CCCL_DIR to the directory that holds CCCL's thrust/, or to a checkout of CCCL 3.0 or later."
      SOURCE_SUBDIR none # the headers only, not CCCL's targets
    )
    mgpu_thrust_get_cccl_folders("${mgpu_thrust_cccl_SOURCE_DIR}" MGPU_THRUST_CCCL_INCLUDE_DIRS)
  else()
    set(MGPU_THRUST_CCCL_PROBLEM
        "mgpu_thrust needs CCCL 3.0 or later, and found none: set MGPU_THRUST_CCCL_DIR to the directory that holds thrust/"
    )
  endif()
  if(MGPU_THRUST_CUDA_RUNTIME_DIR)
    list(APPEND MGPU_THRUST_CCCL_INCLUDE_DIRS ${MGPU_THRUST_CUDA_RUNTIME_DIR})
    list(REMOVE_DUPLICATES MGPU_THRUST_CCCL_INCLUDE_DIRS)
  endif()
endmacro()
