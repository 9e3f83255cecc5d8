#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Draws results of the benchmarks as SVG charts, mgpu and its peers side by side.

docs/charts has the charts that Markdown pages of the repository show, as ![...](...), and no others. Without --all only
shown charts are drawn. Two things are errors: a shown chart without data in the results, and a chart in docs/charts
without a page.

Takes what --benchmark_out wrote, with or without the single repetitions. The entries of all files are taken together;
of two results of one benchmark on one machine the later file's counts. Each machine has the following charts if the
entries allow; a CPU has them for each number of workers, with the serial peers beside it. Set operations and merges have
no more in the names. Other families have segmented_set_operations_, sorted_search_, asof_join_, semi_join_, join_,
bulk_, load_balance_, segmented_reduce_, segmented_scan_, segmented_compact_, window_reduce_, multiway_merge_, sort_,
locality_sort_ or segmented_sort_ there:

  *_throughput_FORM_TYPES.svg     GB/s against n; uniform keys, or segments by a power law
  *_types.svg                     percent of a copy for each form and types; for the same, the largest n that has most
  *_distributions_FORM_TYPES.svg  percent of a copy for each distribution; the largest n that has most
  *_disorder_FORM_TYPES.svg       of locality sorts, and no other: time against how far keys are from their places

Files of --pairs, which have ratios instead of speeds, have these charts:

  *_ratio_FAMILY_CLOCK.svg        the best peer's time over that of mgpu, against n; of pairs of lists and segmented
                                  sorts for all lengths, of sorts beside a sort by comparison, and beside radix sort; of
                                  merges of runs for all numbers of these, beside radix sort and beside the others; of
                                  calls over several GPUs by call and peer, a line for each number of GPUs
  *_uneven_LONG_CLOCK.svg         of a short list against one of LONG keys: time against the length of the short one

