#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Draws the figures of the articles, from what the library's own searches and loops compute: paths.cpp prints it.

    python3 -m venv build/python
    build/python/bin/pip install -r benchmarks/requirements.txt
    build/python/bin/python docs/figures/draw.py            # with --check it compares instead of writing
"""

import argparse
import collections
import pathlib
import sys
from io import StringIO

import matplotlib
from matplotlib.figure import Figure

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import cpu_program  # noqa: E402

STEP = 4  # elements between two cuts
CELL = 0.42  # inches
PATH, OTHER, CUT, STAR = "#0072b2", "#9a9a9a", "#7a7a7a", "#d55e00"
INK, FAINT, EDGE = "#222222", "#5a5a5a", "#e4e4e4"
PIECES = ("#cfe8f6", "#fbe7c2", "#d5ecd8")
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "mgpu_thrust", "font.sans-serif": ["DejaVu Sans"], "font.size": 9}


def points_of_library(cccl):
    """What paths.cpp prints, by the first word of its lines; each line as numbers."""
    printed = cpu_program.printed_by((HERE / "paths.cpp").read_text(), cccl)
    lines = collections.defaultdict(list)
    for line in printed.splitlines():
        word, *numbers = line.split()
        lines[word].append([int(number) for number in numbers])
    return lines


class Sheet:
    """A figure whose unit is a cell, from (left, top), negative, to (right, bottom)."""

    def __init__(self, left, top, right, bottom):
        self.figure = Figure(figsize=(CELL * (right - left), CELL * (bottom - top)), facecolor="white")
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(left, right), ylim=(bottom, top))
        self.axes.axis("off")

    def text(self, x, y, text, colour=INK, **how):
        self.axes.text(x, y, text, color=colour, **{"ha": "center", "va": "center", **how})

    def line(self, points, colour, width, style="-", layer=3):
        self.axes.plot(*zip(*points), color=colour, linewidth=width, linestyle=style, zorder=layer,
                       solid_joinstyle="miter")

    def box(self, x, y, width, height, text="", fill="white", edge=EDGE, line=0.7):
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        layer = 1 if edge == EDGE else 2
        self.axes.fill(*zip(*corners), facecolor=fill, edgecolor=edge, linewidth=line, zorder=layer)
        self.text(x + width / 2, y + height / 2, text)

    def arrow(self, x, y, y_end, colour):
        self.axes.annotate("", (x, y_end), (x, y), arrowprops={"arrowstyle": "-|>", "color": colour, "shrinkA": 0,
                                                               "shrinkB": 0, "linewidth": 1.2})

    def svg(self):
        text = StringIO()
        self.figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


class Grid(Sheet):
    """A grid of two inputs, the first across, the second down, and paths from its upper left to its lower right."""

    def __init__(self, across, down, across_name, down_name, left=1.3):
        self.width, self.height = len(across), len(down)
        super().__init__(-left, -1.3, self.width + 0.7, self.height + 0.6)
        for i in range(self.width + 1):
            self.line([(i, 0), (i, self.height)], EDGE, 0.7, layer=1)
        for j in range(self.height + 1):
            self.line([(0, j), (self.width, j)], EDGE, 0.7, layer=1)
        for i, text in enumerate(across):
            self.text(i + 0.5, -0.35, text)
        for j, text in enumerate(down):
            self.text(-(left - 0.6) / 2, j + 0.5, text)
        self.text(self.width / 2, -0.98, across_name, FAINT)
        self.text(0.32 - left, self.height / 2, down_name, FAINT, rotation=90)

    def path(self, points, colour, width, style="-"):
        self.line(points, colour, width, style)

    def pieces(self, cuts):
        """Shades the part of the inputs between each two cuts."""
        for number, ((x0, y0), (x1, y1)) in enumerate(zip(cuts, cuts[1:])):
            corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
            self.axes.fill(*zip(*corners), color=PIECES[number % 2], zorder=0)

    def diagonal(self, number):
        """A cross-diagonal: all points with that many elements before them."""
        first = (min(number, self.width), number - min(number, self.width))
        last = (number - min(number, self.height), min(number, self.height))
        self.line([first, last], CUT, 0.7, (0, (4, 3)), layer=2)

    def mark(self, point, colour, shape="o"):
        self.axes.plot(*point, shape, color=colour, markersize=9 if shape == "*" else 5, zorder=4)


def merge_path(lines):
    grid = Grid(lines["a"][0], lines["b"][0], "A", "B")
    points = [tuple(point) for point in lines["merge"]]
    grid.path(points, PATH, 2.2)
    cuts = points[::STEP]
    grid.pieces(cuts)
    for number in range(STEP, len(points) - 1, STEP):
        grid.diagonal(number)
        grid.mark(points[number], PATH)
    return grid.svg()


def balanced_path(lines):
    grid = Grid(lines["a"][0], lines["b"][0], "A", "B")
    found = lines["balanced"]
    points = [(a, b) for a, b, _ in found]
    grid.path([tuple(point) for point in lines["merge"]], OTHER, 1.2, (0, (2, 2)))
    # A diagonal that falls between the two elements of a match has the point after the match.
    steps = [points[0]]
    for a, b in points[1:]:
        if (a, b) != steps[-1]:
            steps += [(a, steps[-1][1]), (a, b)]
    grid.path(steps, PATH, 2.2)
    grid.pieces(points[::STEP])
    for number in range(STEP, len(points) - 1, STEP):
        grid.diagonal(number)
        starred = found[number][2]
        grid.mark(points[number], STAR if starred else PATH, "*" if starred else "o")
    return grid.svg()


def load_balance(lines):
    offsets, count = lines["offsets"][0], lines["items"][0][0]
    names = [f"{segment} at {offset}" for segment, offset in enumerate(offsets)]
    grid = Grid(range(count), names, "items", "segments", left=2.3)
    points = [tuple(point) for point in lines["balance"]]
    grid.path(points, PATH, 2.2)
    grid.pieces(points[::STEP])
    for number in range(STEP, len(points) - 1, STEP):
        grid.diagonal(number)
        grid.mark(points[number], PATH)
    return grid.svg()


def multiway_split(lines):
    """The runs, a row each, and below them the tiles of their merge; two lines cut the runs where tiles begin."""
    runs, tiles, cuts = lines["run"], lines["tile"], lines["cuts"]
    pitch = 1.6  # of rows of runs
    below = pitch * len(runs) + 1.1
    sheet = Sheet(-1.7, -0.9, len(tiles[0]) + 0.4, below + 1.25 * len(tiles) + 0.1)
    sheet.text(0, -0.5, "sorted runs", FAINT, ha="left")
    for r, run in enumerate(runs):
        sheet.text(-0.85, pitch * r + 0.5, f"run {r}")
        for i, key in enumerate(run):
            tile = sum(cut[r] <= i for cut in cuts)
            sheet.box(i, pitch * r, 1, 1, key, PIECES[tile])
    for cut in cuts[:-1]:
        ends = [(x, pitch * r + y) for r, x in enumerate(cut) for y in (-0.15, 1.15)]
        sheet.line(ends, PATH, 2.2)
        sheet.text(ends[-1][0], ends[-1][1] + 0.3, f"{sum(cut)} before", PATH)
    sheet.text(0, below - 0.4, "their merge, in tiles", FAINT, ha="left")
    for t, tile in enumerate(tiles):
        sheet.text(-0.85, below + 1.25 * t + 0.5, f"tile {t}")
        for i, key in enumerate(tile):
            sheet.box(i, below + 1.25 * t, 1, 1, key, PIECES[t])
    return sheet.svg()


def pairs_of_lists(lines):
    """The needles of pairs of lists, in pieces of equally many, and the elements of the haystacks that they match."""
    sheet = Sheet(-2.7, -2.1, 18.4, 5.2)
    sheet.text(-2.5, 0.5, "needles", FAINT, ha="left")
    sheet.text(-2.5, 3.5, "haystacks", FAINT, ha="left")
    size, needle_number, x, places = 3, 0, 0, []  # of a piece; of all needles; where each needle is
    for pair, (a, b) in enumerate(zip(lines["pair_a"], lines["pair_b"])):
        needles_are_a = len(a) <= len(b)
        needles, haystack = (a, b) if needles_are_a else (b, a)
        first = x + (len(haystack) - len(needles)) / 2
        sheet.text(x + len(haystack) / 2, -1.65, f"pair {pair}")
        for row, left, name in ((0, first, "BA"[needles_are_a]), (3, x, "AB"[needles_are_a])):
            sheet.text(left - 0.35, row + 0.5, name, FAINT)
        for i, element in enumerate(needles):
            sheet.box(first + i, 0, 1, 1, element, PIECES[needle_number // size % len(PIECES)], CUT)
            places.append(first + i)
            needle_number += 1
        for j, element in enumerate(haystack):
            sheet.box(x + j, 3, 1, 1, element, edge=CUT)
        for of, i, j in lines["match"]:
            needle, position = (i, j) if needles_are_a else (j, i)
            if of == pair:
                sheet.line([(first + needle + 0.5, 1), (x + position + 0.5, 3)], PATH, 1.6)
        count = lines["counts"][0][pair]
        sheet.text(x + len(haystack) / 2, 4.6, f"{count} match{'es' * (count > 1)}")
        x += len(haystack) + 1
    for piece in range(0, len(places), size):
        own = places[piece:piece + size]
        sheet.line([(own[0] + 0.1, -0.35), (own[-1] + 0.9, -0.35)], CUT, 1.2)
        sheet.text((own[0] + own[-1] + 1) / 2, -0.8, f"piece {piece // size}", FAINT)
    return sheet.svg()


def range_join(lines):
    """The points, the intervals below those that they have, and their rows."""
    points, begins, ends = lines["points"][0], lines["begins"][0], lines["ends"][0]
    rows = list(zip(lines["point_of"][0], lines["interval_of"][0]))
    sheet = Sheet(-3.4, -0.9, len(rows) + 0.4, 8.2)
    sheet.text(0, -0.5, "sorted points", FAINT, ha="left")
    for i, value in enumerate(points):
        sheet.box(i, 0, 1, 1, value, edge=CUT)
    sheet.text(-3.2, 1.5, "intervals", FAINT, ha="left")
    for interval, (begin, end) in enumerate(zip(begins, ends)):
        y = 1.75 + 0.95 * interval
        own = [point for point, of in rows if of == interval]
        sheet.text(-1.7, y + 0.35, f"{interval}: [{begin}, {end})")
        if own:
            sheet.box(own[0] + 0.06, y, own[-1] + 1 - own[0] - 0.12, 0.7, interval, PIECES[interval % len(PIECES)], CUT)
        else:
            sheet.text(0.1, y + 0.35, "none", FAINT, ha="left")
    sheet.text(0, 5.6, "rows", FAINT, ha="left")
    for y, name, column in ((5.9, "points", 0), (6.9, "intervals", 1)):
        sheet.text(-1.7, y + 0.5, name)
        for r, row in enumerate(rows):
            sheet.box(r, y, 1, 1, row[column], PIECES[row[1] % len(PIECES)])
    return sheet.svg()


def window_reduce(lines):
    """Items in tiles, and the windows below them: a suffix of a tile, whole tiles, and a prefix of a tile."""
    names = "window_items", "window_begins", "window_ends", "largest"
    items, begins, ends, largest = (lines[name][0] for name in names)
    tile = 4
    sheet = Sheet(-3.4, -0.9, len(items) + 4.4, 7.1)
    for i, value in enumerate(items):
        sheet.box(i, 0, 1, 1, value, PIECES[i // tile % 2])
    for t in range(len(items) // tile):
        sheet.text((t + 0.5) * tile, -0.5, f"tile {t}", FAINT)
        if t > 0:
            sheet.line([(t * tile, -0.8), (t * tile, 6.4)], CUT, 0.7, (0, (4, 3)), layer=2)
    for row, (begin, end) in enumerate(zip(begins, ends)):
        y = 1.9 + 1.15 * row
        sheet.text(-1.7, y + 0.4, f"row {row}: [{begin}, {end})")
        first, last = -(-begin // tile) * tile, end // tile * tile  # the whole tiles between
        parts = [(begin, first), (first, last), (last, end)] if first <= last else [(begin, end)]
        parts = [part for part in parts if part[0] < part[1]]
        for from_, to in parts:
            is_run = from_ % tile == 0 and to % tile == 0
            sheet.box(from_ + 0.06, y, to - from_ - 0.12, 0.8, max(items[from_:to]), PIECES[2] if is_run else "white",
                      CUT)
        sheet.text(len(items) + 0.4, y + 0.4, f"largest {largest[row]}" if parts else "init", ha="left")
    sheet.box(0, 6.45, 0.55, 0.4, fill=PIECES[2], edge=CUT)
    sheet.text(0.8, 6.65, "whole tiles, of which the table has the total", ha="left")
    return sheet.svg()


def segmented_compact(lines):
    """The items of segments in pieces, the kept ones in the result, and the offsets of both."""
    items, starts, kept = lines["compact_items"][0], lines["compact_starts"][0], lines["compact_kept"][0]
    points = [*lines["compact_piece"], [len(items), len(starts)]]
    offsets = lines["compact_offsets"][0]
    sheet = Sheet(-0.5, -0.9, len(items) + 0.5, 8.2)
    for y, name in ((-0.4, "segments"), (1.35, "items")):
        sheet.text(0, y, name, FAINT, ha="left")
    sheet.text(len(kept) + 0.3, 5.55, "result", FAINT, ha="left")
    sheet.text(len(kept) + 0.3, 6.65, "segments", FAINT, ha="left")
    for s, (start, end) in enumerate(zip(starts, [*starts[1:], len(items)])):
        if start < end:
            sheet.box(start + 0.06, 0, end - start - 0.12, 0.8, s, edge=CUT)
    before = 0
    for p, ((item, _), (item_end, _)) in enumerate(zip(points, points[1:])):
        count = sum(item <= i < item_end for i in kept)
        for i in range(item, item_end):
            sheet.box(i, 1.75, 1, 1, items[i], PIECES[p] if i in kept else "white", CUT if i in kept else EDGE)
        sheet.text((item + item_end) / 2, 3.2, f"{count} kept, from {before} on", FAINT)
        before += count
        if p > 0:
            sheet.line([(item, 1.45), (item, 3.6)], CUT, 0.7, (0, (4, 3)), layer=2)
        for rank, i in enumerate(kept):
            if item <= i < item_end:
                sheet.line([(i + 0.5, 3.7), (rank + 0.5, 5)], CUT, 0.8, layer=2)
                sheet.box(rank, 5.05, 1, 1, items[i], PIECES[p], CUT)
    for s, (start, end) in enumerate(zip(offsets, offsets[1:])):
        if start < end:
            sheet.box(start + 0.06, 6.25, end - start - 0.12, 0.8, s, edge=CUT)
    sheet.text(0, 7.6, "offsets of the result: " + " ".join(str(offset) for offset in offsets), ha="left")
    return sheet.svg()


def carries(lines):
    """The items of segments in pieces, the pieces' partial sums, and how these make the results."""
    values, starts, sums = lines["values"][0], lines["starts"][0], lines["sums"][0]
    points = [*lines["piece"], [len(values), len(starts)]]
    starts = [*starts, len(values)]
    sheet = Sheet(-0.5, -0.9, len(values) + 0.5, 9.1)
    for y, name in ((-0.4, "segments"), (1.35, "items"), (6.25, "sums")):
        sheet.text(0, y, name, FAINT, ha="left")
    parts = collections.defaultdict(list)  # of each segment: where, its sum, piece, and whether it is a carry
    for p, ((item, segment), (item_end, segment_end)) in enumerate(zip(points, points[1:])):
        (has_head, head), (has_tail, tail) = lines["head"][p], lines["tail"][p]
        if has_head:
            parts[segment - 1].append((item, min(starts[segment], item_end), head, p, True))
        for s in range(segment, segment_end - 1):
            parts[s].append((starts[s], starts[s + 1], sums[s], p, False))
        if has_tail:
            parts[segment_end - 1].append((starts[segment_end - 1], item_end, tail, p, True))
        for i in range(item, item_end):
            sheet.box(i, 1.75, 1, 1, values[i], PIECES[p])
        sheet.text((item + item_end) / 2, 3.6, f"piece {p}", FAINT)
        if p > 0:
            sheet.line([(item, 1.45), (item, 5.2)], CUT, 0.7, (0, (4, 3)), layer=2)
    for s, (start, end) in enumerate(zip(starts, starts[1:])):
        sheet.box(start + 0.06, 0, end - start - 0.12, 0.8, s, edge=CUT)
        for begin, stop, value, p, is_carry in parts[s]:
            colour = STAR if is_carry else CUT
            sheet.box(begin + 0.1, 4, stop - begin - 0.2, 0.9, value, PIECES[p], colour, 1.6 if is_carry else 0.9)
            sheet.arrow((begin + stop) / 2, 5, 6.6, colour)
        terms = " + ".join(str(value) for _, _, value, _, _ in parts[s])
        sheet.box(start + 0.06, 6.6, end - start - 0.12, 0.9, f"{terms} = {sums[s]}" if len(parts[s]) > 1 else sums[s],
                  edge=CUT)
    sheet.box(0, 8.15, 0.55, 0.4, edge=STAR, line=1.6)
    sheet.text(0.8, 8.35, "carry, added afterwards", ha="left")
    sheet.box(6.2, 8.15, 0.55, 0.4, edge=CUT, line=0.9)
    sheet.text(7, 8.35, "written by its piece", ha="left")
    return sheet.svg()


