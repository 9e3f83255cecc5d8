# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""The Conan package: conan create ."""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import load


class MgpuThrust(ConanFile):
    name = "mgpu_thrust"
    description = "Modern GPU's algorithms on sorted data, as an extension of Thrust"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = ("cuda", "thrust", "set-operations", "merge", "sort", "join", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True
    exports_sources = "CMakeLists.txt", "cmake/*", "packaging/publisher.txt", "mgpu_thrust/*", "LICENSE"
    test_package_folder = "packaging/conan_test"

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "mgpu_thrust", "version.h"))
        number = int(re.search(r"#define MGPU_THRUST_VERSION (\d+)", header).group(1))
        self.version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def package_id(self):
        self.info.clear()

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "EXAMPLES", "BENCHMARKS"):
            toolchain.cache_variables[f"MGPU_THRUST_ENABLE_{part}"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # CMake's users get the package's own configuration, which finds CCCL.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["share/cmake/mgpu_thrust"]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
