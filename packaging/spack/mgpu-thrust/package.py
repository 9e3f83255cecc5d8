# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Untested. Set OWNER, and sha256 to that of the release's archive.

from spack.package import *


class MgpuThrust(CMakePackage):
    """Modern GPU's algorithms on sorted data, as an extension of Thrust."""

    homepage = "https://github.com/OWNER/mgpu_thrust"
    url = "https://github.com/OWNER/mgpu_thrust/archive/refs/tags/v1.0.0.tar.gz"
    license("Apache-2.0 WITH LLVM-exception")

    version("1.0.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("cuda@13:")

    def cmake_args(self):
        return [
            self.define("MGPU_THRUST_ENABLE_TESTS", False),
            self.define("MGPU_THRUST_ENABLE_EXAMPLES", False),
        ]
