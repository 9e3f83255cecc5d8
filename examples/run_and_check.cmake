# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors

# Runs the example unicode_sets, then the program that checks its numbers.
#
#   cmake -DPROGRAM=... -DCHECKER=... -DDATA=... -DCOUNTS=... -P run_and_check.cmake
#
# PROGRAM reads the directory DATA and writes its numbers to the file COUNTS; CHECKER reads both.

file(REMOVE "${COUNTS}")
execute_process(COMMAND "${PROGRAM}" "${DATA}" --counts "${COUNTS}" RESULT_VARIABLE exit_code)
if(exit_code EQUAL 77) # Skipped: CTest finds the program's words in the output above.
  return()
endif()
if(NOT exit_code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} failed: ${exit_code}")
endif()

execute_process(COMMAND "${CHECKER}" "${DATA}" "${COUNTS}" RESULT_VARIABLE exit_code)
if(NOT exit_code EQUAL 0)
  message(FATAL_ERROR "The numbers in ${COUNTS} are not those that ${CHECKER} computed")
endif()
