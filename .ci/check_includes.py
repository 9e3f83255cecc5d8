#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a header of the library includes one above it. Run in the root of the repository.

Headers have ranks, and a header includes only headers of its own rank or below. Of another family a family includes only
sequential code and tuning.
"""

import pathlib
import re
import sys

# The rooms that are no family's, from the bottom up. Public folders rank with what they are made of.
ROOMS = ["detail/base", "agent", "detail/cut", "serial", "detail/tile", "block", "detail/execute", "family", "face"]
# In a family's room: sequential code is below the tiles, what a block does with a tile of the family is above them.
ABOVE = re.compile(r"(dispatch|inputs|cpu|cpu_jobs|cuda|launch|tuning|.*kernels?)$")


def room_of(header):
    """The folder of a header in detail/, or None."""
    parts = header.parts
    return parts[1] if parts[0] == "detail" else None


def rank_of(header):
    """The rank of a header, given by its path in mgpu_thrust/."""
    folder = str(header.parent)
    if folder in ROOMS:
        return ROOMS.index(folder)
    if room_of(header) is None:
        return ROOMS.index("detail/base" if header.name == "version.h" else "face")
    stem = header.stem.removeprefix("semi_").removeprefix("segmented_")
    if ABOVE.match(stem):
        return ROOMS.index("family")
    return ROOMS.index("serial" if header.suffix == ".h" else "block")


def problems(library):
    families = {p.name for p in (library / "detail").iterdir()} - {"base", "cut", "tile", "execute"}
    for path in sorted(p for p in library.rglob("*") if p.suffix in (".h", ".cuh")):
        header = path.relative_to(library)
        for text in re.findall(r"^#\s*include <mgpu_thrust/([^>]*)>", path.read_text(), re.MULTILINE):
            included = pathlib.PurePosixPath(text)
            if not (library / included).exists():
                yield f"{header} includes {included}, which does not exist"
            elif rank_of(included) > rank_of(header):
                yield f"{header} ({ROOMS[rank_of(header)]}) includes {included} ({ROOMS[rank_of(included)]})"
            elif header.suffix == ".h" and included.suffix == ".cuh" and not guarded(path, text):
                yield f"{header}, which every compiler reads, includes {included}"
            elif rank_of(header) < ROOMS.index("face") and room_of(header) in families:
                is_shared = rank_of(included) == ROOMS.index("serial") or included.stem.endswith("tuning")
                if room_of(included) in families - {room_of(header)} and not is_shared:
                    yield f"{header} includes {included} of another family"


def guarded(path, included):
    """Whether an #include depends on a macro: clang-format indents it."""
    return re.search(rf"^#  include <mgpu_thrust/{re.escape(included)}>", path.read_text(), re.MULTILINE)


def main():
    found = list(problems(pathlib.Path("mgpu_thrust")))
    print("\n".join(found) if found else "no header includes one above it")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