The same entries give the same bytes with the same version of matplotlib: requirements.txt names it.
"""

import argparse
import json
import math
import re
import sys
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path

import matplotlib
from matplotlib import ticker
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

ROOT = Path(__file__).resolve().parents[1]
CHARTS = ROOT / "docs/charts"
PAGES = ["*.md", "docs/**/*.md", "benchmarks/**/*.md", "examples/**/*.md"]
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
NAME = re.compile(
    r"(?P<machine>[a-z]+)/(?P<system>[a-z]+(:(?P<workers>\d+))?)/(?P<library>\w+)/(?P<operation>\w+)/(?P<form>\w+)/"
    r"(?P<types>[\w+]+)/(?P<distribution>[\w.^]+)/n:(?P<a>\d+)(\+(?P<b>\d+))?")
ORDER = ["set_intersection", "set_union", "set_difference", "set_symmetric_difference", "merge", "includes",
         "segmented_set_intersection_size", "segmented_have_overlap", "for_each_in_intersections",
         "segmented_set_intersection", "segmented_set_intersection_indices", "segmented_set_union",
         "segmented_set_union_by_key", "sorted_lower_bound", "sorted_upper_bound", "sorted_contains", "sorted_count",
         "sorted_equal_range", "sorted_search", "asof_backward", "asof_backward_near", "asof_nearest", "semi_join",
         "anti_join", "inner_join", "left_join", "right_join", "full_join", "range_join", "range_count", "bulk_remove",
         "bulk_insert", "load_balancing_search", "interval_expand", "interval_gather",
         "interval_gather_shuffled", "interval_scatter", "interval_move", "segmented_reduce", "segmented_reduce_plan",
         "segmented_inclusive_scan", "segmented_exclusive_scan", "segmented_copy_if",
         "segmented_unique_copy", "window_reduce", "window_reduce_by_range", "merge_runs",
         "multiway_merge", "segmented_sort", "stable_sort", "locality_sort", "keys", "by_key", "rows", "size", "mgpu",
         "mgpu_stable_sort", "thrust", "thrust_by_digits", "cub", "cub_tree", "cusparse", "thread_merge",
         "thread_bisect", "warp_bisect", "thread_expand", "two_searches", "thread_loop", "scan_difference", "gnu",
         "pstl", "std"]
RADIX = "thrust_by_digits"
BOUND = "local_and_nccl"  # parts of the call itself
# Not what is measured beside mgpu to compare the time with.
PEERS = ("thrust", RADIX, "thrust_by_search", "cub", "cub_tree", "cusparse", "thread_merge", "thread_bisect",
         "warp_bisect", "thread_expand", "thread_loop", "scan_difference", "gnu", "pstl", "std", "one_gpu", BOUND)
# What a reader calls peers that are no libraries, and inputs whose names do not explain themselves.
PEER_NAMES = {"thread_merge": "a thread a pair that merges", "thread_bisect": "a thread a pair that searches",
              "warp_bisect": "a warp a pair that searches", "thread_expand": "a thread an interval that writes",
              "thread_loop": "a thread a window that loops", "scan_difference": "differences of prefix sums",
              "cub_tree": "a tree of cub::DeviceMerge",
              RADIX: "thrust's radix sort", "mgpu_stable_sort": "mgpu's sort of all keys"}
INPUT_NAMES = {"power_law_similar": "power law, sides alike", "power_law_independent": "power laws, independent"}
INK, FAINT, GRID, COPY = "#222222", "#5a5a5a", "#e2e2e2", "#d55e00"
# Of the palette of Okabe and Ito, which colour-blind people tell apart: a shade for each system of a library.
SHADES = {"mgpu": ["#0072b2", "#56b4e9", "#003a5c"], "thrust": ["#e69f00", "#9c6c00", "#f3cf80"],
          "cub": ["#009e73"], "cub_tree": [INK], "gnu": ["#009e73"], "pstl": ["#009e73"], RADIX: ["#009e73"],
          "thread_merge": ["#e69f00"], "thread_bisect": ["#9c6c00"], "warp_bisect": ["#009e73"],
          "thread_expand": ["#009e73"], "thread_loop": ["#e69f00"], "scan_difference": ["#009e73"],
          "cusparse": ["#009e73"], "std": ["#7a7a7a"]}
OTHER_SHADES = ["#cc79a7", "#8f4f73"]
CLOCKS = {"wait": "the time that a caller waits", "device": "the time on the device",
          "graph": "the time that a caller of a CUDA graph waits"}
MARKS = "s^Dvo"  # their shapes tell lines apart where colours do not
WIDTH = 9.2  # inches, of 72 units each
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "mgpu_thrust", "font.sans-serif": ["DejaVu Sans"], "font.size": 8,
         "text.color": INK, "axes.grid": True, "axes.axisbelow": True, "grid.color": GRID, "axes.edgecolor": GRID,
         "axes.labelcolor": FAINT, "xtick.color": FAINT, "ytick.color": FAINT, "axes.spines.top": False,
         "axes.spines.right": False, "lines.markersize": 4, "axes.titlelocation": "left", "axes.titleweight": "bold",
         "axes.titlesize": 9}


# By family, the inputs of the charts that show one distribution: its name, in words, and what n counts.
BY_POWER_LAW = ("power_law", "segments of lengths by a power law", "items")
ONE_POINT = ("one_point", "about one point in each interval", "points")
LENGTH_8 = ("length_8", "windows of eight items", "items")
ONE_MATCH = ("one_match", "about one match for each element", "elements of each input")
RANDOM = ("uniform", "random keys", "elements")
PAIRS = ("power_law_similar", "pairs of lists of similar lengths by a power law", "elements of all lists")
RUNS = ("runs_64", "64 runs of random keys", "elements")
OVER_GPUS = ("random", "by call and peer", "elements a GPU")
EVERY_OTHER = ("one_in_2", "every other element", "elements")
TYPICAL = {"load_balance_": BY_POWER_LAW, "segmented_reduce_": BY_POWER_LAW, "segmented_scan_": BY_POWER_LAW,
           "segmented_compact_": BY_POWER_LAW,
           "segmented_sort_": BY_POWER_LAW, "join_": ONE_MATCH, "bulk_": EVERY_OTHER, "sort_": RANDOM,
           "locality_sort_": RANDOM, "multiway_merge_": RUNS, "segmented_set_operations_": PAIRS,
           "distributed_": OVER_GPUS, "range_join_": ONE_POINT, "window_reduce_": LENGTH_8}
TYPICAL_KEYS = ("uniform", "uniform keys", "elements of each input")


class BadResult(Exception):
    """A file that is no result of these benchmarks, or one of a failure."""


@dataclass(frozen=True)
class Entry:
    """The median of one benchmark."""
    where: str  # the machine, for file names
    description: str  # the machine, in words
    commit: str
    machine: str  # cpu or gpu
    system: str
    workers: int
    library: str
    operation: str
    form: str
    types: str
    distribution: str
    n: int  # as in --n: elements of each input, if the distribution has them of one size; of uneven ones of the short
    speed: float  # GB/s
    copy: float  # GB/s of a copy
    milliseconds: float
    clock: str = ""  # of a result of --pairs, in which library is the peer
    ratio: float = 0  # its time over that of mgpu

    @property
    def distance(self):
        """How far keys are from their places at most, if the distribution says so; 1 if they are there."""
        found = re.fullmatch(r"local_(\d+(e\d+)?)", self.distribution)
        return int(float(found[1])) if found else {"sorted": 1, "uniform": self.n}.get(self.distribution)

    @property
    def long_size(self):
        """Of a short list against a long one the size of the long one, such as 2^28; else None."""
        found = re.fullmatch(r"short_[ab]_(.+)", self.distribution)
        return found and found[1]

    @property
    def peers_milliseconds(self):
        """Of a result of --pairs, the peer's time."""
        return self.ratio * self.milliseconds

    @property
    def series(self):
        """What has one colour."""
        return self.library, self.system

    @property
    def family(self):
        """A part of the names of its charts."""
        families = {"sorted": "sorted_search_", "asof": "asof_join_", "semi": "semi_join_", "anti": "semi_join_",
                    "inner": "join_", "left": "join_", "right": "join_", "full": "join_", "range": "range_join_",
                    "bulk": "bulk_", "load": "load_balance_", "window": "window_reduce_",
                    "interval": "load_balance_", "stable": "sort_", "locality": "locality_sort_",
                    "for": "segmented_set_operations_"}
        first, _, rest = self.operation.partition("_")
        if self.system.startswith("nccl"):
            return "distributed_"
        if self.long_size:
            return "uneven_"
        if self.operation in ("merge_runs", "multiway_merge", "merge_runs_reduce_by_key"):
            return "multiway_merge_"
        if first == "segmented":
            if rest in ("copy_if", "unique_copy"):
                return "segmented_compact_"
            found = re.search("reduce|scan|sort", rest)
            return f"segmented_{found[0] if found else 'set_operations'}_"
        return families.get(first, "")

    @property
    def typical(self):
        """Its family's entry in TYPICAL."""
        return TYPICAL.get(self.family, TYPICAL_KEYS)

    @property
    def kind(self):
        return self.form, self.types

    @property
    def panel(self):
        """What has a panel of its own in charts of pairs: of pairs of lists and in segmented sorts, the lengths; in
        sorts, the peer; in merges of runs, and of calls over several GPUs, both."""
        if self.family == "uneven_":
            size = "_size" if self.form == "size" else ""
            return f"{self.operation}{size}, {self.distribution[6].upper()} is short"
        if self.operation == "segmented_set_union_by_key":
            return f"sums, {INPUT_NAMES.get(self.distribution, self.distribution)}"
        if self.family in ("segmented_sort_", "segmented_set_operations_"):
            return INPUT_NAMES.get(self.distribution, self.distribution)
        if self.family == "distributed_":
            peer = {"one_gpu": "; one GPU", RADIX: "; radix, one GPU", "local_and_nccl": ""}[self.library]
            return f"{self.operation}, {self.distribution}{peer}"
        if self.family == "multiway_merge_":
            return f"{self.distribution}, beside radix sort" if self.library == RADIX else self.distribution
        if self.family == "sort_":
            return f"{self.operation}, Thrust's {'radix sort' if self.library == RADIX else 'by comparison'}"
        return self.operation

    @property
    def percent(self):
        return 100 * self.speed / self.copy


