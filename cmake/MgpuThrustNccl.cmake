# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors

# Makes the target mgpu_thrust::nccl, which mgpu_thrust/distributed/nccl_communicator.cuh needs, of NCCL's header and
# library, if they are found: where NCCL_ROOT is, in the system, in the CUDA toolkit, or in the wheel nvidia-nccl-cu12 or
# nvidia-nccl-cu13 of the Python that is found, which has libnccl.so.2 alone. The library is linked where it is.
function(mgpu_thrust_find_nccl)
  if(TARGET mgpu_thrust::nccl)
    return()
  endif()
  set(places ${CUDAToolkit_ROOT} /usr/local/cuda)
  find_program(MGPU_THRUST_PYTHON NAMES python3 python DOC "The Python whose packages may have NCCL")
  mark_as_advanced(MGPU_THRUST_PYTHON)
  if(MGPU_THRUST_PYTHON)
    execute_process(
      COMMAND ${MGPU_THRUST_PYTHON} -c "import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])"
      OUTPUT_VARIABLE wheel
      OUTPUT_STRIP_TRAILING_WHITESPACE
      ERROR_QUIET
    )
    list(APPEND places ${wheel})
  endif()
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_ROOT} PATHS ${places} PATH_SUFFIXES include)
  # The library beside the header comes first: others may be of another version.
  cmake_path(GET NCCL_INCLUDE_DIR PARENT_PATH beside_header)
  find_library(
    NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS ${NCCL_ROOT} ${beside_header} PATHS ${places}
    PATH_SUFFIXES lib64 lib
  )
  mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
  if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
    add_library(mgpu_thrust::nccl UNKNOWN IMPORTED GLOBAL)
    set_target_properties(
      mgpu_thrust::nccl PROPERTIES IMPORTED_LOCATION "${NCCL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                      "${NCCL_INCLUDE_DIR}"
    )
  endif()
endfunction()
