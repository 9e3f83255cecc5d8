# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""The table of all cases in which a peer is faster, for figures.py.

A case is a call on one kind of inputs, of one size and of one type, on one card or by one CPU system. Its figure is the
least time of a peer over that of mgpu. Of several files with a case the figure is from one by the clock of a caller, if
there is one, and then from the newest. Each release of CCCL is a peer of its own. A row has the cases that differ in
type, form and size alone.
"""

import collections
import dataclasses
import re

import charts

HEAD = ["the call", "inputs", "elements", "on", "the fastest peer", "its time over ours, {} at most"]
FAMILIES = {
    "": "[Set operations](families/set_operations.md)",
    "segmented_set_operations_": "[Set operations on pairs of lists](families/segmented_set_operations.md)",
    "merge": "[Merges](families/merge.md)",
    "multiway_merge_": "[Merges of many runs](families/multiway_merge.md)",
    "sorted_search_": "[Searches](families/sorted_search.md)",
    "asof_join_": "[As-of joins](families/asof_join.md)",
    "semi_join_": "[Semi joins](families/semi_join.md)",
    "bulk_": "[Bulk edits](families/bulk.md)",
    "load_balance_": "[Load balancing](families/load_balance.md)",
    "interval": "[Intervals](families/interval.md)",
    "join_": "[Joins](families/join.md)",
    "range_join_": "[Range joins](families/range_join.md)",
    "segmented_reduce_": "[Segmented reductions](families/segmented_reduce.md)",
    "segmented_scan_": "[Segmented scans](families/segmented_scan.md)",
    "segmented_compact_": "[Segmented compaction](families/segmented_compact.md)",
    "window_reduce_": "[Window reductions](families/window_reduce.md)",
    "sort_": "[Sorts](families/sort.md)",
    "segmented_sort_": "[Segmented sorts](families/segmented_sort.md)",
    "locality_sort_": "[Locality sorts](families/segmented_sort.md)",
    "distributed_": "[Several ranks](several-ranks.md)",
}
TYPES = {"i32": "`int32`", "i64": "`int64`", "f32": "`float`", "f64": "`double`", "b16": "16 bytes"}
PEERS = {"thrust": "Thrust", "cub": "CUB", "cusparse": "cuSPARSE", "gnu": "`__gnu_parallel`", "std": "`std::`",
         "pstl": "std::execution", "one_gpu": "one GPU", "thrust_by_search": "Thrust, by searches",
         **charts.PEER_NAMES}
INPUTS = {"a_empty": "an empty first range", "b_empty": "an empty second range", **charts.INPUT_NAMES}
FORMS = {"none": "none kept", "one_in_10": "a tenth kept", "half": "half kept", "all": "all kept",
         "by_key": "by key", "keys_by_less": "by `<`", "size": "sizes", "combined": "combined"}


def family_of(entry):
    """The entry's family, as in FAMILIES; a short list against a long one is of the family of its call."""
    family = dataclasses.replace(entry, distribution="").family
    first = entry.operation.partition("_")[0]
    return first if first in ("merge", "interval") and family in ("", "load_balance_") else family


def place_of(entry):
    if entry.machine == "cpu":
        return "a CPU, one worker" if entry.workers == 1 else f"a CPU, {entry.workers} workers"
    return re.sub("^NVIDIA ", "", entry.description.split(",")[0])


def kind_of(entry):
    """The types and the form, in words."""
    types = "+".join(TYPES.get(part, part) for part in entry.types.split("+"))
    form = FORMS.get(entry.form, entry.form.replace("_gpus", " GPUs") if "_gpus" in entry.form else "")
    return f"{types} {form}".strip()


def inputs_of(distribution, family):
    """A distribution in words, as docs/performance.md has them."""
    words = re.sub("_shuffled$", ", shuffled", INPUTS.get(distribution, distribution))
    words = re.sub(r"^equal_(\d+)", r"\1 each", words)
    words = re.sub(r"^runs_(\d+)", r"\1 runs", words) if family == "multiway_merge_" else words
    words = words.replace("_", " ")
    return re.sub(r"\d{4,}", lambda number: f"{int(number[0]):,}", words)


