#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Prints what a call of mgpu_arrays takes beside its work, in us: the shortest of many calls with eight elements.

    PYTHONPATH=build/cpu/examples/python python3 examples/python/overhead.py
"""

import timeit

import numpy as np

import mgpu_arrays

KEYS = np.arange(8)
OFFSETS = np.array([0, 3, 8])
CALLS = {name: (KEYS, KEYS) for name in ("intersect1d", "union1d", "setdiff1d", "isin", "searchsorted", "asof_join")}
CALLS |= {name: (KEYS, OFFSETS) for name in ("segmented_sum", "segmented_scan")}
REPETITIONS = 1000

for call, arrays in CALLS.items():
    function = getattr(mgpu_arrays, call)
    times = timeit.repeat(lambda: function(*arrays), number=REPETITIONS, repeat=50)
    print(f"{call:15}{min(times) / REPETITIONS * 1e6:6.1f}")
