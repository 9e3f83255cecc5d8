#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws results of the benchmarks as SVG charts, mgpu and its peers side by side.

Takes what --benchmark_out wrote, with or without the single repetitions. The entries of all files are taken together;
of two results of one benchmark on one machine the later file's counts. For each machine, and on a CPU for each number
of workers with the serial peers beside it, these are written if the entries allow, for set operations and merges; and
the same with sorted_search_, semi_join_, join_, bulk_, load_balance_, segmented_reduce_, sort_, locality_sort_ and
segmented_sort_ in their names for the other families:

  *_throughput_FORM_TYPES.svg     GB/s against n; uniform keys, or segments by a power law
  *_types.svg                     percent of a copy for each form and types; for the same, the largest n that has most
  *_distributions_FORM_TYPES.svg  percent of a copy for each distribution; the largest n that has most
  *_disorder_FORM_TYPES.svg       of locality sorts, and no other: time against how far keys are from their places

The same entries give the same bytes.
"""

import argparse
import json
import math
import re
import sys
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

NAME = re.compile(
    r"(?P<machine>[a-z]+)/(?P<system>[a-z]+(:(?P<workers>\d+))?)/(?P<library>\w+)/(?P<operation>\w+)/(?P<form>\w+)/"
    r"(?P<types>[\w+]+)/(?P<distribution>[\w.]+)/n:(?P<a>\d+)(\+(?P<b>\d+))?")
ORDER = ["set_intersection", "set_union", "set_difference", "set_symmetric_difference", "merge", "sorted_lower_bound",
         "sorted_upper_bound", "sorted_contains", "sorted_count", "sorted_equal_range", "sorted_search", "semi_join",
         "anti_join", "inner_join", "left_join", "right_join", "full_join", "bulk_remove", "bulk_insert",
         "load_balancing_search", "interval_expand", "interval_gather", "interval_gather_shuffled", "interval_scatter",
         "interval_move", "segmented_reduce", "segmented_reduce_plan", "segmented_sort", "stable_sort", "locality_sort",
         "keys", "by_key", "rows", "size", "mgpu", "mgpu_stable_sort", "thrust", "thrust_by_digits", "cub", "pstl",
         "std"]
# Of the palette of Okabe and Ito, which colour-blind people tell apart: a shade for each system of a library.
SHADES = {"mgpu": ["#0072b2", "#56b4e9", "#003a5c"], "thrust": ["#e69f00", "#9c6c00", "#f3cf80"],
          "cub": ["#009e73"], "pstl": ["#009e73"], "thrust_by_digits": ["#009e73"], "std": ["#7a7a7a"]}
OTHER_SHADES = ["#cc79a7", "#8f4f73"]
MARKS = ["-1,-1 1,-1 1,1 -1,1", "0,-1.3 1.3,1 -1.3,1", "0,-1.4 1.4,0 0,1.4 -1.4,0", "0,1.3 1.3,-1 -1.3,-1"]
INK, FAINT, GRID, PAPER, COPY = "#222222", "#5a5a5a", "#e2e2e2", "#ffffff", "#d55e00"
WIDTH, MARGIN = 920, 20


# By family, the inputs of the charts that show one distribution: its name, in words, and what n counts.
BY_POWER_LAW = ("power_law", "segments of lengths by a power law", "items")
ONE_MATCH = ("one_match", "about one match for each element", "elements of each input")
RANDOM = ("uniform", "random keys", "elements")
TYPICAL = {"load_balance_": BY_POWER_LAW, "segmented_reduce_": BY_POWER_LAW, "segmented_sort_": BY_POWER_LAW,
           "join_": ONE_MATCH, "sort_": RANDOM, "locality_sort_": RANDOM}
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
    n: int  # as in --n: elements of each input, if the distribution has them of one size
    speed: float  # GB/s
    copy: float  # GB/s of a copy
    milliseconds: float

    @property
    def distance(self):
        """How far keys are from their places at most, if the distribution says so; 1 if they are there."""
        found = re.fullmatch(r"local_(\d+(e\d+)?)", self.distribution)
        return int(float(found[1])) if found else {"sorted": 1, "uniform": self.n}.get(self.distribution)

    @property
    def series(self):
        """What has one colour."""
        return self.library, self.system

    @property
    def family(self):
        """A part of the names of its charts."""
        families = {"sorted": "sorted_search_", "semi": "semi_join_", "anti": "semi_join_", "inner": "join_",
                    "left": "join_", "right": "join_", "full": "join_", "bulk": "bulk_", "load": "load_balance_",
                    "interval": "load_balance_", "stable": "sort_", "locality": "locality_sort_"}
        first, _, rest = self.operation.partition("_")
        if first == "segmented":
            return f"segmented_{rest.split('_')[0]}_"  # reduce or sort
        return families.get(first, "")

    @property
    def typical(self):
        """Its family's entry in TYPICAL."""
        return TYPICAL.get(self.family, TYPICAL_KEYS)

    @property
    def kind(self):
        return self.form, self.types

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
                 n=(a + b + 1) // 2 if part["distribution"].startswith("percent_") else max(a, b), **part)


def load(path):
    """The entries of a file, by what they measure."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        items = [item for item in content["benchmarks"] if not item.get("skipped")]
        if any("aggregate_name" in item for item in items):
            items = [item for item in items if item.get("aggregate_name") == "median" or item.get("error_occurred")]
        entries = [make_entry(item, content["context"]) for item in items]
    except OSError as error:
        raise BadResult(error.strerror) from error
    except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
        raise BadResult(f"not a result of these benchmarks ({type(error).__name__}: {error})") from error
    if not entries:
        raise BadResult("has no entries")
    return {(e.where, e.machine, e.series, e.operation, e.kind, e.distribution, e.n): e for e in entries}


# Drawing -------------------------------------------------------------------------------------------------------------


def ordered(values):
    """Without duplicates and in a fixed order: tuples or names, by ORDER and then by themselves."""
    def rank(name):
        return (ORDER.index(name) if name in ORDER else len(ORDER), name)
    return sorted(set(values), key=lambda value: rank(value) if isinstance(value, str) else [rank(v) for v in value])


def axis(most):
    """Ticks from 0 that reach most: up to five steps of a round number."""
    power = 10.0 ** math.floor(math.log10(most / 5))
    step = next(digit * power for digit in (1, 2, 2.5, 5, 10) if digit * power * 5 >= most * 0.9999)
    return [step * i for i in range(math.ceil(most / step * 0.9999) + 1)]


def short(value):
    """A percentage as it stands at its bar."""
    if value >= 1e4:
        return f"{value / 1e6:.1f}M" if value >= 1e6 else f"{value / 1e3:.0f}k"
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def power_of_two(n):
    """2¹⁰ for 1024, and other numbers as they are."""
    exponent = str(n.bit_length() - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"2{exponent}" if n & (n - 1) == 0 else str(n)


@dataclass(frozen=True)
class Style:
    """How a series is drawn."""
    name: str
    colour: str
    ink: str  # of text on the colour
    mark: str  # its shape tells lines apart where colours do not


def make_styles(entries):
    """The styles of all series, by series."""
    all_series, used, styles = ordered(e.series for e in entries), {}, {}
    for library, system in all_series:
        shades = SHADES.get(library, OTHER_SHADES)
        used[library] = used.get(library, -1) + 1
        colour = shades[used[library] % len(shades)]
        light = sum(int(colour[i:i + 2], 16) * weight for i, weight in ((1, 0.3), (3, 0.59), (5, 0.11)))
        name = f"{library} ({system})" if len({s for _, s in all_series}) > 1 else library
        styles[library, system] = Style(name, colour, INK if light > 125 else PAPER, MARKS[len(styles) % len(MARKS)])
    return styles


class Drawing:
    """An SVG file with a title and a legend. It ends at y."""

    def __init__(self, title, details, entries, as_lines):
        self.parts, self.title, self.styles = [], f"mgpu and its peers: {title}", make_styles(entries)
        self.operations = ordered(e.operation for e in entries)
        commits = "".join(f", commit {commit}" for commit in sorted({e.commit for e in entries} - {""}))
        self.text(MARGIN, 32, self.title, size=17, weight="bold")
        machine = max(ordered(e.description for e in entries), key=len)
        self.text(MARGIN, 53, f"{machine}{commits}; {details}", fill=FAINT)
        self.y = 76
        self.legend(entries, as_lines)

    def legend(self, entries, as_lines):
        """What the colours are, and the dashed line; as many lines of it as it needs."""
        workers, copies = max(e.workers for e in entries), sorted({round(e.copy) for e in entries})
        by_workers = f" by {workers} worker{'s' * (workers > 1)}" if entries[0].machine == "cpu" else ""
        copy = f"a copy{by_workers}: {' to '.join(map(str, copies[:1] + copies[1:][-1:]))} GB/s"
        x = MARGIN
        for name, style in [*((style.name, style) for style in self.styles.values()), (copy, None)]:
            width = 28 + 7 * len(name)
            if x + width > WIDTH - MARGIN:
                x, self.y = MARGIN, self.y + 20
            if style is None:
                self.line(x, self.y, x + 22, self.y, COPY, dash="5 3")
            elif as_lines:
                self.line(x, self.y, x + 22, self.y, style.colour, width=2)
                self.mark(x + 11, self.y, style)
            else:
                self.rect(x, self.y - 5, 22, 10, style.colour)
            self.text(x + 28, self.y + 4, name)
            x += width + 20

    def add(self, tag, content=None, **attributes):
        """An element. In names of attributes _ stands for -; those that are None are left out."""
        named = {name.replace("_", "-"): f"{value:.1f}" if isinstance(value, float) else value
                 for name, value in attributes.items() if value is not None}
        start = "".join([f"<{tag}", *(f' {name}="{value}"' for name, value in named.items())])
        self.parts.append(f"{start}/>" if content is None else f"{start}>{escape(content)}</{tag}>")

    def text(self, x, y, text, size=12, fill=INK, anchor=None, weight=None, transform=None):
        self.add("text", text, x=float(x), y=float(y), font_size=size, fill=fill, text_anchor=anchor,
                 font_weight=weight, transform=transform)

    def note(self, x, y, text, anchor=None, transform=None):
        self.text(x, y, text, 11, FAINT, anchor, None, transform)

    def line(self, x1, y1, x2, y2, stroke=GRID, width=1, dash=None):
        self.add("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), stroke=stroke, stroke_width=width,
                 stroke_dasharray=dash)

    def rect(self, x, y, width, height, fill):
        self.add("rect", x=float(x), y=float(y), width=float(width), height=float(height), fill=fill)

    def mark(self, x, y, style):
        """A point of a line."""
        self.add("polygon", points=style.mark, fill=style.colour, transform=f"translate({x:.1f} {y:.1f}) scale(4)")

    def bar(self, x0, x1, y, height, part, label, style):
        """A bar with its label behind it, or on it where there is no room. One longer than the axis ends in a point."""
        x, width = x0 + (x1 - x0) * min(part, 1), 6.4 * len(label)
        self.rect(x0, y, x - x0, height, style.colour)
        if part > 1:
            self.add("polygon", points=f"0,0 7,{height / 2:.1f} 0,{height}", fill=style.colour,
                     transform=f"translate({x:.1f} {y:.1f})")
        if x + 4 + width > x1 + 7:
            self.text(x - 3, y + height - 2, label, size=10, fill=style.ink, anchor="end")
        else:
            self.rect(x + 2, y, width + 4, height, PAPER)
            self.text(x + 4, y + height - 2, label, size=10)

    def svg(self):
        """The file. All is on a white sheet, as pages may be dark."""
        size = f'width="{WIDTH}" height="{round(self.y)}"'
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {round(self.y)}" {size} '
            'font-family="sans-serif" role="img">', f"<title>{escape(self.title)}</title>",
            f'<rect {size} rx="10" fill="{PAPER}"/>', *self.parts, "</svg>", ""])


# Charts --------------------------------------------------------------------------------------------------------------


def throughput_chart(entries, kind):
    """GB/s against n: a panel for each operation, a line for each series."""
    _, inputs, counted = entries[0].typical
    drawing = Drawing(f"throughput by input size, {' '.join(kind)}", inputs, entries, as_lines=True)
    low = min(14, *(math.floor(math.log2(e.n)) for e in entries))
    high = max(28, *(math.ceil(math.log2(e.n)) for e in entries))
    copy = max(e.copy for e in entries)
    ticks = axis(max(copy * 1.05, *(e.speed for e in entries)))
    top = drawing.y + 54
    for index, operation in enumerate(drawing.operations):
        x0, y0 = MARGIN + 62 + (WIDTH - 2 * MARGIN) / 2 * (index % 2), top + 265 * (index // 2)
        x1, y1 = x0 + 344, y0 + 180

        def x_of(n):
            return x0 + (x1 - x0) * (math.log2(n) - low) / (high - low)

        def y_of(speed):
            return y1 - (y1 - y0) * speed / ticks[-1]

        drawing.text(x0, y0 - 12, operation.replace("_", " "), size=13, weight="bold")
        for tick in ticks:
            drawing.line(x0, y_of(tick), x1, y_of(tick))
            drawing.note(x0 - 6, y_of(tick) + 4, f"{tick:g}", "end")
        for n in (2 ** exponent for exponent in range(low, high + 1, 2)):
            drawing.line(x_of(n), y1, x_of(n), y1 + 4, FAINT)
            drawing.note(x_of(n), y1 + 17, power_of_two(n), "middle")
        drawing.note((x0 + x1) / 2, y1 + 34, counted, "middle")
        drawing.note(0, 0, "GB/s", "middle", f"translate({x0 - 46:.1f} {(y0 + y1) / 2:.1f}) rotate(-90)")
        drawing.line(x0, y_of(copy), x1, y_of(copy), COPY, dash="5 3")
        ends = []
        for series, style in drawing.styles.items():
            line = sorted((e for e in entries if (e.series, e.operation) == (series, operation)), key=lambda e: e.n)
            points = " ".join(f"{x_of(e.n):.1f},{y_of(e.speed):.1f}" for e in line)
            drawing.add("polyline", points=points, fill="none", stroke=style.colour, stroke_width=2)
            for entry in line:
                drawing.mark(x_of(entry.n), y_of(entry.speed), style)
            ends += line[-1:]
        y = math.inf
        for entry in sorted(ends, key=lambda e: e.speed):  # upwards, each number clear of the one below
            y = min(y_of(entry.speed) + 4, y - 12)
            drawing.text(x_of(entry.n) + 8, y, f"{entry.speed:.0f}", size=11)
        drawing.y = y1 + 50
    return drawing.svg()


def bar_chart(title, details, entries, row_of, rows):
    """Percent of a copy: a panel for each operation, in it a row for each of rows, in it a bar for each series."""
    drawing = Drawing(title, details, entries, as_lines=False)
    percents = sorted(e.percent for e in entries)
    most = max(100, 1.15 * percents[len(percents) * 3 // 4])  # of an axis that a few extremes do not stretch
    ticks = axis(percents[-1] if most < percents[-1] <= 1.5 * most else most)
    values = {(e.operation, row_of(e), e.series): e.percent for e in entries}
    columns, bar, left = min(4, len(drawing.operations)), 13, 30 + 6.6 * max(map(len, rows))
    step, row_height, top = (WIDTH - left) / columns, bar * len(drawing.styles) + 7, drawing.y + 50
    for index, operation in enumerate(drawing.operations):
        x0, y0 = left + step * (index % columns), top + (row_height * len(rows) + 64) * (index // columns)
        x1, y1 = x0 + step - 30, y0 + row_height * len(rows)
        drawing.text(x0, y0 - 10, operation.replace("_", " "), weight="bold")
        for tick in sorted({*ticks, 100}):
            x = x0 + (x1 - x0) * tick / ticks[-1]
            is_copy = tick == 100
            drawing.line(x, y0, x, y1 + 3, COPY if is_copy else GRID, dash="5 3" if is_copy else None)
            drawing.note(x, y1 + 16, f"{tick:g}", "middle")
        for row_index, row in enumerate(rows):
            y = y0 + row_height * row_index + 3
            if index % columns == 0:
                drawing.text(x0 - 8, y + (row_height - 7) / 2 + 4, row, anchor="end")
            for series, style in drawing.styles.items():
                if (operation, row, series) in values:
                    value = values[operation, row, series]
                    drawing.bar(x0, x1, y, bar - 1, value / ticks[-1], short(value), style)
                y += bar
        drawing.y = y1 + 36
    drawing.note(left, drawing.y, "percent of the speed of a copy")
    if percents[-1] > ticks[-1]:
        drawing.y += 16
        drawing.note(left, drawing.y, "Pointed bars are longer than the axis. Where an input need not be read, or is "
                     "in a cache, more than 100 is possible.")
    drawing.y += 16
    return drawing.svg()


def disorder_chart(entries, kind):
    """Milliseconds against the distance of keys from their places: a line for each series."""
    n = entries[0].n
    drawing = Drawing(f"time by disorder, {' '.join(kind)}", f"n = {power_of_two(n)}", entries, as_lines=True)
    high = math.log10(n)
    bytes_of_copy = entries[0].speed * entries[0].milliseconds  # in units of 1e6
    copy = bytes_of_copy / entries[0].copy
    ticks = axis(1.05 * max(e.milliseconds for e in entries))
    x0, y0, x1, y1 = MARGIN + 62, drawing.y + 30, WIDTH - MARGIN - 60, drawing.y + 330

    def x_of(distance):
        return x0 + (x1 - x0) * math.log10(distance) / high

    def y_of(milliseconds):
        return y1 - (y1 - y0) * milliseconds / ticks[-1]

    for tick in ticks:
        drawing.line(x0, y_of(tick), x1, y_of(tick))
        drawing.note(x0 - 6, y_of(tick) + 4, f"{tick:g}", "end")
    for distance in (10 ** exponent for exponent in range(math.ceil(high))):
        drawing.line(x_of(distance), y1, x_of(distance), y1 + 4, FAINT)
        drawing.note(x_of(distance), y1 + 17, f"{distance:,}" if distance > 1 else "sorted", "middle")
    drawing.note(x1, y1 + 17, "random", "middle")
    drawing.note((x0 + x1) / 2, y1 + 34, "places that a key is from where it belongs, at most", "middle")
    drawing.note(0, 0, "ms", "middle", f"translate({x0 - 46:.1f} {(y0 + y1) / 2:.1f}) rotate(-90)")
    drawing.line(x0, y_of(copy), x1, y_of(copy), COPY, dash="5 3")
    for series, style in drawing.styles.items():
        line = sorted((e for e in entries if e.series == series), key=lambda e: e.distance)
        points = " ".join(f"{x_of(e.distance):.1f},{y_of(e.milliseconds):.1f}" for e in line)
        drawing.add("polyline", points=points, fill="none", stroke=style.colour, stroke_width=2)
        for entry in line:
            drawing.mark(x_of(entry.distance), y_of(entry.milliseconds), style)
        drawing.text(x1 + 8, y_of(line[-1].milliseconds) + 4, short(line[-1].milliseconds), size=11)
    drawing.y = y1 + 50
    return drawing.svg()


def fullest(entries, what):
    """The n with most different what, of several the largest; its entries; and their what in order of appearance."""
    found = {}
    for entry in entries:
        found.setdefault(entry.n, {})[what(entry)] = True
    n = max(found, key=lambda n: (len(found[n]), n), default=0)
    return n, [e for e in entries if e.n == n], list(found.get(n, ()))


def disorder_charts_of(name, entries):
    """The charts of locality sorts, by their file names."""
    for form, types in ordered(e.kind for e in entries):
        of_kind = [e for e in entries if e.kind == (form, types) and e.distance and e.distance <= e.n]
        _, chosen, distances = fullest(of_kind, lambda e: e.distance)
        if len(distances) > 1:
            yield f"{name}disorder_{slug(form + ' ' + types)}.svg", disorder_chart(chosen, (form, types))


def charts_of(name, entries):
    """The charts of one family, machine and number of workers, by their file names, which begin with name."""
    if entries[0].family == "locality_sort_":
        yield from disorder_charts_of(name, entries)
        return
    distribution, inputs, counted = entries[0].typical
    typical = [e for e in entries if e.distribution == distribution]
    for form, types in ordered(e.kind for e in entries):
        sizes = [e for e in typical if e.kind == (form, types) and e.n > 0]
        if len({e.n for e in sizes}) > 1:
            yield f"{name}throughput_{slug(form + ' ' + types)}.svg", throughput_chart(sizes, (form, types))
        n, chosen, rows = fullest([e for e in entries if e.kind == (form, types)], lambda e: e.distribution)
        if len(rows) > 1:
            yield f"{name}distributions_{slug(form + ' ' + types)}.svg", bar_chart(
                f"speed by distribution, {form} {types}", f"n = {power_of_two(n)}", chosen, lambda e: e.distribution,
                rows)
    n, chosen, kinds = fullest(typical, lambda e: e.kind)
    if len(kinds) > 1:
        yield f"{name}types.svg", bar_chart(
            "speed by form and types", f"{inputs}, {power_of_two(n)} {counted}", chosen,
            lambda e: " ".join(e.kind), [" ".join(kind) for kind in ordered(kinds)])


def all_charts(entries):
    """The charts of all machines, by their file names."""
    charts = {}
    for where, machine, workers in sorted({(e.where, e.machine, e.workers) for e in entries}):
        here = [e for e in entries if (e.where, e.machine) == (where, machine)]
        own = [e for e in here if e.workers == workers]
        copy = max(e.copy for e in own)
        serial = [replace(e, copy=copy) for e in here if e.system == "seq" and e.library != "mgpu" and e not in own]
        name = f"{where}_{workers}_worker{'s' * (workers > 1)}" if machine == "cpu" or workers > 1 else where
        for family in sorted({e.family for e in own}):
            charts.update(charts_of(f"{name}_{family}", [e for e in own + serial if e.family == family]))
    return charts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULT.json")
    parser.add_argument("--out", type=Path, default=Path("docs/charts"), help="where the charts are (docs/charts)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a chart there differs")
    options = parser.parse_args()
    entries = {}
    for path in options.results:
        try:
            entries.update(load(path))
        except BadResult as error:
            sys.exit(f"{parser.prog}: {path}: {error}")
    charts = all_charts(list(entries.values()))
    if not charts:
        sys.exit(f"{parser.prog}: nothing to draw: a chart needs several n, distributions, or types")
    status = 0
    for path, content in ((options.out / name, svg.encode()) for name, svg in charts.items()):
        if not options.check:
            options.out.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            print(path)
        elif not path.is_file() or path.read_bytes() != content:
            print(f"{path} is not up to date")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