# Reading -------------------------------------------------------------------------------------------------------------


def slug(text):
    """Text as a part of a file name."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def make_entry(item, context):
    """An item of the file's list as an Entry."""
    found = NAME.match(item["name"])
    if not found:
        raise BadResult(f"not a benchmark of this library: {item['name']}")
    if item.get("error_occurred"):
        raise BadResult(f"{item['name']} failed: {item.get('error_message')}")
    part = found.groupdict()
    a, b, workers = int(part.pop("a")), int(part.pop("b") or 0), int(part.pop("workers") or 1)
    speed = 0.0
    if "ratio" in item:
        part.update(library=part["library"].removeprefix("mgpu_beside_"), clock=context["pairs"], ratio=item["ratio"])
    else:
        speed = item["bytes_per_second"] / 1e9
    copy = float(context.get(f"copy_gigabytes_per_second/{part['machine']}:{workers}") or
                 100 * speed / item["percent_of_copy"])
    if not (0 <= speed < math.inf and 0 < copy < math.inf):
        raise BadResult(f"{item['name']} has no speed")
    description = context.get("machine", part["machine"].upper())
    words = slug(description.split(",")[0]).split("_")  # h200 of 'NVIDIA H200, CUDA 13.0'
    return Entry(where="_".join(word for word in words if word not in ("nvidia", "intel", "amd", "of", "a", "an")),
                 description=description, commit=context.get("commit", "")[:7], workers=workers, speed=speed, copy=copy,
                 milliseconds=item["real_time"] * {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}[item["time_unit"]],
                 n={"percent": (a + b + 1) // 2, "short": min(a, b)}.get(part["distribution"].split("_")[0], max(a, b)),
                 **part)


def is_skipped(item):
    """Whether an item of a file's list was left out by the program, without having failed."""
    return item.get("skipped") or item.get("error_message", "").startswith("skipped: ")


def load(path):
    """The entries of a file, by what they measure."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        items = [item for item in content["benchmarks"] if not is_skipped(item)]
        if any("aggregate_name" in item for item in items):
            items = [item for item in items if item.get("aggregate_name") == "median" or item.get("error_occurred")]
        entries = [make_entry(item, content["context"]) for item in items]
    except OSError as error:
        raise BadResult(error.strerror) from error
    except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
        raise BadResult(f"not a result of these benchmarks ({type(error).__name__}: {error})") from error
    if not entries:
        raise BadResult("has no entries")
    return {(e.where, e.machine, e.series, e.operation, e.kind, e.distribution, e.n, e.clock): e for e in entries}


# Drawing -------------------------------------------------------------------------------------------------------------


def ordered(values):
    """Without duplicates and in a fixed order: tuples or names, by ORDER and then by themselves."""
    def rank(name):
        by_numbers = re.sub(r"\d+", lambda number: number[0].zfill(12), name)
        return (ORDER.index(name) if name in ORDER else len(ORDER), by_numbers)
    return sorted(set(values), key=lambda value: rank(value) if isinstance(value, str) else [rank(v) for v in value])


def short(value):
    """A percentage as it stands at its bar."""
    if value >= 1e4:
        return f"{value / 1e6:.1f}M" if value >= 1e6 else f"{value / 1e3:.0f}k"
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def power_of_two(n, _=None):
    """2¹⁰ for 1024, and other numbers as they are."""
    exponent = str(int(n).bit_length() - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"2{exponent}" if int(n) & (int(n) - 1) == 0 else str(n)


@dataclass(frozen=True)
class Style:
    """How a series is drawn."""
    name: str
    colour: str
    mark: str

    def line(self):
        return Line2D([], [], color=self.colour, marker=self.mark, label=self.name)

    def patch(self):
        return Patch(color=self.colour, label=self.name)


def make_styles(entries):
    """The styles of all series, by series."""
    all_series, used, styles = ordered(e.series for e in entries), {}, {}
    for library, system in all_series:
        shades = SHADES.get(library, OTHER_SHADES)
        used[library] = used.get(library, -1) + 1
        name = PEER_NAMES.get(library, library) + (f" ({system})" if len({s for _, s in all_series}) > 1 else "")
        styles[library, system] = Style(name, shades[used[library] % len(shades)], MARKS[len(styles) % len(MARKS)])
    return styles


def copy_line(entries):
    """The entry of the dashed line in a legend."""
    workers, copies = max(e.workers for e in entries), sorted({round(e.copy) for e in entries})
    by_workers = f" by {workers} worker{'s' * (workers > 1)}" if entries[0].machine == "cpu" else ""
    label = f"a copy{by_workers}: {' to '.join(map(str, copies[:1] + copies[1:][-1:]))} GB/s"
    return Line2D([], [], color=COPY, linestyle="--", label=label)


class Drawing:
    """A figure with a title, a legend and, in rows, a panel for each name. Heights and widths are in inches."""

    def __init__(self, title, details, entries, legend, names, columns, panel_height, left=0.6, gap=0.7):
        rows = math.ceil(len(names) / columns)
        legend_rows = math.ceil(sum(8 + len(handle.get_label()) for handle in legend) / 120)
        head = 0.5 + 0.2 * legend_rows
        height = head + rows * (panel_height + 0.65)
        commits = "".join(f", commit {commit}" for commit in sorted({e.commit for e in entries} - {""}))
        machine = max(ordered(e.description for e in entries), key=len)
        self.figure = Figure(figsize=(WIDTH, height))
        self.figure.text(0.02, 1 - 0.22 / height, f"mgpu and its peers: {title}", size=11, weight="bold")
        self.figure.text(0.02, 1 - 0.42 / height, f"{machine}{commits}; {details}", color=FAINT)
        self.figure.legend(
            handles=legend, loc="upper left", bbox_to_anchor=(0.01, 1 - 0.48 / height), frameon=False,
            ncols=math.ceil(len(legend) / legend_rows), borderaxespad=0)
        width = (WIDTH - left - 0.3 - gap * (columns - 1)) / columns
        self.panels = {}
        for index, name in enumerate(names):
            x = left + (width + gap) * (index % columns)
            y = height - head - (panel_height + 0.65) * (index // columns) - 0.2 - panel_height
            self.panels[name] = self.figure.add_axes((x / WIDTH, y / height, width / WIDTH, panel_height / height))
            self.panels[name].set_title(name.replace("_", " "))

    def svg(self):
        """The file, with numbers of two digits. All is on a white sheet, as pages may be dark."""
        file = StringIO()
        self.figure.savefig(file, format="svg", facecolor="white", metadata={"Date": None, "Creator": None})
        content = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", file.getvalue())
        return re.sub(r"[ \t]+$", "", content, flags=re.MULTILINE)


def powers_of_two(panel, low, high, label):
    """An axis of numbers of elements."""
    panel.set_xscale("log", base=2)
    panel.set_xlim(2.0 ** (low - 0.3), 2.0 ** (high + 0.8))
    panel.set_xticks([2 ** exponent for exponent in range(low, high + 1, 2 if high - low <= 20 else 4)])
    panel.xaxis.set_major_formatter(power_of_two)
    panel.set_xlabel(label)


def label_ends(panel, lines):
    """Writes the last value of each line behind it, each number clear of the one below."""
    bottom, top = panel.get_ylim()
    y, step = -math.inf, (top - bottom) / 15
    for x, value in sorted(lines, key=lambda end: end[1]):
        y = max(value, y + step)
        panel.annotate(f"{value:.0f}", (x, y), xytext=(4, -2.5), textcoords="offset points")


# Charts --------------------------------------------------------------------------------------------------------------


def throughput_chart(entries, kind):
    """GB/s against n: a panel for each operation, a line for each series."""
    _, inputs, counted = entries[0].typical
    styles = make_styles(entries)
    drawing = Drawing(
        f"throughput by input size, {' '.join(kind)}", inputs, entries,
        [*(style.line() for style in styles.values()), copy_line(entries)], ordered(e.operation for e in entries), 2,
        1.8)
    low = min(14, *(math.floor(math.log2(e.n)) for e in entries))
    high = max(28, *(math.ceil(math.log2(e.n)) for e in entries))
    copy = max(e.copy for e in entries)
    for operation, panel in drawing.panels.items():
        powers_of_two(panel, low, high, counted)
        panel.set_ylabel("GB/s")
        panel.set_ylim(0, 1.08 * max(copy, *(e.speed for e in entries)))
        panel.axhline(copy, color=COPY, linestyle="--", linewidth=1)
        ends = []
        for series, style in styles.items():
            line = sorted((e for e in entries if (e.series, e.operation) == (series, operation)), key=lambda e: e.n)
            panel.plot([e.n for e in line], [e.speed for e in line], color=style.colour, marker=style.mark)
            ends += [(e.n, e.speed) for e in line[-1:]]
        label_ends(panel, ends)
    return drawing.svg()


def bar_chart(title, details, entries, row_of, rows):
    """Percent of a copy: a panel for each operation, in it a row for each of rows, in it a bar for each series."""
    styles, operations = make_styles(entries), ordered(e.operation for e in entries)
    labels = [INPUT_NAMES.get(row, row) for row in rows]
    left, gap = 0.25 + 0.07 * max(map(len, labels)), 0.3
    columns = min(4, len(operations))
    while columns > 1 and (WIDTH - left - 0.3 + gap) / columns < 0.1 + 0.072 * max(map(len, operations)):
        columns -= 1  # the panels' titles are longer
    percents = sorted(e.percent for e in entries)
    most = max(100, 1.15 * percents[len(percents) * 3 // 4])  # of an axis that a few extremes do not stretch
    most = percents[-1] if percents[-1] <= 1.5 * most else most
    is_cut = percents[-1] > most
    drawing = Drawing(
        title, details + ("; bars with > are longer than the axis" if is_cut else ""), entries,
        [*(style.patch() for style in styles.values()), copy_line(entries)], operations, columns,
        (0.13 * len(styles) + 0.07) * len(rows), left=left, gap=gap)
    values = {(e.operation, row_of(e), e.series): e.percent for e in entries}
    for index, (operation, panel) in enumerate(drawing.panels.items()):
        for number, (series, style) in enumerate(styles.items()):
            height = 0.9 / len(styles)
            for row_index, row in enumerate(rows):
                value = values.get((operation, row, series))
                if value is not None:
                    y, end = row_index - 0.45 + (number + 0.5) * height, min(value, most)
                    panel.barh(y, end, height, color=style.colour)
                    panel.text(
                        end + most / 60, y, short(value) + " >" * (value > most), size=6.5, va="center_baseline")
        panel.axvline(100, color=COPY, linestyle="--", linewidth=1)
        panel.set_xlim(0, 1.2 * most)
        panel.set_ylim(len(rows) - 0.45, -0.55)
        panel.set_yticks(range(len(rows)), labels if index % columns == 0 else [""] * len(rows))
        panel.tick_params(left=False)
        panel.grid(False, axis="y")
        panel.xaxis.set_major_locator(ticker.MaxNLocator(4))
        panel.set_xlabel("percent of a copy")
    return drawing.svg()


def disorder_chart(entries, kind):
    """Milliseconds against the distance of keys from their places: a line for each series."""
    n, styles = entries[0].n, make_styles(entries)
    drawing = Drawing(
        f"time by disorder, {' '.join(kind)}", f"n = {power_of_two(n)}", entries,
        [*(style.line() for style in styles.values()), copy_line(entries)], [""], 1, 3)
    panel = drawing.panels[""]
    bytes_of_copy = entries[0].speed * entries[0].milliseconds  # in units of 1e6
    panel.axhline(bytes_of_copy / entries[0].copy, color=COPY, linestyle="--", linewidth=1)
    panel.set_xscale("log")
    panel.set_ylim(0, 1.08 * max(e.milliseconds for e in entries))
    places = [10 ** exponent for exponent in range(math.ceil(math.log10(n / 3)))]
    panel.set_xticks([*places, n], ["sorted", *(f"{place:,}" for place in places[1:]), "random"])
    panel.xaxis.set_minor_locator(ticker.NullLocator())
    panel.set_xlabel("places that a key is from where it belongs, at most")
    panel.set_ylabel("ms")
    for series, style in styles.items():
        line = sorted((e for e in entries if e.series == series), key=lambda e: e.distance)
        panel.plot([e.distance for e in line], [e.milliseconds for e in line], color=style.colour, marker=style.mark)
        panel.annotate(short(line[-1].milliseconds), (n, line[-1].milliseconds), xytext=(6, -3),
                       textcoords="offset points")
    return drawing.svg()


def ratio_chart(pairs):
    """The best peer's time over that of mgpu against n: in each panel a line for each form and types."""
    best = {}
    for pair in pairs:
        best.setdefault((pair.panel, pair.kind, pair.n), []).append(pair.ratio)
    kinds = ordered(pair.kind for pair in pairs)
    colours = [shade for library in ("mgpu", "thrust", "cub") for shade in SHADES[library]] + OTHER_SHADES
    styles = {kind: Style(" ".join(kind), colours[i % len(colours)], MARKS[i % len(MARKS)])
              for i, kind in enumerate(kinds)}
    panels = ordered(pair.panel for pair in pairs)
    inputs = {"segmented_sort_": "by lengths of segments, equal or random",
              "multiway_merge_": "by numbers of runs",
              "segmented_set_operations_": "by lengths of the lists"}.get(pairs[0].family, pairs[0].typical[1])
    drawing = Drawing(
        "the best peer's time over that of mgpu", f"{CLOCKS[pairs[0].clock]}; {inputs}; above 1 mgpu is faster", pairs,
        [style.line() for style in styles.values()], panels, min(2 if len(panels) < 8 else 3, len(panels)), 1.7)
    low = min(math.floor(math.log2(pair.n)) for pair in pairs)
    high = max(math.ceil(math.log2(pair.n)) for pair in pairs)
    ratios = [min(found) for found in best.values()]
    ticks = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 256, 1024] if max(ratios) > 64 * min(ratios) else [
        0.5, 0.7, 1, 1.4, 2, 4, 8, 16, 32, 64]
    for name, panel in drawing.panels.items():
        powers_of_two(panel, low, high, pairs[0].typical[2])
        panel.set_yscale("log", base=2)
        panel.set_ylim(min(0.7, *ratios) / 1.05, max(2, *ratios) * 1.1)
        panel.yaxis.set_major_locator(ticker.FixedLocator(ticks))
        panel.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
        panel.axhline(1, color=COPY, linewidth=1)
        for kind, style in styles.items():
            line = sorted((n, min(found)) for (of, kind_of, n), found in best.items() if (of, kind_of) == (name, kind))
            panel.plot([n for n, _ in line], [ratio for _, ratio in line], color=style.colour, marker=style.mark)
    return drawing.svg()


def uneven_chart(pairs):
    """Milliseconds against the length of the short list: a panel for each operation and for which input is short."""
    mgpu, peer = Style("mgpu", SHADES["mgpu"][0], MARKS[0]), Style("best peer", SHADES["thrust"][0], MARKS[1])
    names = {(p.operation, p.form, p.distribution): p.panel for p in pairs}
    base, _, exponent = pairs[0].long_size.partition("^")
    drawing = Drawing(
        f"a short list against {power_of_two(int(base) ** int(exponent or 1))} keys",
        f"{CLOCKS[pairs[0].clock]}; the long list has all keys of the short one", pairs,
        [mgpu.line(), peer.line(), Line2D([], [], color=COPY, linestyle="--", label="a copy of the long list")],
        [names[key] for key in ordered(names)], 3, 1.7)
    low = min(math.floor(math.log2(p.n)) for p in pairs)
    high = max(math.ceil(math.log2(p.n)) for p in pairs)
    times = [time for p in pairs for time in (p.milliseconds, p.peers_milliseconds)]
    for name, panel in drawing.panels.items():
        powers_of_two(panel, low, high, "keys of the short list")
        panel.set_yscale("log")
        panel.set_ylim(min(times) / 1.3, max(times) * 1.3)
        panel.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
        panel.set_ylabel("ms")

        def fastest(libraries):
            by_n = [[p for p in pairs if (p.panel, p.n) == (name, n) and p.library in libraries]
                    for n in sorted({p.n for p in pairs})]
            return [min(found, key=lambda p: p.peers_milliseconds) for found in by_n if found]
        copies, best = fastest(["copy"]), fastest(PEERS)
        panel.plot([p.n for p in copies], [p.peers_milliseconds for p in copies], color=COPY, linestyle="--",
                   linewidth=1)
        panel.plot([p.n for p in best], [p.peers_milliseconds for p in best], color=peer.colour, marker=peer.mark)
        panel.plot([p.n for p in best], [p.milliseconds for p in best], color=mgpu.colour, marker=mgpu.mark)
    return drawing.svg()


def fullest(entries, what):
    """The n with most different what, of several the largest; its entries; and their what in order of appearance."""
    found = {}
    for entry in entries:
        found.setdefault(entry.n, {})[what(entry)] = True
    n = max(found, key=lambda n: (len(found[n]), n), default=0)
    return n, [e for e in entries if e.n == n], list(found.get(n, ()))


def disorder_charts_of(name, entries):
    """What draws the charts of locality sorts, by their file names."""
    for form, types in ordered(e.kind for e in entries):
        of_kind = [e for e in entries if e.kind == (form, types) and e.distance and e.distance <= e.n]
        _, chosen, distances = fullest(of_kind, lambda e: e.distance)
        if len(distances) > 1:
            yield f"{name}disorder_{slug(form + ' ' + types)}.svg", partial(disorder_chart, chosen, (form, types))


def charts_of(name, entries):
    """What draws the charts of a family, a machine and a number of workers, by file names that begin with name."""
    if entries[0].family == "locality_sort_":
        yield from disorder_charts_of(name, entries)
        return
    distribution, inputs, counted = entries[0].typical
    typical = [e for e in entries if e.distribution == distribution]
    for form, types in ordered(e.kind for e in entries):
        sizes = [e for e in typical if e.kind == (form, types) and e.n > 0]
        if len({e.n for e in sizes}) > 1:
            yield f"{name}throughput_{slug(form + ' ' + types)}.svg", partial(throughput_chart, sizes, (form, types))
        n, chosen, rows = fullest([e for e in entries if e.kind == (form, types)], lambda e: e.distribution)
        if len(rows) > 1:
            yield f"{name}distributions_{slug(form + ' ' + types)}.svg", partial(
                bar_chart, f"speed by distribution, {form} {types}", f"n = {power_of_two(n)}", chosen,
                lambda e: e.distribution, rows)
    n, chosen, kinds = fullest(typical, lambda e: e.kind)
    if len(kinds) > 1:
        yield f"{name}types.svg", partial(
            bar_chart, "speed by form and types", f"{inputs}, {power_of_two(n)} {counted}", chosen,
            lambda e: " ".join(e.kind), [" ".join(kind) for kind in ordered(kinds)])


def ratio_charts(pairs):
    """What draws the charts of ratios of all machines, by their file names."""
    charts = {}
    for where, family, clock in sorted({(p.where, p.family, p.clock) for p in pairs}):
        chosen = [p for p in pairs if (p.where, p.family, p.clock) == (where, family, clock)
                  and (p.distribution == p.typical[0] or INPUT_NAMES.get(p.distribution, p.distribution) in p.panel)
                  and p.library in PEERS
                  and not (p.library == RADIX and p.types.startswith("b16"))]  # of which Thrust has no radix sort
        if len({p.n for p in chosen}) > 1:
            charts[f"{where}_ratio_{family or 'set_operations_'}{clock}.svg"] = partial(ratio_chart, chosen)
    return charts


def uneven_charts(pairs):
    """What draws the charts of short lists against long ones, by their file names."""
    for where, long_size, clock in sorted({(p.where, p.long_size, p.clock) for p in pairs}):
        chosen = [p for p in pairs if (p.where, p.long_size, p.clock) == (where, long_size, clock)]
        if len({p.n for p in chosen}) > 1:
            yield f"{where}_uneven_{slug(long_size)}_{clock}.svg", partial(uneven_chart, chosen)


def all_charts(entries):
    """What draws the charts of all machines, by their file names."""
    charts = ratio_charts([e for e in entries if e.clock])
    charts.update(uneven_charts([e for e in entries if e.clock and e.long_size]))
    entries = [e for e in entries if not e.clock]
    for where, machine, workers in sorted({(e.where, e.machine, e.workers) for e in entries}):
        here = [e for e in entries if (e.where, e.machine) == (where, machine)]
        own = [e for e in here if e.workers == workers]
        copy = max(e.copy for e in own)
        serial = [replace(e, copy=copy) for e in here if e.system == "seq" and e.library != "mgpu" and e not in own]
        name = f"{where}_{workers}_worker{'s' * (workers > 1)}" if machine == "cpu" or workers > 1 else where
        for family in sorted({e.family for e in own}):
            charts.update(charts_of(f"{name}_{family}", [e for e in own + serial if e.family == family]))
    return charts


def shown_charts():
    """The file names of the charts that pages show, each with such a page."""
    shown = {}
    for page in (page for pattern in PAGES for page in sorted(ROOT.glob(pattern))):
        for image in IMAGE.findall(page.read_text(encoding="utf-8")):
            path = (page.parent / image).resolve()
            if path.parent == CHARTS:
                shown[path.name] = page.relative_to(ROOT)
    return shown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULT.json")
    parser.add_argument("--out", type=Path, default=Path("docs/charts"), help="where the charts are (docs/charts)")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a chart there differs")
    mode.add_argument("--all", action="store_true", help="also draw what no page shows; needs another --out")
    options = parser.parse_args()
    if options.all and options.out.resolve() == CHARTS:
        parser.error("docs/charts has only what pages show: --all needs another --out")
    matplotlib.rcParams.update(STYLE)
    entries = {}
    for path in options.results:
        try:
            entries.update(load(path))
        except BadResult as error:
            sys.exit(f"{parser.prog}: {path}: {error}")
    charts = all_charts(list(entries.values()))
    if not charts:
        sys.exit(f"{parser.prog}: nothing to draw: a chart needs several n, distributions, or types")
    problems = []
    if not options.all:
        shown = shown_charts()
        problems += [f"{page} shows {name}, which the results do not give" for name, page in shown.items()
                     if name not in charts]
        problems += [f"{path}: no page shows it" for path in sorted(options.out.glob("*.svg")) if path.name not in shown]
        charts = {name: draw for name, draw in charts.items() if name in shown}
    for path, draw in ((options.out / name, draw) for name, draw in charts.items()):
        content = draw().encode()
        if not options.check:
            options.out.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            print(path)
        elif not path.is_file() or path.read_bytes() != content:
            problems.append(f"{path} is not up to date")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
