# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors

# Installs the library, if it is to be found as a package, then builds the consumer and runs it.
#
#   cmake -DWAY=... -DSOURCE=... -DBUILD=... -DWORK=... -DCOMPILER=... -DGENERATOR=... [-DDEVICE_SYSTEM=...]
#         [-DCCCL=...] [-DOPTIONS=...] -P build_consumer.cmake
#
# WAY is how the consumer gets the library, SOURCE the library's source directory, BUILD its build directory, WORK a
# directory of the consumer's own, CCCL the MGPU_THRUST_CCCL_DIR of the library's build, OPTIONS further
# options for the consumer, one -D each, with | between them.

file(REMOVE_RECURSE "${WORK}")
string(REPLACE "|" ";" arguments "${OPTIONS}")
if(WAY STREQUAL "find_package")
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix" COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND arguments "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
else()
  list(APPEND arguments "-DSOURCE=${SOURCE}")
endif()
execute_process(
  COMMAND
    "${CMAKE_CTEST_COMMAND}" --build-and-test "${CMAKE_CURRENT_LIST_DIR}/consumer" "${WORK}/build"
    --build-generator "${GENERATOR}" --build-options "-DWAY=${WAY}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DDEVICE_SYSTEM=${DEVICE_SYSTEM}" "-DMGPU_THRUST_CCCL_DIR=${CCCL}" ${arguments}
    --test-command "${CMAKE_CTEST_COMMAND}" --output-on-failure --no-tests=error
  COMMAND_ERROR_IS_FATAL ANY
)

# The whole test suite of the consumer is its own test.
execute_process(
  COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${WORK}/build" -N
  OUTPUT_VARIABLE tests
  COMMAND_ERROR_IS_FATAL ANY
)
if(NOT tests MATCHES "Total Tests: 1\n")
  message(FATAL_ERROR "The consumer's tests are not its own alone:\n${tests}")
endif()
