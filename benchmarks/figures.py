#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Writes the figures in the documents from the results of the benchmarks, or checks that they are those.

    build/python/bin/python benchmarks/figures.py            # writes them
    build/python/bin/python benchmarks/figures.py --check    # exits with status 1 if one differs, or has no query

A figure is a number with a decimal point, or one before %, ms, us or "times", or one that a figure follows after "to",
"and", "or", or a comma, or that follows a figure after "to". In a table each number outside the first column is one.
Versions, and what is code, are none. Each paragraph, list or table with figures stands below a comment, which no reader
sees. Of a paragraph it has queries for the figures, in their order. Digits after the point remain as many as are written.

    <!-- figures
    bulk_h200 bulk_remove i32 one_in_2 n=2^27: ms, percent, ratio thrust
    bulk_h200_wait bulk_insert n=2^13..2^18: min ratio, max ratio
    -->
    On an H200 the removal of every other of 2^27 `int32` takes 0.257 ms, 97 % of the speed of a copy, ...

What stands before the colon selects results. A word is a file of benchmarks/results, or what names of benchmarks
consist of: `a|b` is either, `!a` all others, and `*` stands for any letters. n is that of --n. What stands behind it is,
of the one result selected, or as the least (min) or most (max) of all:

    ms, us           mgpu's time
    percent          percent of the speed of a copy
    ratio PEER       the peer's time over that of mgpu; without PEER, that of the fastest, but for radix sort and for
                     parts of the call itself
    inverse PEER     one over that
    per_byte DIST    mgpu's time a byte over that of the same with the distribution DIST
    workers          the time of one worker of mgpu over that of several

Of a table the comment has the selection of each column after the first and of each row, which are taken together, and
the figures of a cell. Several rows joined by & have theirs in one cell. All results of a table are of one commit and
one card, which the line below the table names.

    <!-- figures
    columns: i32; i64
    rows: bulk_h200 bulk_remove n=2^27; bulk_h200 bulk_insert n=2^27
    cells: ms, percent
    -->

The table of all cases in which a peer takes at most a part of our time is written whole: faster_peers.py.

    <!-- figures
    faster peers: 0.95
    -->