def scan_carries(lines):
    """The items of segments in pieces, what each piece hands on, and the results that need it."""
    values, starts, results = lines["values"][0], lines["starts"][0], lines["results"][0]
    points = [*lines["piece"], [len(values), len(starts)]]
    ends = [*starts[1:], len(values)]
    sheet = Sheet(-0.5, -0.9, len(values) + 0.5, 8.1)
    for y, name in ((-0.4, "segments"), (1.35, "items"), (5.3, "running sums")):
        sheet.text(0, y, name, FAINT, ha="left")
    for s, (start, end) in enumerate(zip(starts, ends)):
        sheet.box(start + 0.06, 0, end - start - 0.12, 0.8, s, edge=CUT)
    carry, waiting = 0, 0  # what the piece before hands on, and the end of the items that wait for it
    for p, ((item, _), (item_end, _)) in enumerate(zip(points, points[1:])):
        waiting = min(waiting, item_end)
        for i in range(item, item_end):
            sheet.box(i, 1.75, 1, 1, values[i], PIECES[p])
            is_waiting = i < waiting
            sheet.box(i + 0.06, 5.7, 0.88, 0.9, results[i], PIECES[p], STAR if is_waiting else CUT,
                      1.6 if is_waiting else 0.9)
        sheet.text((item + item_end) / 2, 3.15, f"piece {p}", FAINT)
        if p > 0:
            sheet.line([(item, 1.45), (item, 6.8)], CUT, 0.7, (0, (4, 3)), layer=2)
        hands_on, handed = lines["handed"][p]
        if hands_on:
            begin = max(item, *(start for start in starts if start < item_end))
            is_sum = begin < waiting
            begin += is_sum  # leaves room for the arrow of the carry
            text = f"{carry} + {handed - carry} = {handed}" if is_sum else handed
            sheet.box(begin + 0.1, 3.7, item_end - begin - 0.2, 0.9, text, PIECES[p], STAR, 1.6)
            sheet.line([(item_end - 0.1, 4.15), (item_end + 0.5, 4.15), (item_end + 0.5, 5.3)], STAR, 1.2)
            sheet.arrow(item_end + 0.5, 5.2, 5.7, STAR)
            carry, waiting = handed, min(end for end in ends if end > item_end)
    sheet.box(0, 7.25, 0.55, 0.4, edge=STAR, line=1.6)
    sheet.text(0.8, 7.45, "carry, and what waits for it", ha="left")
    sheet.box(6.2, 7.25, 0.55, 0.4, edge=CUT, line=0.9)
    sheet.text(7, 7.45, "written without a wait", ha="left")
    return sheet.svg()


