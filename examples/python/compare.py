#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Prints a table of times, in ms: each call of mgpu_arrays, beside the same job done by CuPy, torch and jax.

    PYTHONPATH=build/cuda/examples/python/cuda python3 examples/python/compare.py          # CuPy's arrays, on a GPU
    PYTHONPATH=build/cpu/examples/python python3 examples/python/compare.py --on numpy     # NumPy's, on a CPU

Libraries that are not installed have no column. Keys are int64, sorted, without duplicates, and half of those of `a` are
in `b`; values are float64, in segments of 16 on average. A row's results are compared before they are timed. Each time is
the shortest of --repetitions, and includes the wait for the result.
"""

import argparse
import importlib
import os
import sys
import time

import numpy as np

import mgpu_arrays

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # jax would take most of the GPU's memory


def make_inputs(size):
    """Two sets of keys, values, and the offsets of their segments with the end of the last one."""
    random = np.random.default_rng(20261128)
    keys = np.cumsum(random.integers(1, 8, size + size // 2))
    shared = random.permutation(len(keys))
    a, b = np.sort(keys[shared[:size]]), np.sort(keys[shared[size // 2 : size // 2 + size]])
    inner = np.sort(random.integers(0, size + 1, size // 16 - 1))
    return a, b, random.random(size), np.concatenate([[0], inner, [size]])


def jobs_of_arrays(library):
    """The jobs in the words of NumPy and CuPy."""
    search = library.searchsorted

    def sums_before(values):
        return library.concatenate([library.zeros(1), library.cumsum(values)])

    def sums(values, offsets):
        before = sums_before(values)[offsets]
        return before[1:] - before[:-1]

    def scan(values, offsets):
        sums = sums_before(values)
        return sums[1:] - sums[offsets[:-1]][search(offsets[1:], library.arange(len(values)), side="right")]

    return {
        "intersect1d": lambda a, b, v, o: library.intersect1d(a, b, assume_unique=True),
        "union1d": lambda a, b, v, o: library.union1d(a, b),
        "setdiff1d": lambda a, b, v, o: library.setdiff1d(a, b, assume_unique=True),
        "isin": lambda a, b, v, o: library.isin(a, b, assume_unique=True),
        "searchsorted": lambda a, b, v, o: search(a, b),
        "asof_join": lambda a, b, v, o: search(b, a, side="right") - 1,
        "segmented_sum": lambda a, b, v, o: sums(v, o),
        "segmented_scan": lambda a, b, v, o: scan(v, o),
    }


def jobs_of_jax(jax):
    array = jax.numpy

    def search(a, v, side="left"):
        return array.searchsorted(a, v, side=side, method="sort")

    def ids(values, offsets):
        return search(offsets[1:], array.arange(len(values)), "right")

    def sums(values, offsets):
        return jax.ops.segment_sum(values, ids(values, offsets), len(offsets) - 1, indices_are_sorted=True)

    def scan(values, offsets):
        sums = array.concatenate([array.zeros(1), array.cumsum(values)])
        return sums[1:] - sums[offsets[:-1]][ids(values, offsets)]

    return {
        "intersect1d": lambda a, b, v, o: array.intersect1d(a, b, assume_unique=True),
        "union1d": lambda a, b, v, o: array.union1d(a, b),
        "setdiff1d": lambda a, b, v, o: a[array.isin(a, b, invert=True, method="sort")],
        "isin": lambda a, b, v, o: array.isin(a, b, method="sort"),
        "searchsorted": lambda a, b, v, o: search(a, b),
        "asof_join": lambda a, b, v, o: search(b, a, "right") - 1,
        "segmented_sum": lambda a, b, v, o: sums(v, o),
        "segmented_scan": lambda a, b, v, o: scan(v, o),
    }


def jobs_of_torch(torch):
    def intersection(a, b):
        both = torch.sort(torch.cat([a, b])).values
        return both[:-1][both[1:] == both[:-1]]

    def scan(values, offsets):
        sums = torch.cumsum(values, 0)
        before = torch.cat([sums.new_zeros(1), sums])[offsets[:-1]]
        return sums - torch.repeat_interleave(before, offsets.diff())

    return {
        "intersect1d": lambda a, b, v, o: intersection(a, b),
        "union1d": lambda a, b, v, o: torch.unique(torch.cat([a, b])),
        "setdiff1d": lambda a, b, v, o: a[torch.isin(a, b, assume_unique=True, invert=True)],
        "isin": lambda a, b, v, o: torch.isin(a, b, assume_unique=True),
        "searchsorted": lambda a, b, v, o: torch.searchsorted(a, b),
        "asof_join": lambda a, b, v, o: torch.searchsorted(b, a, right=True) - 1,
        "segmented_sum": lambda a, b, v, o: torch.segment_reduce(v, "sum", offsets=o),
        "segmented_scan": lambda a, b, v, o: scan(v, o),
    }


def our_jobs():
    sets = {name: lambda a, b, v, o, call=getattr(mgpu_arrays, name): call(a, b)
            for name in ("intersect1d", "union1d", "setdiff1d", "isin", "searchsorted", "asof_join")}
    sums = {name: lambda a, b, v, o, call=getattr(mgpu_arrays, name): call(v, o)
            for name in ("segmented_sum", "segmented_scan")}
    return sets | sums


def peers(on):
    """Of each library: its jobs, what makes an array of NumPy one of its own, the inverse, and what waits for a result."""
    def found(name):
        try:
            return importlib.import_module(name)
        except ImportError:
            return None

    cupy, torch, jax = (found(name) if on != "numpy" or name == "jax" else None for name in ("cupy", "torch", "jax"))
    if on == "numpy":
        yield "numpy", jobs_of_arrays(np), np.asarray, np.asarray, lambda result: None
    if cupy:
        wait = cupy.cuda.runtime.deviceSynchronize
        yield "cupy", jobs_of_arrays(cupy), cupy.asarray, cupy.asnumpy, lambda result: wait()
    if torch:
        yield ("torch", jobs_of_torch(torch), lambda array: torch.from_numpy(array).cuda(),
               lambda array: array.cpu().numpy(), lambda result: torch.cuda.synchronize())
    if jax:
        jax.config.update("jax_enable_x64", True)
        yield "jax", jobs_of_jax(jax), jax.numpy.asarray, np.asarray, lambda result: result.block_until_ready()


def time_of(job, inputs, wait, repetitions):
    times = []
    for _ in range(repetitions + 2):  # two to compile and to fill pools
        begin = time.perf_counter()
        wait(job(*inputs))
        times.append(time.perf_counter() - begin)
    return f"{min(times[2:]) * 1e3:.3f}"


def cells(name, columns, inputs, repetitions):
    """The times of a job in all libraries, or why there is none; results are those of the first."""
    expected = None
    for library, jobs, put, get, wait in columns:
        try:
            arrays = [put(array) for array in inputs]
            result = get(jobs[name](*arrays))
            expected = result if expected is None else expected
            np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-6)
            yield time_of(jobs[name], arrays, wait, repetitions)
        except Exception as error:  # a library that lacks a function, or memory for it, costs its cell alone
            yield f"{type(error).__name__}: {' '.join(str(error).split())[:60]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", choices=("cupy", "torch", "numpy"), default="cupy", help="whose arrays mgpu_arrays gets")
    parser.add_argument("--size", type=int, default=1 << 24, help="elements of each input")
    parser.add_argument("--repetitions", type=int, default=10)
    options = parser.parse_args()
    inputs = make_inputs(options.size)
    libraries = list(peers(options.on))
    ours = next((library for library in libraries if library[0] == options.on), None)
    if not ours:
        sys.exit(f"{options.on} is not installed")
    columns = [("mgpu_arrays", our_jobs(), *ours[2:]), *libraries]
    print(f"| {options.size} elements | " + " | ".join(name for name, *_ in columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name in our_jobs():
        print(f"| {name} | " + " | ".join(cells(name, columns, inputs, options.repetitions)) + " |", flush=True)


if __name__ == "__main__":
    main()
