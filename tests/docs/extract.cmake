# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors

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

# Cuts all blocks between lines `opening` and `closing` out of files, given relative to the project's directory. A block
# with a main() becomes <output>_<file>_<number>.<extension>. All others become functions of <output>.<extension>, whose
# main() calls them; their #include lines go to its top. Sets <variable> to the list of the sources written. #line makes
# the compiler and assert() speak of the document.
function(extract_code variable opening closing output extension)
  set(sources "")
  set(includes "")
  set(functions "")
  set(calls "")
  foreach(document IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "${document}" document_id)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${document}")
    file(READ "${PROJECT_SOURCE_DIR}/${document}" text)
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
        message(FATAL_ERROR "${document}:${line}: the code that starts here has no end")
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
        write_source("${output}_${document_id}_${number}.${extension}" "#line ${line} \"${document}\"\n${code}\n")
        list(APPEND sources "${output}_${document_id}_${number}.${extension}")
      else()
        string(REGEX MATCHALL "#include [<\"][^>\"\n]*[>\"]" block_includes "${code}")
        list(JOIN block_includes "\n" block_includes)
        string(REGEX REPLACE "#include [^\n]*" "" code "${code}")
        string(APPEND includes "${block_includes}\n")
        set(block "${document_id}_${number}")
        string(APPEND functions "static void ${block}()\n{\n#line ${line} \"${document}\"\n${code}\n}\n\n")
        string(APPEND calls "  ${block}();\n")
      endif()
      math(EXPR line "${line} + ${newlines}")
    endwhile()
  endforeach()
  if(NOT functions STREQUAL "")
    file(READ "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/common_headers.h" common)
    write_source(
      "${output}.${extension}" "${common}\n${includes}\n${functions}int main()\n{\n${calls}  return 0;\n}\n"
    )
    list(APPEND sources "${output}.${extension}")
  endif()
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()
