# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Checks that a wrong use does not compile, and that the first error says what it must.
#
#   cmake -DCOMPILER=... -DFLAGS=... -DSOURCE=... -P check_compile_fail.cmake
#
# SOURCE says `// first error: <text>`. With RIGHT_USE defined it must compile.

file(STRINGS "${SOURCE}" expected REGEX "^// first error: " LIMIT_COUNT 1)
string(REPLACE "// first error: " "" expected "${expected}")
if(expected STREQUAL "")
  message(FATAL_ERROR "${SOURCE} does not say which error it must give")
endif()

execute_process(
  COMMAND "${COMPILER}" ${FLAGS} -fsyntax-only -DRIGHT_USE "${SOURCE}"
  RESULT_VARIABLE exit_code
  ERROR_VARIABLE output
)
if(NOT exit_code EQUAL 0)
  message("${output}")
  message(FATAL_ERROR "The right use does not compile")
endif()

execute_process(
  COMMAND "${COMPILER}" ${FLAGS} -fsyntax-only "${SOURCE}"
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
