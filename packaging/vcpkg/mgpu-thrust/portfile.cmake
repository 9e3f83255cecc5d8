# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
# Untested. A template, which packaging/publish.py fills in.
vcpkg_from_github(
  OUT_SOURCE_PATH source
  REPO @OWNER@/mgpu_thrust
  REF "v${VERSION}"
  SHA512 @SHA512@
)
set(VCPKG_BUILD_TYPE release) # headers alone
vcpkg_cmake_configure(
  SOURCE_PATH "${source}"
  OPTIONS -DMGPU_THRUST_ENABLE_TESTS=OFF -DMGPU_THRUST_ENABLE_EXAMPLES=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME mgpu_thrust CONFIG_PATH share/cmake/mgpu_thrust)
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
