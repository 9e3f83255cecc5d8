# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors

# Checks that nvcc refuses each wrong call of a source file.
#
#   cmake "-DCOMPILE=nvcc;flags" -DSOURCE=... -P check_functions_of_the_host.cmake
#
# SOURCE declares a tag, `struct of_<name>;`, for each call. An error about a function of the host must name it. The same
# calls with functions that the device has too are in all tests for CUDA, where such an error fails the build.

# The front end alone would not report these errors. By default it reports the first hundred.
execute_process(COMMAND ${COMPILE} -Xcudafe --error_limit=10000 "${SOURCE}" ERROR_VARIABLE output)
file(STRINGS "${SOURCE}" tags REGEX "^struct of_[a-z_]+;")
set(compiled "")
foreach(tag IN LISTS tags)
  string(REGEX REPLACE "struct (of_[a-z_]+).*" "\\1" tag "${tag}")
  if(NOT output MATCHES "error: calling a __host__ function\\([^\n]*::${tag}>")
    list(APPEND compiled ${tag})
  endif()
endforeach()
if(NOT tags)
  message(FATAL_ERROR "${SOURCE} has no calls")
endif()
if(compiled)
  message(FATAL_ERROR "nvcc accepts functions of the host: ${compiled}")
endif()
