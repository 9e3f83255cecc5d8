# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
# Untested. A template, which packaging/publish.py fills in.

from spack.package import *


class MgpuThrust(CMakePackage):
    """Modern GPU's algorithms on sorted data, as an extension of Thrust."""

    homepage = "https://github.com/@OWNER@/mgpu_thrust"
    url = "https://github.com/@OWNER@/mgpu_thrust/archive/refs/tags/v@VERSION@.tar.gz"
    license("Apache-2.0 WITH LLVM-exception")

    version("@VERSION@", sha256="@SHA256@")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("cuda@13:")

    def cmake_args(self):
        return [
            self.define("MGPU_THRUST_ENABLE_TESTS", False),
            self.define("MGPU_THRUST_ENABLE_EXAMPLES", False),
        ]
