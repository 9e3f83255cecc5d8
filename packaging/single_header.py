#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Writes the whole library as one header, mgpu_thrust.hpp, and the examples that read no file as programs that include it.
It lacks what mgpu_thrust.h does not include: several ranks.

    python3 packaging/single_header.py build/single

For places where a directory of headers is not at hand, such as a compiler in a browser. A project should include the
header of each family instead, which compiles in less time.
"""

import argparse
import pathlib
import re

import publish

ROOT = pathlib.Path(__file__).resolve().parents[1]
INCLUDE = re.compile(r"#\s*include <(mgpu_thrust/[^>]+)>")
OF_EXAMPLES = re.compile(r'#\s*include "([^"]+)"')
BEGIN_CUDA, END_CUDA = "#if defined(__CUDACC__)\n", "#endif\n"
HEAD = """// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
//
// All of mgpu_thrust {version}, made by packaging/single_header.py: for programs of one file. It needs C++17 and CCCL 3.0 or
// later. A program without CUDA defines THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP.
#pragma once
"""


def without_licence(path):
    """The lines of a header but those of its licence and copyright."""
    return [line for line in path.read_text().splitlines(keepends=True) if not line.startswith("// SPDX-")]


class Bundle:
    """Headers in the order in which a compiler reads them, each once for C++ and CUDA, or once for each of them."""

    def __init__(self):
        self.text = []
        self.for_all = set()
        self.for_cuda = set()

    def add(self, name, is_cuda):
        """Adds a header, and before it what it includes. In an #if of CUDA, where is_cuda, it is there for CUDA only."""
        if name in self.for_all or (is_cuda and name in self.for_cuda):
            return
        only_others = name in self.for_cuda  # which CUDA has read already
        (self.for_cuda if is_cuda else self.for_all).add(name)
        self.text.append(f"\n// {name}\n")
        depth = 0  # of #if, of which the headers have one kind around an include: of CUDA
        if only_others:
            self.text.append("#if !defined(__CUDACC__)\n")
        for line in without_licence(ROOT / name):
            included = INCLUDE.match(line)
            if included:
                self.add(included[1], is_cuda or depth > 0)
            elif line.strip() != "#pragma once":
                depth += line.startswith("#if") - line.startswith("#endif")
                self.text.append(line)
        if only_others:
            self.text.append(END_CUDA)


def single_header():
    bundle = Bundle()
    bundle.add("mgpu_thrust/mgpu_thrust.h", is_cuda=False)
    bundle.text.append("\n" + BEGIN_CUDA)
    for folder in ("block", "device"):
        for header in sorted((ROOT / "mgpu_thrust" / folder).glob("*.cuh")):
            bundle.add(f"mgpu_thrust/{folder}/{header.name}", is_cuda=True)
    bundle.text.append(END_CUDA)
    return HEAD.format(version=publish.version()) + "".join(bundle.text)


def single_program(path, lines=None, seen=None):
    """Returns an example with its own headers inserted, each once, and one include in place of the library's; `lines` are
    those before it, of the files `seen`."""
    is_header = lines is not None
    lines = lines if is_header else []
    seen = seen if is_header else set()
    seen.add(path.name)
    for line in without_licence(path) if is_header else path.read_text().splitlines(keepends=True):
        own = OF_EXAMPLES.match(line)
        if own:
            if own[1] not in seen:
                single_program(path.parent / own[1], lines, seen)
        elif INCLUDE.match(line):
            if '#include "mgpu_thrust.hpp"\n' not in lines:
                lines.append('#include "mgpu_thrust.hpp"\n')
        elif line.strip() != "#pragma once":
            lines.append(line)
    return "".join(lines)


def write(out):
    out.mkdir(parents=True, exist_ok=True)
    header = single_header()
    (out / "mgpu_thrust.hpp").write_text(header)
    for path in (ROOT / "examples").glob("*.cpp"):
        program = single_program(path)
        has_all = all(f"// {name}\n" in header for name in INCLUDE.findall(path.read_text()))
        if has_all and "ifstream" not in program:
            (out / path.name).write_text(program)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, help="folder to write to")
    write(parser.parse_args().out)


if __name__ == "__main__":
    main()