"""

import argparse
import collections
import dataclasses
import difflib
import fnmatch
import functools
import json
import re
import sys
from pathlib import Path

import charts
import faster_peers

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks/results"
DOCUMENTS = ["README.md", "docs/performance.md", "docs/which-function.md", "docs/index.md", "docs/families/*.md"]
NUMBER = re.compile(r"(?<![\w^.,+=/-])\d+(?:\.\d+)?(?![\w^]|[.,]\d)")
UNIT = re.compile(r"(?: and more)?\s+(?:%|ms\b|us\b|times\b)")
JOINED = re.compile(r"(?:\s+(?:to|and|or)|,(?: and| or)?|\s+/)\s+\(?")
VERSIONED = re.compile(r"(?:CCCL|CUB|CUDA|CMake|Toolkit|Xeon|C\+\+|g\+\+) $")
CODE = re.compile(r"`[^`]*`|\]\([^)]*\)")
MEASURED = "Measured: "


class BadQuery(Exception):
    """A query that selects nothing, or too much."""


@dataclasses.dataclass(frozen=True)
class Result:
    """An entry of a file."""
    file: str
    entry: charts.Entry

    @property
    def problem(self):
        """What mgpu and its peers have in common; on a CPU, serial peers are those of all systems."""
        e = self.entry
        return self.file, e.machine, e.operation, e.form, e.types, e.distribution, e.n

    @property
    def call(self):
        return self.file, self.entry.operation, self.entry.form, self.entry.types

    @functools.cached_property
    def words(self):
        e = self.entry
        return self.file, e.operation, e.form, e.types, e.distribution, e.system


class Results:
    """The results of all files."""

    def __init__(self, folder):
        files = [path for pattern in ("*.json", "*/*.json") for path in sorted(folder.glob(pattern))]
        self.all = [Result(str(path.relative_to(folder).with_suffix("")), entry)
                    for path in files for entry in charts.load(path).values()]
        self.of_problem, self.of_word, self.of_mgpu = (collections.defaultdict(list) for _ in range(3))
        for index, result in enumerate(self.all):
            self.of_problem[result.problem].append(result)
            for word in result.words:
                self.of_word[word].append(index)
            if result.entry.library == "mgpu":
                self.of_mgpu[result.call].append(result.entry)
        self.used = []
        self.dates = {str(path.relative_to(folder).with_suffix("")):
                      json.loads(path.read_text(encoding="utf-8"))["context"].get("date", "") for path in files}

    @functools.lru_cache(maxsize=None)
    def selected_by(self, word):
        """The indices of the results that a word selects."""
        size = re.fullmatch(r"n=2\^(\d+)(\.\.(?:2\^(\d+))?)?", word)
        if size:
            low = 2 ** int(size[1])
            high = 2 ** int(size[3]) if size[3] else float("inf") if size[2] else low
            return {i for i, result in enumerate(self.all) if low <= result.entry.n <= high}
        patterns = word.removeprefix("!").split("|")
        found = {i for name, indices in self.of_word.items()
                 if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns) for i in indices}
        if not found:
            raise BadQuery(f"no result has {word}")
        return set(range(len(self.all))) - found if word.startswith("!") else found

    def select(self, words):
        indices = functools.reduce(set.intersection, [self.selected_by(word) for word in words])
        return [self.all[i] for i in sorted(indices)]

    def fastest(self, result, peer=None):
        """The least time of a peer, or that of this one, over that of mgpu, and the peer; None if none was measured."""
        e = result.entry
        found = []
        for other in self.of_problem[result.problem]:
            o = other.entry
            is_rival = o.library in charts.PEERS and o.library not in (charts.RADIX, charts.BOUND)
            if not (o.library == peer or (not peer and is_rival)):
                continue
            if e.clock and o.system == e.system:
                found.append((o.ratio, o.library))
            elif not e.clock and o.library != "mgpu" and o.system in (e.system, "seq"):
                found.append((o.milliseconds / e.milliseconds, o.library))
        return min(found, default=None)

    def value(self, result, what):
        """A figure of one result, or None if it has none such."""
        kind, _, argument = what.partition(" ")
        e = result.entry
        if kind == "ms":
            return e.milliseconds
        if kind == "us":
            return 1e3 * e.milliseconds
        if kind == "percent":
            return e.percent if not e.clock else None
        if kind in ("ratio", "inverse"):
            ratio, _ = self.fastest(result, argument) or (None, None)
            return 1 / ratio if ratio and kind == "inverse" else ratio
        same = self.of_mgpu[result.call]
        if kind == "per_byte":
            others = [o for o in same if (o.distribution, o.system) == (argument, e.system) and o.n == e.n]
            return others[0].speed / e.speed if others else None
        if kind == "workers":
            others = [o for o in same if (o.distribution, o.n) == (e.distribution, e.n) and o.workers == 1
                      and o.system.partition(":")[0] in ("seq", e.system.partition(":")[0])]
            return min(o.milliseconds for o in others) / e.milliseconds if others and e.workers > 1 else None
        raise BadQuery(f"{what}: there is no such figure")

    def figure(self, words, what):
        """The value that a query asks for, or None if its results have none such."""
        first, _, rest = what.partition(" ")
        choose = {"min": min, "max": max}.get(first)
        of_mgpu = [r for r in self.select(words) if r.entry.library == "mgpu" or r.entry.clock]
        found = [(self.value(r, rest if choose else what), r) for r in of_mgpu]
        found = [(value, r) for value, r in found if value is not None]
        if not choose and len({(r.problem, r.entry.system) for _, r in found}) > 1:
            raise BadQuery(f"{' '.join(words)}: {what}: more than one result")
        self.used += [r for _, r in found]
        return (choose or min)((value for value, _ in found), default=None)


# Documents -----------------------------------------------------------------------------------------------------------


def figures_in(text, all_numbers=False):
    """The places of the figures in a text."""
    masked = CODE.sub(lambda code: " " * len(code[0]), text)
    numbers = [found for found in NUMBER.finditer(masked) if not VERSIONED.search(masked, 0, found.start())]
    figures = {found for found in numbers if all_numbers or "." in found[0] or UNIT.match(masked, found.end())}
    pairs = list(zip(numbers, numbers[1:]))
    figures |= {b for a, b in pairs if a in figures and masked[a.end():b.start()].strip() == "to"}
    for a, b in reversed(pairs):
        if b in figures and JOINED.fullmatch(masked, a.end(), b.start()):
            figures.add(a)
    return [found for found in numbers if found in figures]


def rewritten(text, places, values):
    """The text with values in these places, each with as many digits after the point as before."""
    for place, value in reversed(list(zip(places, values))):
        digits = len(place[0].partition(".")[2])
        text = f"{text[:place.start()]}{value:.{digits}f}{text[place.end():]}"
    return text


def of_paragraph(queries, text, results):
    """A paragraph with its figures."""
    values = []
    for line in queries:
        words, _, whats = line.rpartition(":")
        for what in whats.split(","):
            value = results.figure(words.split(), what.strip())
            if value is None:
                raise BadQuery(f"{line}: no result")
            values.append(value)
    places = figures_in(text)
    if len(places) != len(values):
        written = " ".join(place[0] for place in places)
        raise BadQuery(f"{len(values)} queries for {len(places)} figures ({written}): {text[:60]!r}")
    return rewritten(text, places, values)


def of_cell(cell, selections, whats, results):
    places = figures_in(cell, all_numbers=True)
    if not places:
        return cell
    values = [results.figure(words, what) for words in selections for what in whats]
    values = [value for value in values if value is not None]
    if len(places) != len(values):
        raise BadQuery(f"{len(values)} results for {cell.strip()!r}")
    return rewritten(cell, places, values)


def of_table(queries, text, results):
    """A table with its figures, and the line that names the card and the commit."""
    parts = dict(zip(*[iter(re.split(r"\b(columns|rows|cells):", " ".join(queries))[1:])] * 2))
    columns, rows = ([part.split() for part in parts[name].split(";")] for name in ("columns", "rows"))
    whats = [what.strip() for what in parts["cells"].split(",")]
    head, rule, *lines = text.splitlines()
    if len(lines) != len(rows):
        raise BadQuery(f"{len(rows)} rows in the query of {head}")
    results.used.clear()
    for index, row in enumerate(rows):
        _, label, *cells, _ = lines[index].split("|")
        if len(cells) != len(columns):
            raise BadQuery(f"{len(columns)} columns in the query of {lines[index]}")
        joined = [part.split() for part in " ".join(row).split("&")]
        cells = [of_cell(cell, [part + column for part in joined], whats, results)
                 for cell, column in zip(cells, columns)]
        lines[index] = "|".join(["", label, *cells, ""])
    origins = {(r.entry.where, r.entry.commit) for r in results.used}
    if len(origins) != 1:
        raise BadQuery(f"results of several cards or commits, {sorted(origins)}, in {head}")
    description = min((r.entry.description for r in results.used), key=len)
    return "\n".join([head, rule, *lines]), f"{MEASURED}{description.split(',')[0]}, commit {origins.pop()[1]}."


def of_block(block, results):
    """A block of text between empty lines with its figures; of a table with the line that follows it, else None."""
    comment = re.match(r"<!-- figures\n(.*?)\n-->\n", block, flags=re.DOTALL)
    if not comment:
        if figures_in(block):
            written = " ".join(place[0] for place in figures_in(block))
            raise BadQuery(f"figures without queries: {written}: {block[:60]!r}")
        return block, None
    body, queries, measured = block[comment.end():], comment[1].splitlines(), None
    if queries[0].startswith("faster peers:"):
        body = faster_peers.table(results, float(queries[0].partition(":")[2]))
    elif body.startswith("|"):
        body, measured = of_table(queries, body, results)
    else:
        body = of_paragraph(queries, body, results)
    return comment[0] + body, measured


def of_document(text, results, problems):
    """A document with its figures; what has a mistake is as it was, and described in problems."""
    written, in_code = [], False
    for block in text.rstrip("\n").split("\n\n"):
        if written and written[-1].startswith(MEASURED) and block.startswith(MEASURED):
            continue  # the new one stands there
        fences = len(re.findall(r"^```", block, flags=re.MULTILINE))
        measured = None
        if not (in_code or fences or block.startswith("    ")):
            try:
                block, measured = of_block(block, results)
            except BadQuery as error:
                problems.append(error)
        in_code ^= fences % 2 == 1
        written += [block, measured] if measured else [block]
    return "\n\n".join(written) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a figure differs")
    options = parser.parse_args()
    results, status = Results(RESULTS), 0
    for path in (path for pattern in DOCUMENTS for path in sorted(ROOT.glob(pattern))):
        text, name, problems = path.read_text(), path.relative_to(ROOT), []
        changed = of_document(text, results, problems)
        for problem in problems:
            print(f"{name}: {problem}")
        if changed != text and options.check:
            lines = [text.splitlines(), changed.splitlines()]
            print(f"{name} is not up to date:", *difflib.unified_diff(*lines, n=0, lineterm=""), sep="\n")
        elif changed != text:
            path.write_text(changed)
            print(name)
        status |= len(problems) > 0 or (options.check and changed != text)
    return status


if __name__ == "__main__":
    sys.exit(main())
