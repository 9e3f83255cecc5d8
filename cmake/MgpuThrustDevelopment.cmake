# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What tests, examples and benchmarks share. Users of the library need none of it.

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(OpenMP COMPONENTS CXX)
find_package(TBB CONFIG QUIET)
message(STATUS "mgpu_thrust: OpenMP policies: ${OpenMP_CXX_FOUND}, TBB policies: ${TBB_FOUND}")

# mgpu_thrust_system: the Thrust system of a program, its parallel runtimes, and our warnings. A .cpp file has no CUDA
# system, so its device system is C++; a .cu file has Thrust's default.
add_library(mgpu_thrust_system INTERFACE)
target_compile_definitions(
  mgpu_thrust_system INTERFACE $<$<COMPILE_LANGUAGE:CXX>:THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP>
)
target_compile_options(
  mgpu_thrust_system INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall
                               -Werror=cross-execution-space-call>
)
target_link_libraries(mgpu_thrust_system INTERFACE Threads::Threads)
if(OpenMP_CXX_FOUND)
  # Spelt out, as nvcc takes the flag for its host compiler only.
  target_compile_options(
    mgpu_thrust_system INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${OpenMP_CXX_FLAGS}>
                                 $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${OpenMP_CXX_FLAGS}>
  )
  target_link_libraries(mgpu_thrust_system INTERFACE ${OpenMP_CXX_LIBRARIES})
endif()
if(TBB_FOUND)
  # Programs for a GPU do not use TBB, and its headers are a fifth of all that they would include.
  target_compile_definitions(mgpu_thrust_system INTERFACE $<$<COMPILE_LANGUAGE:CXX>:MGPU_THRUST_HAS_TBB=1>)
  target_link_libraries(mgpu_thrust_system INTERFACE TBB::tbb)
endif()

if(MGPU_THRUST_ENABLE_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES native)
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
endif()
