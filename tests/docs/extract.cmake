# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Cuts the code out of the documentation, for the compiler. The texts hold semicolons and brackets, which CMake's lists
# do not keep: hence string(FIND) and string(SUBSTRING) only.

# Writes `content` to `file`, unless it is there already: then nothing is compiled anew.
function(write_source file content)
  if(EXISTS "${file}")
    file(READ "${file}" present)
  endif()
  if(NOT "${present}" STREQUAL "${content}")
    file(WRITE "${file}" "${content}")
  endif()
endfunction()

# Cuts all blocks between lines `opening` and `closing` out of the file `document`, whose name in messages is `name`.
# A block with a main() becomes <output>_<number>.<extension>. All others become functions of <output>.<extension>,
# whose main() calls them; their #include lines go to its top. Sets <variable> to the list of the sources written.
# #line makes the compiler and assert() speak of the document.
function(extract_code variable document name opening closing output extension)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${document}")
  file(READ "${document}" text)
  set(sources "")
  set(includes "")
  set(functions "")
  set(calls "")
  set(number 0)
  set(line 1)
  while(TRUE)
    # The next block, and the line that it starts on.
    string(FIND "${text}" "${opening}\n" begin)
    if(begin EQUAL -1)
      break()
    endif()
    math(EXPR number "${number} + 1")
    string(LENGTH "${opening}\n" length)
    math(EXPR begin "${begin} + ${length}")
    string(SUBSTRING "${text}" 0 ${begin} before)
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(REGEX REPLACE "[^\n]" "" newlines "${before}")
    string(LENGTH "${newlines}" newlines)
    math(EXPR line "${line} + ${newlines}")
    string(FIND "${text}" "${closing}" end)
    if(end EQUAL -1)
      message(FATAL_ERROR "${name}:${line}: the code that starts here has no end")
    endif()
    string(SUBSTRING "${text}" 0 ${end} code)
    string(SUBSTRING "${text}" ${end} -1 text)
    string(REGEX REPLACE "[^\n]" "" newlines "${code}")
    string(LENGTH "${newlines}" newlines)

    if(opening MATCHES "^@code") # in a header, whose comments it is in
      string(REGEX REPLACE "\n[ \t]*/// ?" "\n" code "\n${code}")
      string(SUBSTRING "${code}" 1 -1 code)
    endif()
    if(code MATCHES "int main *\\(")
      write_source("${output}_${number}.${extension}" "#line ${line} \"${name}\"\n${code}\n")
      list(APPEND sources "${output}_${number}.${extension}")
    else()
      string(REGEX MATCHALL "#include [<\"][^>\"\n]*[>\"]" block_includes "${code}")
      list(JOIN block_includes "\n" block_includes)
      string(REGEX REPLACE "#include [^\n]*" "" code "${code}")
      string(APPEND includes "${block_includes}\n")
      string(APPEND functions "static void block_${number}()\n{\n#line ${line} \"${name}\"\n${code}\n}\n\n")
      string(APPEND calls "  block_${number}();\n")
    endif()
    math(EXPR line "${line} + ${newlines}")
  endwhile()
  if(NOT functions STREQUAL "")
    file(READ "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/common_headers.h" common)
    write_source(
      "${output}.${extension}" "${common}\n${includes}\n${functions}int main()\n{\n${calls}  return 0;\n}\n"
    )
    list(APPEND sources "${output}.${extension}")
  endif()
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()
