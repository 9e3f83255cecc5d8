#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Writes the tables "What runs when" into the pages of how-it-works, from the comments of the paths in each choice.h.

    python3 docs/what_runs_when.py            # with --check it compares instead of writing

A page asks for the table of an enum class <name>_path by two comments, between which the table is written:

    <!-- what runs when, <name>: written by docs/what_runs_when.py -->
    <!-- end of what runs when -->

A path's comment is a sentence, then lines that begin with When, Kernels, Launches, Why and, if it depends on data, Data.
What stands in braces is a constant expression of namespace mgpu::detail, of which a C++ compiler prints the value. A kernel
that no choice.h of its room names is an error, and so is a name of none.
"""

import argparse
import pathlib
import re
import sys

import cpu_program

ROOT = cpu_program.ROOT
ROOMS = ROOT / "mgpu_thrust/detail"
PAGES = ROOT / "docs/how-it-works"
ASKED = re.compile(r"(<!-- what runs when, (\w+): [^\n]*-->\n)(.*?)(<!-- end of what runs when -->\n)", re.DOTALL)
KEYS = ("When", "Kernels", "Launches", "Why", "Data")
ENUM = re.compile(r"((?:^///[^\n]*\n)+)^enum class (\w+)_path\n\{\n(.*?)^\};", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"((?:^ *///.*\n)+)^ *(\w+),?$", re.MULTILINE)
KERNEL = re.compile(r"MGPU_THRUST_KERNEL void.*?(\w+_kernel)\(", re.DOTALL)


def text_of(comment):
    return " ".join(line.strip()[3:].strip() for line in comment.splitlines())


def fields_of(comment):
    """What a path does, and its lines by their first words."""
    parts = re.split(rf"\b({'|'.join(KEYS)}): ", text_of(comment))
    return {"What": parts[0].strip(), **{key: text.strip() for key, text in zip(parts[1::2], parts[2::2])}}


def number(text):
    value = int(text)
    if value >= 1024 and value & (value - 1) == 0:
        return f"2^{value.bit_length() - 1}"
    return f"{value:,}"


def values_of(expressions, headers, cccl):
    """The values of constant expressions, printed by a program that includes these headers."""
    prints = "".join(f"  std::printf(\"%lld\\n\", static_cast<long long>({e}));\n" for e in expressions)
    includes = "".join(f"#include <{h.relative_to(ROOT)}>\n" for h in headers)
    source = f"{includes}#include <cstdio>\nusing namespace mgpu::detail;\nint main()\n{{\n{prints}}}\n"
    return dict(zip(expressions, cpu_program.printed_by(source, cccl).split()))


def row(name, fields, values):
    def cell(text):
        return re.sub(r"\{(.*?)\}", lambda found: number(values[found.group(1)]), text).replace("|", "\\|")

    kernels = re.sub(r"\b\w+_kernel\b", lambda found: f"`{found.group()}`", fields["Kernels"])
    cells = [f"`{name}`: {fields['What']}", cell(fields["When"]), kernels, fields["Launches"], fields["Why"]]
    if "Data" in fields:
        cells[1] += f"; {cell(fields['Data'])}"
    return f"| {' | '.join(cells)} |\n"


def problems_of(headers):
    """Kernels that are named by no choice of their room, and names of no kernel."""
    everywhere = {name for path in ROOMS.rglob("*.cuh") for name in KERNEL.findall(path.read_text())}
    named = {header: set(re.findall(r"\b\w+_kernel\b", header.read_text())) for header in headers}
    for header, names in named.items():
        for name in sorted(names - everywhere):
            yield f"{header.relative_to(ROOT)} names {name}, which is no kernel"
    for room in {header.parent for header in headers}:
        of_room = set().union(*(names for header, names in named.items() if header.parent == room))
        kernels = {name for path in room.rglob("*.cuh") for name in KERNEL.findall(path.read_text())}
        for name in sorted(kernels - of_room):
            yield f"{room.relative_to(ROOT)}: {name} is of no path in a choice.h"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail if the page has other tables")
    parser.add_argument("--cccl", type=pathlib.Path, default=pathlib.Path("/usr/local/cuda/include"),
                        help="where the headers of CUDA are, with those of CCCL in cccl (%(default)s)")
    arguments = parser.parse_args()
    headers = sorted(ROOMS.rglob("*choice.h"))
    found = list(problems_of(headers))
    tables = []
    for header in headers:
        for comment, name, body in ENUM.findall(header.read_text()):
            tables.append((text_of(comment), name, [(path, fields_of(text)) for text, path in PATH.findall(body)]))
    for _, name, paths in tables:
        found += [f"{name}_path::{path} lacks {key}" for path, fields in paths for key in KEYS[:4] if key not in fields]
    if found:
        print("\n".join(found))
        return 1

    expressions = sorted({e for _, _, paths in tables for _, fields in paths for text in fields.values()
                          for e in re.findall(r"\{(.*?)\}", text)})
    values = values_of(expressions, headers, arguments.cccl)
    written = {
        name: f"\n{about}\n\n| path | when | kernels | launches | why |\n|---|---|---|---|---|\n"
        + "".join(row(path, fields, values) for path, fields in paths) + "\n" for about, name, paths in tables}
    pages = {page: page.read_text() for page in sorted(PAGES.glob("*.md"))}
    asked = {name for text in pages.values() for _, name, _, _ in ASKED.findall(text)}
    if asked != set(written):
        print(f"a table of no page, or a page's of no choice.h: {', '.join(sorted(asked ^ set(written)))}")
        return 1
    differ = 0
    for page, text in pages.items():
        filled = ASKED.sub(lambda found: found[1] + written[found[2]] + found[4], text)
        if filled != text and arguments.check:
            print(f"{page.relative_to(ROOT)} differs from the comments of choice.h: run docs/what_runs_when.py")
            differ = 1
        elif filled != text:
            page.write_text(filled)
    if not differ:
        print(f"{PAGES.relative_to(ROOT)} has the paths of {len(written)} tables")
    return differ


if __name__ == "__main__":
    sys.exit(main())
