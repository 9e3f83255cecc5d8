# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
#
# CPack executes this before it makes a package. A Debian package has its licence and its changes where, and as, Debian's
# policy says: share/doc/mgpu-thrust/copyright and changelog.Debian.gz.

if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(source "${CMAKE_CURRENT_LIST_DIR}/..")
set(documents "${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc")
file(REMOVE_RECURSE "${documents}/mgpu_thrust") # it holds the licence
set(documents "${documents}/${CPACK_PACKAGE_NAME}")

# Debian has the text of the licence; that of the exception is at the end of LICENSE.
file(READ "${source}/LICENSE" licence)
string(REGEX MATCH "---- LLVM Exceptions.*" exception "${licence}")
string(STRIP "${exception}" exception)
string(REGEX REPLACE "\n\n+" "\n.\n" exception "${exception}")
string(REPLACE "\n" "\n " exception "${exception}")
file(
  WRITE "${documents}/copyright"
  "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: mgpu_thrust
Upstream-Contact: ${CPACK_PACKAGE_CONTACT}

Files: *
Copyright: 2026 The mgpu_thrust authors
License: Apache-2.0 WITH LLVM-exception
 The Apache License, Version 2.0, is in /usr/share/common-licenses/Apache-2.0.
 .
 ${exception}
"
)

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(
  WRITE "${documents}/changelog.Debian"
  "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=low

  * Upstream release; its CHANGELOG.md has the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
"
)
execute_process(COMMAND gzip -9n "${documents}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
file(
  CHMOD "${documents}/copyright" "${documents}/changelog.Debian.gz"
  PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
)
