# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
#
# Targets and functions that tests, examples and benchmarks share. Users of the library do not need them.

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(OpenMP COMPONENTS CXX)
find_package(TBB CONFIG QUIET)
set(has_openmp no)
if(OpenMP_CXX_FOUND)
  set(has_openmp yes)
endif()
set(has_tbb no)
if(TBB_FOUND)
  set(has_tbb yes)
endif()
message(STATUS "mgpu_thrust: OpenMP policies: ${has_openmp}, TBB policies: ${has_tbb}")

# The options of tests on a CPU, and of the examples that are built with them: for a release -O1, which takes half the
# time of -O3 to compile. Examples alone, such as the demo, which prints times, keep -O3.
set(usual_options "")
if(MGPU_THRUST_ENABLE_TESTS)
  set(usual_options "$<$<CONFIG:Release>:-O1;-fstrict-aliasing>")
endif()

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
# g++ collects garbage from 128 MB of syntax trees on, of which Thrust's headers alone are more. From 700 MB on takes a
# tenth to a sixth less time.
set(garbage "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(garbage --param=ggc-min-heapsize=700000)
  target_compile_options(
    mgpu_thrust_system INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${garbage}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${garbage}>
  )
endif()
target_link_libraries(mgpu_thrust_system INTERFACE Threads::Threads)
if(OpenMP_CXX_FOUND)
  # Spelt out, as nvcc takes the flag for its host compiler only.
  target_compile_options(
    mgpu_thrust_system INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${OpenMP_CXX_FLAGS}>
                                 $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${OpenMP_CXX_FLAGS}>
  )
  target_link_libraries(mgpu_thrust_system INTERFACE ${OpenMP_CXX_LIBRARIES})
endif()
# MGPU_THRUST_HAS_TBB alone decides on TBB in tests and benchmarks: what is compiled is what is linked. Programs for a
# GPU do not use TBB, whose headers would be a fifth of all code that they include.
target_compile_definitions(
  mgpu_thrust_system INTERFACE $<$<COMPILE_LANGUAGE:CXX>:MGPU_THRUST_HAS_TBB=$<BOOL:${TBB_FOUND}>>
)
if(TBB_FOUND)
  target_link_libraries(mgpu_thrust_system INTERFACE TBB::tbb)
endif()

# mgpu_thrust_without_tbb: after mgpu_thrust_system, for code that uses no TBB policy. TBB's headers would be two fifths
# of the time to parse a header of ours, and hide that it lacks one of the standard library's.
add_library(mgpu_thrust_without_tbb INTERFACE)
target_compile_options(mgpu_thrust_without_tbb INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-UMGPU_THRUST_HAS_TBB>)

if(MGPU_THRUST_ENABLE_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES native)
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  if(MGPU_THRUST_CUDA_FRONT_END_ONLY)
    # nvcc would preprocess each file once more to find what it includes: about a second of each. So such a build is
    # one from scratch, cmake --build --clean-first.
    set(CMAKE_DEPFILE_FLAGS_CUDA "")
  endif()
endif()

# mgpu_thrust_use_front_end(target) compiles an OBJECT library of .cu files by nvcc's front end alone, which takes a
# sixth of the time of a whole compilation. The front end also parses the code for the host, with all templates that it
# uses. It does not detect errors in
#
#   - code for the host alone, in NV_IF_TARGET(NV_IS_HOST, ...) or after the #else of #ifdef __CUDA_ARCH__;
#   - code that only the host's compiler rejects;
#   - code that only the compiler to PTX or ptxas rejects, such as inline PTX, or a kernel that needs too much shared
#     memory, which all our kernels assert;
#   - functions that have no definition, or two;
#   - code for types of elements, offsets and policies that tests leave out by MGPU_THRUST_TEST_FEW_TYPES: each list has
#     a narrow integer, a class and what is too large for shared memory.
#
# The tests on a CPU detect these, the program that is LINKED, which is PTX of every family for the first architecture, and
# tests/compile_time, which is machine code of two sorts and a set operation. The cells of tests/matrix/matrix.py have
# every family's for each architecture. The front end's code is for one architecture: the one for which the library has
# specific code.
function(mgpu_thrust_use_front_end target)
  set_target_properties(${target} PROPERTIES CUDA_PTX_COMPILATION ON CUDA_ARCHITECTURES 90-virtual)
  target_compile_options(${target} PRIVATE -fdevice-syntax-only)
  target_compile_definitions(${target} PRIVATE MGPU_THRUST_TEST_FEW_TYPES)
endfunction()

# mgpu_thrust_add_group_source(group extension) adds to a target the one source that includes all that
# mgpu_thrust_include_in_group(group lines...) adds to it, later too. Programs of one group are one translation unit, which
# parses shared headers and makes shared instantiations once. So names in their unnamed namespaces must be unique in the
# group.
function(mgpu_thrust_add_group_source group extension)
  set(includes "$<JOIN:$<TARGET_PROPERTY:${group},MGPU_THRUST_INCLUDES>,\n>\n")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${group}.${extension})
  file(GENERATE OUTPUT ${source} CONTENT "${includes}" TARGET ${group})
  target_sources(${group} PRIVATE ${source})
endfunction()
function(mgpu_thrust_include_in_group group)
  set_property(TARGET ${group} APPEND PROPERTY MGPU_THRUST_INCLUDES ${ARGN})
endfunction()

# mgpu_thrust_add_cuda_program(target source [LINKED] [WITH group] [LIBRARIES ...]) adds a program for the GPU. With
# MGPU_THRUST_CUDA_FRONT_END_ONLY it is compiled by the front end alone, unless it is LINKED: that is the one that calls
# every family, with all headers (tests/headers). Programs WITH one group are then one: half the
# time.
function(mgpu_thrust_add_cuda_program target source)
  cmake_parse_arguments(ARG "LINKED" "WITH" "LIBRARIES" ${ARGN})
  if(MGPU_THRUST_CUDA_FRONT_END_ONLY AND NOT ARG_LINKED)
    cmake_path(ABSOLUTE_PATH source)
    if(NOT ARG_WITH)
      set(ARG_WITH ${target})
    endif()
    set(group ${ARG_WITH}_front_end)
    if(NOT TARGET ${group})
      add_library(${group} OBJECT)
      mgpu_thrust_add_group_source(${group} cu)
      mgpu_thrust_use_front_end(${group})
    endif()
    mgpu_thrust_include_in_group(${group} "#define main main_of_${target}" "#include \"${source}\"" "#undef main")
    target_link_libraries(${group} PRIVATE mgpu_thrust::mgpu_thrust mgpu_thrust_system ${ARG_LIBRARIES})
  else()
    add_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE mgpu_thrust::mgpu_thrust mgpu_thrust_system ${ARG_LIBRARIES})
    if(MGPU_THRUST_CUDA_FRONT_END_ONLY)
      # Every family as PTX of the first architecture. ptxas would take twice as long.
      set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES 75-virtual)
    endif()
  endif()
endfunction()

# mgpu_thrust_add_gpu_test(name program command...) adds the test of a program for the GPU, if it was linked. If there
# is no GPU, the program says so, and the test is skipped.
function(mgpu_thrust_add_gpu_test name program)
  if(TARGET ${program})
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS gpu SKIP_REGULAR_EXPRESSION "no CUDA device")
  endif()
endfunction()
