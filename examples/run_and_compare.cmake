# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors

# Runs an example and compares what it prints with a file, byte for byte.
#
#   cmake -DPROGRAM=... [-DARGUMENT=...] -DEXPECTED=... -DACTUAL=... -P run_and_compare.cmake
#
# PROGRAM is run, with ARGUMENT if there is one; its output goes to the file ACTUAL, which is compared with the file EXPECTED.

execute_process(COMMAND "${PROGRAM}" ${ARGUMENT} OUTPUT_FILE "${ACTUAL}" RESULT_VARIABLE exit_code)
file(READ "${ACTUAL}" output)
message("${output}")
if(exit_code EQUAL 77) # Skipped: CTest finds the program's words in the output above.
  return()
endif()
if(NOT exit_code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} failed: ${exit_code}")
endif()

execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${ACTUAL}" "${EXPECTED}" RESULT_VARIABLE is_different)
if(is_different)
  message(FATAL_ERROR "The output above, in ${ACTUAL}, differs from ${EXPECTED}")
endif()
