#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Prints what a call of mgpu_arrays takes beside its work, in us: the shortest mean of many calls with eight elements.

    PYTHONPATH=build/cpu/examples/python python3 examples/python/overhead.py            # NumPy's arrays
    PYTHONPATH=build/cuda/examples/python/cuda python3 examples/python/overhead.py cupy
"""

import importlib
import sys
import timeit

import mgpu_arrays

LIBRARY = importlib.import_module(sys.argv[1] if sys.argv[1:] else "numpy")
KEYS = LIBRARY.arange(8)
OFFSETS = LIBRARY.array([0, 3, 8])
CALLS = {name: (KEYS, KEYS) for name in ("intersect1d", "union1d", "setdiff1d", "isin", "searchsorted", "asof_join")}
CALLS |= {name: (KEYS, OFFSETS) for name in ("segmented_sum", "segmented_scan")}
REPETITIONS = 1000

for call, arrays in CALLS.items():
    function = getattr(mgpu_arrays, call)
    times = timeit.repeat(lambda: function(*arrays), number=REPETITIONS, repeat=50)
    print(f"{call:15}{min(times) / REPETITIONS * 1e6:6.1f}")