def asof_join(lines):
    """Left rows and right rows where their keys are on a line, and the right row of each left one, by direction."""
    left, right = lines["left"][0], lines["right"][0]
    places = [key + i - right.index(key) - (right.count(key) - 1) / 2 for i, key in enumerate(right)]
    pitch = 4.1  # of directions
    names = ("backward", "forward", "nearest")
    sheet = Sheet(-3.2, -0.3, max(left + right) + 1.8, pitch * len(names) - 0.8)
    for n, name in enumerate(names):
        y = pitch * n
        sheet.text(-3, y + 1.5, name, ha="left")
        sheet.text(0.9, y + 0.5, "left", FAINT, ha="right")
        sheet.text(0.9, y + 2.5, "right", FAINT, ha="right")
        for key in left:
            sheet.box(key + 0.05, y, 0.9, 1, key, PIECES[0], CUT)
        for place, key in zip(places, right):
            sheet.box(place + 0.05, y + 2, 0.9, 1, key, PIECES[1], CUT)
        for key, row in zip(left, lines[name][0]):
            if row >= 0:
                sheet.line([(key + 0.5, y + 1), (places[row] + 0.5, y + 2)], PATH, 1.6)
            else:
                sheet.text(key + 0.5, y + 1.4, "none", STAR)
    return sheet.svg()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cccl", type=pathlib.Path, default=pathlib.Path("/usr/local/cuda/include"),
                        help="where the CUDA headers are (%(default)s)")
    parser.add_argument("--check", action="store_true", help="fail if a figure is not what would be drawn")
    options = parser.parse_args()
    matplotlib.rcParams.update(STYLE)
    lines = points_of_library(options.cccl)
    stale = []
    for draw in (merge_path, balanced_path, load_balance, multiway_split, pairs_of_lists, range_join, carries,
                 scan_carries, asof_join, window_reduce, segmented_compact):
        file = HERE / f"{draw.__name__}.svg"
        svg = draw(lines)
        if not options.check:
            file.write_text(svg)
        elif not file.exists() or file.read_text() != svg:
            stale.append(file.name)
    if stale:
        print(f"not as drawn now: {', '.join(stale)}", file=sys.stderr)
    return len(stale) > 0


if __name__ == "__main__":
    sys.exit(main())
