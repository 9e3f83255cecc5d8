# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""A program of the library, compiled for a CPU, from which a document is made."""

import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def printed_by(source, cccl):
    """What a program prints. `cccl` is where the headers of CUDA are, with those of CCCL in cccl."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        compiler = os.environ.get("CXX", "g++")
        systems = ["-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP", "-I", ROOT]
        headers = ["-isystem", cccl / "cccl", "-isystem", cccl]
        command = [compiler, "-std=c++17", *systems, *headers, "-x", "c++", "-", "-o", program]
        subprocess.run(command, input=source, text=True, check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout
