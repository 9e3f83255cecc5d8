# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors

# Checks that a wrong use does not compile, and that the first error says what it must.
#
#   cmake "-DCOMPILE=compiler;flags" -DSOURCE=... -P check_compile_fail.cmake
#
# SOURCE says `// first error: <text>`, and, if it holds several wrong uses, `// errors: <number>`, how many errors have
# that text. With RIGHT_USE defined it must compile.

file(STRINGS "${SOURCE}" expected REGEX "^// first error: " LIMIT_COUNT 1)
string(REPLACE "// first error: " "" expected "${expected}")
if(expected STREQUAL "")
  message(FATAL_ERROR "${SOURCE} does not say which error it must give")
endif()

execute_process(
  COMMAND ${COMPILE} -DRIGHT_USE "${SOURCE}"
  RESULT_VARIABLE exit_code
  ERROR_VARIABLE output
)
if(NOT exit_code EQUAL 0)
  message("${output}")
  message(FATAL_ERROR "The right use does not compile")
endif()

execute_process(
  COMMAND ${COMPILE} "${SOURCE}"
  RESULT_VARIABLE exit_code
  ERROR_VARIABLE output
)
if(exit_code EQUAL 0)
  message(FATAL_ERROR "The wrong use compiles")
endif()
string(REGEX MATCH "error: [^\n]*" first_error "${output}")
string(FIND "${first_error}" "${expected}" position)
if(position EQUAL -1)
  message("${output}")
  message(FATAL_ERROR "The first error is not '${expected}'")
endif()

file(STRINGS "${SOURCE}" number REGEX "^// errors: " LIMIT_COUNT 1)
if(number)
  string(REPLACE "// errors: " "" number "${number}")
  string(REGEX MATCHALL "error: [^\n]*${expected}" errors "${output}")
  list(LENGTH errors found)
  if(NOT found EQUAL number)
    message("${output}")
    message(FATAL_ERROR "There are ${found} such errors, not ${number}")
  endif()
endif()
