#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Fails if a header of the library includes one that it must not, or has a construct of one compiler, or if an example
uses a name that is no API. Run in the root of the repository.

A header includes, itself or through others, a header that declares each name of the library that it uses: what it
qualifies (functions always are), macros, types and constants. The same holds for names of others, by a table. So
a translation unit of tests/headers may have headers that do not include each other, nor the same headers of those.

A header includes only headers of its own rank or below. Of another family a family includes only sequential code and
tuning; and its launch includes the other's launch, to queue a job of that family. What every compiler reads includes
what only CUDA compilers read, a .cuh, only where a macro allows it. What compilers call by names of their own is in the
headers that define macros for it. Functions of the device layer that return an error are [[nodiscard]]. The macros that
an example may use are those that docs/compatibility.md names.
"""

import functools
import pathlib
import re
import sys

# From the bottom up. A name of a folder is the rank of all its headers; those of a family's room have several. A room may
# have rooms inside, whose headers have the ranks that they would have in it.
RANKS = ["detail/base", "agent", "detail/cut", "serial", "detail/tile", "detail/driver", "block", "detail/execute", "job", "family",
         "distributed", "detail/distributed", "face"]
# Of the public headers these hold names alone.
NAMES = {"deferred.h", "version.h", "asof_directions.h", "join_kinds.h", "range_bounds.h", "temporary_storage_error.h",
         "rank_error.h", "keep_all.h"}
# Of a family's functions besides those that it is named for: files of their own have this prefix.
PREFIXES = {"sort": "segmented_", "sorted_search": "asof_"}
# In a family's room: sequential code is below the tiles, what a block does with a tile of the family is above them.
ABOVE = re.compile(r"(cpu|cpu_sources|(.*_)?launch|.*kernels?)$")
# What the code of all ranks above the tiles asks: constants, and which path to take.
CHOICES = re.compile(r"(tuning|choice)$")

# The headers that define macros and functions for what one compiler has, and what no other header may have.
COMPILERS = {pathlib.Path("detail/base", name) for name in ("compiler.h", "config.h", "target.h")}
OF_ONE_COMPILER = re.compile(
    r"__(builtin_|attribute__|declspec|extension__|restrict|int128|typeof|forceinline|PRETTY_FUNCTION__|FUNCSIG__|GNUC__|"
    r"clang__|NVCC__|pragma)|_MSC_VER|_Pragma|\btypeof\b|# *pragma (?!once|unroll|omp)")
# A .cuh, or what depends on a macro, is for CUDA compilers; clang-format indents after #if.
OF_CUDA_COMPILERS = re.compile(r"\basm\b|#pragma unroll|__shared__")

COMPATIBILITY = pathlib.Path("docs/compatibility.md")
PRIVATE = re.compile(r"MGPU_THRUST_\w+|mgpu::detail\b|mgpu_thrust/detail/")

# Names that a header declares in a namespace, where clang-format indents nothing. A specialization declares none.
TYPES = re.compile(r"^(?:struct|class|enum class|enum|union) (\w+)\b(?!<)|^using (\w+) =|"
                   r"^(?:inline )?constexpr [\w:]+ (\w+) ?[={]", re.MULTILINE)
OTHER_NAMES = re.compile(r"^# *define (\w+)|^(?=\w)(?:[\w:<>,&*\[\] ]*?[\w>&*] )?\*?&?(\w+)\(", re.MULTILINE)
USED_NAMES = re.compile(r"\b(?:detail|mgpu)::(\w+)|\b(MGPU_THRUST_\w+)")
USED_TYPES = re.compile(r"(?<![\w.>:])(\w+)(?=<|::|\{|[&*]* \w)")
MEMBER_TYPES = re.compile(r"^ +(?:struct|class|enum class|enum|union) (\w+)", re.MULTILINE)

# The headers of names of CUB, of libcu++ without cuda::std, and of Thrust's iterators. A name that is not here is refused.
HEADERS_OF_OTHERS = {
    "cub/block/block_reduce.cuh": r"cub::BlockReduce",
    "cub/block/block_scan.cuh": r"cub::(BlockScan|BLOCK_SCAN_WARP_SCANS)",
    "cub/device/device_for.cuh": r"cub::DeviceFor",
    "cub/device/device_scan.cuh": r"cub::DeviceScan",
    "cub/thread/thread_store.cuh": r"cub::(ThreadStore|STORE_CS)",
    "cub/util_ptx.cuh": r"cub::Shuffle(Up|Down|Index)",
    "cub/util_type.cuh": r"cub::(Uninitialized|UnitWord)",
    "cub/warp/warp_reduce.cuh": r"cub::WarpReduce",
    "cub/warp/warp_scan.cuh": r"cub::WarpScan",
    "cuda/atomic": r"cuda::(atomic_ref|memory_order_\w+|thread_scope_\w+)",
    "cuda/cmath": r"cuda::(ceil_div|round_up|ilog2)",
    "cuda/functional": r"cuda::(maximum|minimum)",
    "cuda/argument": r"cuda::args",
    "cuda/memory_resource": r"cuda::mr",
    "cuda/ptx": r"cuda::ptx",
    "cuda/stream_ref": r"cuda::(stream_ref|get_stream_t)",
    "cuda/type_traits": r"cuda::is_trivially_copyable_v",
    "thrust/iterator/iterator_traits.h": r"thrust::iterator_(system|traversal)_t",
    **{f"thrust/iterator/{name}.h": rf"thrust::(make_)?{name}" for name in (
        "counting_iterator", "discard_iterator", "permutation_iterator", "reverse_iterator", "transform_input_output_iterator",
        "transform_iterator", "transform_output_iterator", "zip_iterator")},
}
NAMES_OF_OTHERS = re.compile(
    r"\bcub::\w+|(?<!thrust)::(cuda::(?!std\b)\w+)|thrust::(?:\w+_iterator|iterator_\w+)\b(?<!is_contiguous_iterator)")


def room_of(header):
    """The room of a header in detail/, or None."""
    parts = header.parts
    return parts[1] if parts[0] == "detail" else None


def rank_of(header):
    """The rank of a header, given by its path in mgpu_thrust/."""
    room = room_of(header)
    folder = f"detail/{room}" if room else str(header.parent)
    if room is None and header.name in NAMES:
        return RANKS.index("detail/base")
    if folder in RANKS:
        return RANKS.index(folder)
    if room is None:
        return RANKS.index("face")
    stem = header.stem.removeprefix(PREFIXES.get(room, ""))
    if stem == "job":
        return RANKS.index("job")
    if CHOICES.match(stem):
        return RANKS.index("block")
    if ABOVE.match(stem):
        return RANKS.index("family")
    return RANKS.index("serial" if header.suffix == ".h" else "block")


def constructs_of_one_compiler(header, text):
    if header in COMPILERS:
        return
    for number, line in enumerate(text.splitlines(), 1):
        code = line.partition("//")[0]
        found = OF_ONE_COMPILER.search(code) or (header.suffix == ".h" and OF_CUDA_COMPILERS.search(code))
        if found:
            yield f"{header}:{number}: {found.group().strip()} belongs in detail/base/compiler.h"


def errors_to_discard(header, text):
    if header.parent.name == "device":
        for name in re.findall(r"^ *(?:static )?cudaError_t (\w+)\(", text, re.MULTILINE):
            yield f"{header}: {name} returns an error and is not [[nodiscard]]"


def private_names(examples, api):
    for path in sorted(p for p in examples.iterdir() if p.suffix in (".cpp", ".cu", ".h")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for name in PRIVATE.findall(line):
                if f"`{name}`" not in api:
                    yield f"{path}:{number}: {name} is no API: {COMPATIBILITY} does not name it"


def names_not_included(library):
    """Yields uses of names whose headers are not included."""
    texts = {str(path.relative_to(library)): re.sub(r'//.*|"[^"\n]*"', "", path.read_text())
             for path in library.rglob("*") if path.suffix in (".h", ".cuh")}
    included = {header: re.findall(r"^# *include <(?:mgpu_thrust/)?([^>]*)>", text, re.MULTILINE)
                for header, text in texts.items()}

    @functools.lru_cache(None)
    def seen_by(header):
        return frozenset((header,)).union(*(seen_by(other) for other in included.get(header, ())))

    def declared(pattern):
        found = {}
        for header, text in texts.items():
            for names in pattern.findall(text):
                found.setdefault("".join(names), set()).add(header)
        return found

    types = declared(TYPES)
    names = declared(OTHER_NAMES)
    for name, headers in types.items():
        names.setdefault(name, set()).update(headers)
    for header, text in sorted(texts.items()):
        used = {"".join(found) for found in USED_NAMES.findall(text)} & names.keys()
        used |= set(USED_TYPES.findall(text)) & types.keys() - set(MEMBER_TYPES.findall(text))
        for name in sorted(used):
            if not names[name] & seen_by(header):
                yield f"{header} uses {name}, and includes no header that declares it: {', '.join(sorted(names[name]))}"
        yield from names_of_others_not_included(header, text, seen_by(header))


def names_of_others_not_included(header, text, seen):
    """Yields uses of names of others in a header that has not `seen` their headers."""
    for name in sorted({found.group(1) or found.group() for found in NAMES_OF_OTHERS.finditer(text)}):
        declaring = [other for other, names in HEADERS_OF_OTHERS.items() if re.fullmatch(names, name)]
        if not declaring:
            yield f"{header} uses {name}, of which HEADERS_OF_OTHERS in .ci/check_includes.py lacks the header"
        elif not seen.intersection(declaring):
            yield f"{header} uses {name}, and does not include {declaring[0]}"


def problems(library):
    shared = {"base", "cut", "tile", "driver", "execute", "distributed"}
    families = {p.name for p in (library / "detail").iterdir()} - shared
    for path in sorted(p for p in library.rglob("*") if p.suffix in (".h", ".cuh")):
        header = path.relative_to(library)
        yield from constructs_of_one_compiler(header, path.read_text())
        yield from errors_to_discard(header, path.read_text())
        for indent, text in re.findall(r"^#( *)include <mgpu_thrust/([^>]*)>", path.read_text(), re.MULTILINE):
            included = pathlib.PurePosixPath(text)
            queues_job = header.stem == included.stem == "launch"
            is_shared = rank_of(included) == RANKS.index("serial") or included.stem.endswith("tuning") or queues_job
            rooms = {room_of(header), room_of(included)}
            if not (library / included).exists():
                yield f"{header} includes {included}, which does not exist"
            elif rank_of(included) > rank_of(header):
                yield f"{header} ({RANKS[rank_of(header)]}) includes {included} ({RANKS[rank_of(included)]})"
            elif header.suffix == ".h" and included.suffix == ".cuh" and not indent:  # clang-format indents after #if
                yield f"{header}, which every compiler reads, includes {included}"
            elif len(rooms & families) == 2 and not is_shared:
                yield f"{header} includes {included} of another family"


def main():
    library = pathlib.Path("mgpu_thrust")
    found = list(problems(library)) + list(names_not_included(library))
    found += private_names(pathlib.Path("examples"), COMPATIBILITY.read_text())
    print("\n".join(found) if found else "every header includes what it uses, and only what it may; none has a construct of "
          "one compiler, or an error to discard; examples use names that are API")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