def peer_of(library, file):
    """A peer's name, with its release if the file is of another one than most."""
    release = re.match(r"cccl_(\d+)_(\d+)/", file)
    name = re.sub(r"\w+::\w+", r"`\g<0>`", PEERS.get(library, library))
    return name + (f" {release[1]}.{release[2]}" if release else "")


def best_of_cases(results):
    """The result with the best peer for each case: (least time of a peer over ours, peer, result)."""
    chosen = {}
    for result in results.all:
        e = result.entry
        if not (e.library == "mgpu" or e.clock):
            continue
        best = results.fastest(result)
        if best:
            release = result.file.rpartition("/")[0]
            case = (place_of(e), e.system, release, e.operation, e.form, e.types, e.distribution, e.n)
            rank = (("graph", "device", "", "wait").index(e.clock), results.dates[result.file], result.file)
            if case not in chosen or rank > chosen[case][0]:
                chosen[case] = rank, (*best, result)
    return [best for _, best in chosen.values()]


def size_of(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}"


def ranges(sizes, recorded):
    """Sizes in words: those that follow each other among the recorded ones are a range."""
    found = []
    for index, n in enumerate(sorted(recorded)):
        if n in sizes and found and found[-1][-1][0] == index - 1:
            found[-1].append((index, n))
        elif n in sizes:
            found.append([(index, n)])
    ends = [(size_of(of_range[0][1]), size_of(of_range[-1][1])) for of_range in found]
    return ", ".join(first if first == last else f"{first} to {last}" for first, last in ends)


def joined(rows, field):
    """Rows that differ in one field, and in their ratios, as one."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[tuple(value for name, value in row.items() if name not in (field, "ratios"))].append(row)
    for same in groups.values():
        values = charts.ordered(value for row in same for value in row[field])
        yield {**same[0], field: tuple(values), "ratios": [ratio for row in same for ratio in row["ratios"]]}


def rows_of(cases, limit):
    """The rows of a family."""
    groups = collections.defaultdict(list)
    for ratio, library, result in cases:
        e, release = result.entry, result.file.rpartition("/")[0]
        groups[e.operation, e.distribution, place_of(e), release].append((ratio, library, result))
    rows = []
    for (operation, distribution, place, _), group in groups.items():
        faster = [case for case in group if case[0] <= limit]
        if faster:
            kinds = sorted({kind_of(result.entry) for *_, result in faster}, key=lambda kind: ("int" not in kind, kind))
            peers = sorted({peer_of(library, result.file) for _, library, result in faster})
            sizes = ranges(*({result.entry.n for *_, result in found} for found in (faster, group)))
            rows.append({"calls": (operation,), "inputs": (distribution,), "kinds": tuple(kinds), "sizes": sizes,
                         "places": (place,), "peers": tuple(peers), "ratios": [ratio for ratio, *_ in faster]})
    for field in ("inputs", "calls", "places"):
        rows = list(joined(rows, field))

    def first(row):
        return row["calls"][0], row["places"][0], row["inputs"][0]

    order = charts.ordered(first(row) for row in rows)
    return sorted(rows, key=lambda row: order.index(first(row)))


def table(results, limit):
    """The table in Markdown of all cases in which a peer's time is at most `limit` of ours."""
    of_family = collections.defaultdict(list)
    for case in best_of_cases(results):
        of_family[FAMILIES[family_of(case[2].entry)]].append(case)
    lines = [[cell.format(limit) for cell in HEAD], ["---"] * len(HEAD)]
    without, without_results = [], []  # families that have no row
    for family, title in FAMILIES.items():
        rows = rows_of(of_family[title], limit)
        if not rows:
            (without if of_family[title] else without_results).append(title)
            continue
        lines.append([f"**{title}**"] + [""] * (len(HEAD) - 1))
        for row in rows:
            low, high = f"{min(row['ratios']):.2f}", f"{max(row['ratios']):.2f}"
            inputs = "; ".join([*(inputs_of(name, family) for name in row["inputs"]), ", ".join(row["kinds"])])
            lines.append([
                ", ".join(f"`{call}`" for call in row["calls"]), inputs, row["sizes"], "; ".join(row["places"]),
                ", ".join(row["peers"]), low if low == high else f"{low} to {high}"])
    for name, titles in (("no case", without), ("no results yet", without_results)):
        if titles:
            lines.append([name, ", ".join(titles)] + [""] * (len(HEAD) - 2))
    return "\n".join("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|" for cells in lines)
