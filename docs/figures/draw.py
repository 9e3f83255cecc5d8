#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures of the articles, from points that the library's own searches find: paths.cpp prints them.

    python3 -m pip install -r benchmarks/requirements.txt
    python3 docs/figures/draw.py            # with --check it compares instead of writing
"""

import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile
from io import StringIO

import matplotlib
from matplotlib.figure import Figure

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STEP = 4  # elements between two cuts
CELL = 0.42  # inches
PATH, OTHER, CUT, STAR = "#0072b2", "#9a9a9a", "#7a7a7a", "#d55e00"
PIECES = ("#cfe8f6", "#fbe7c2")
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "mgpu_thrust", "font.sans-serif": ["DejaVu Sans"], "font.size": 9}


def points_of_library(cccl):
    """What paths.cpp prints, by the first word of its lines; each line as numbers."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "paths"
        compiler = os.environ.get("CXX", "g++")
        systems = ["-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP", "-I", ROOT]
        headers = ["-isystem", cccl / "cccl", "-isystem", cccl]
        subprocess.run([compiler, "-std=c++17", *systems, *headers, HERE / "paths.cpp", "-o", program], check=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    lines = collections.defaultdict(list)
    for line in printed.splitlines():
        word, *numbers = line.split()
        lines[word].append([int(number) for number in numbers])
    return lines


class Grid:
    """A grid of two inputs, the first across, the second down, and paths from its upper left to its lower right."""

    def __init__(self, across, down, across_name, down_name):
        self.width, self.height = len(across), len(down)
        self.figure = Figure(figsize=(CELL * (self.width + 2), CELL * (self.height + 1.9)), facecolor="white")
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(-1.3, self.width + 0.7), ylim=(self.height + 0.6, -1.3))
        self.axes.axis("off")
        for i in range(self.width + 1):
            self.axes.plot([i, i], [0, self.height], color="#e4e4e4", linewidth=0.7, zorder=1)
        for j in range(self.height + 1):
            self.axes.plot([0, self.width], [j, j], color="#e4e4e4", linewidth=0.7, zorder=1)
        for i, text in enumerate(across):
            self.axes.text(i + 0.5, -0.35, text, ha="center", va="center")
        for j, text in enumerate(down):
            self.axes.text(-0.35, j + 0.5, text, ha="center", va="center")
        self.axes.text(self.width / 2, -0.98, across_name, ha="center", va="center", color="#5a5a5a")
        self.axes.text(-0.98, self.height / 2, down_name, ha="center", va="center", color="#5a5a5a", rotation=90)

    def path(self, points, colour, width, style="-"):
        self.axes.plot(*zip(*points), color=colour, linewidth=width, linestyle=style, zorder=3, solid_joinstyle="miter")

    def pieces(self, cuts):
        """Shades the part of the inputs between each two cuts."""
        for number, ((x0, y0), (x1, y1)) in enumerate(zip(cuts, cuts[1:])):
            corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
            self.axes.fill(*zip(*corners), color=PIECES[number % 2], zorder=0)

    def diagonal(self, number):
        """A cross-diagonal: all points with that many elements before them."""
        first = (min(number, self.width), number - min(number, self.width))
        last = (number - min(number, self.height), min(number, self.height))
        self.axes.plot(*zip(first, last), color=CUT, linewidth=0.7, linestyle=(0, (4, 3)), zorder=2)

    def mark(self, point, colour, shape="o"):
        self.axes.plot(*point, shape, color=colour, markersize=9 if shape == "*" else 5, zorder=4)

    def svg(self):
        text = StringIO()
        self.figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


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
    grid = Grid(range(count), [f"{s} at {offset}" for s, offset in enumerate(offsets)], "items", "")
    grid.axes.set_xlim(-2.2, count + 0.7)
    grid.figure.set_figwidth(CELL * (count + 3))
    grid.axes.text(-2.0, len(offsets) / 2, "segments", ha="center", va="center", color="#5a5a5a", rotation=90)
    for text in grid.axes.texts:
        if " at " in text.get_text():
            text.set_x(-0.85)
    points = [tuple(point) for point in lines["balance"]]
    grid.path(points, PATH, 2.2)
    grid.pieces(points[::STEP])
    for number in range(STEP, len(points) - 1, STEP):
        grid.diagonal(number)
        grid.mark(points[number], PATH)
    return grid.svg()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cccl", type=pathlib.Path, default=pathlib.Path("/usr/local/cuda/include"),
                        help="where the CUDA headers are (%(default)s)")
    parser.add_argument("--check", action="store_true", help="fail if a figure is not what would be drawn")
    options = parser.parse_args()
    matplotlib.rcParams.update(STYLE)
    lines = points_of_library(options.cccl)
    stale = []
    for draw in (merge_path, balanced_path, load_balance):
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
