#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Tests mgpu_arrays against NumPy: with NumPy's arrays, or with those of another library on a GPU.

    PYTHONPATH=build/cpu/examples/python python3 examples/python/test_mgpu_arrays.py
    PYTHONPATH=build/cuda/examples/python/cuda python3 examples/python/test_mgpu_arrays.py cupy
    PYTHONPATH=build/cuda/examples/python/cuda python3 examples/python/test_mgpu_arrays.py torch
"""

import collections
import sys
import unittest

import numpy as np

import mgpu_arrays

LIBRARY = sys.argv.pop(1) if sys.argv[1:2] and sys.argv[1] in ("numpy", "cupy", "torch") else "numpy"
if LIBRARY != "numpy":
    library = __import__(LIBRARY)


def put(array):
    """A NumPy array as one of the library."""
    return {"numpy": lambda: array, "cupy": lambda: library.asarray(array),
            "torch": lambda: library.from_numpy(array.copy()).cuda()}[LIBRARY]()


def get(array):
    """An array of the library as one of NumPy."""
    return {"numpy": lambda: array, "cupy": lambda: library.asnumpy(array), "torch": lambda: array.cpu().numpy()}[LIBRARY]()


def address(array):
    return {"numpy": lambda: array.ctypes.data, "cupy": lambda: array.data.ptr, "torch": lambda: array.data_ptr()}[LIBRARY]()


def call(name, *arrays, **options):
    """The result of a call, as an array of NumPy. The inputs are as they were, and the result is of their library."""
    inputs = [put(array) for array in arrays]
    result = getattr(mgpu_arrays, name)(*inputs, **options)
    assert type(result) is type(inputs[0])
    for array, before in zip(inputs, arrays):
        np.testing.assert_array_equal(get(array), before)
    return get(result)


def inputs_of_all_sizes():
    """Pairs of sorted arrays, of both types, with few and with many equal elements."""
    random = np.random.default_rng(20261128)
    for dtype in (np.int64, np.float64):
        for size_a, size_b, values in ((0, 0, 1), (0, 9, 5), (9, 0, 5), (1, 1, 1), (50, 70, 20), (3000, 40, 500),
                                       (30_000, 50_000, 1_000_000), (100_000, 80_000, 300)):
            yield (np.sort(random.integers(-values, values, size_a)).astype(dtype),
                   np.sort(random.integers(-values, values, size_b)).astype(dtype))


def counted(operation, a, b):
    """An operation of multisets."""
    counts = operation(collections.Counter(a.tolist()), collections.Counter(b.tolist()))
    return np.array(sorted(counts.elements()), dtype=a.dtype)


class Calls(unittest.TestCase):
    def check(self, result, expected):
        self.assertEqual(result.dtype, expected.dtype)
        np.testing.assert_array_equal(result, expected)

    def test_sets_are_those_of_numpy(self):
        for a, b in inputs_of_all_sizes():
            a, b = np.unique(a), np.unique(b)
            for name in ("intersect1d", "union1d", "setdiff1d"):
                self.check(call(name, a, b), getattr(np, name)(a, b).astype(a.dtype))

    def test_equal_elements_are_counted(self):
        for a, b in inputs_of_all_sizes():
            self.check(call("intersect1d", a, b), counted(lambda x, y: x & y, a, b))
            self.check(call("union1d", a, b), counted(lambda x, y: x | y, a, b))
            self.check(call("setdiff1d", a, b), counted(lambda x, y: x - y, a, b))

    def test_searches(self):
        for a, b in inputs_of_all_sizes():
            self.check(call("isin", a, b), np.isin(a, b))
            for side in ("left", "right"):
                self.check(call("searchsorted", a, b, side=side), np.searchsorted(a, b, side))

    def test_asof_joins(self):
        for left, right in inputs_of_all_sizes():
            self.check(call("asof_join", left, right), np.searchsorted(right, left, "right") - 1)
            after = np.searchsorted(right, left, "left")
            after[after == len(right)] = -1
            self.check(call("asof_join", left, right, direction="forward"), after)

    def test_sums_of_segments(self):
        random = np.random.default_rng(20261128)
        for dtype in (np.int64, np.float64):
            for num_items, num_segments in ((0, 0), (0, 3), (1, 1), (1000, 7), (100_000, 30_000), (100_000, 2)):
                values = random.integers(-9, 9, num_items).astype(dtype)
                inner = np.sort(random.integers(0, num_items + 1, max(num_segments - 1, 0)))
                offsets = np.concatenate([np.zeros(min(num_segments, 1)), inner, [num_items]]).astype(np.int64)
                rows = np.split(values, offsets[1:-1]) if num_segments else []
                self.check(call("segmented_sum", values, offsets), np.array([row.sum() for row in rows], dtype=dtype))
                scans = np.concatenate([np.cumsum(row) for row in rows] + [values[:0]])
                self.check(call("segmented_scan", values, offsets), scans)


class Arrays(unittest.TestCase):
    def test_inputs_are_not_copied(self):
        for dtype in (np.int64, np.float64):
            array = put(np.arange(1000).astype(dtype))
            self.assertEqual(mgpu_arrays.address(array), address(array))
            self.assertEqual(mgpu_arrays.address(array[10:]), address(array) + 80)

    def test_what_would_need_a_copy_is_refused(self):
        a = put(np.arange(10))
        for other in (put(np.arange(10, dtype=np.int32)), put(np.arange(10.0)), a[::2], a.reshape(2, 5), [1, 2]):
            with self.assertRaises(TypeError):
                mgpu_arrays.intersect1d(a, other)

    @unittest.skipIf(LIBRARY != "numpy", "of NumPy alone")
    def test_arrays_that_are_read_only(self):
        a = np.arange(10)
        a.flags.writeable = False
        np.testing.assert_array_equal(mgpu_arrays.intersect1d(a, a[3:5]), a[3:5])

    @unittest.skipIf(LIBRARY == "numpy", "on a GPU")
    def test_another_stream(self):
        stream = library.cuda.Stream()
        with stream if LIBRARY == "cupy" else library.cuda.stream(stream):
            a, b = put(np.arange(1_000_000)), put(np.arange(500_000, 1_500_000))
            result = mgpu_arrays.isin(a, b, stream=stream.ptr if LIBRARY == "cupy" else stream.cuda_stream)
            np.testing.assert_array_equal(get(result), np.arange(1_000_000) >= 500_000)

    @unittest.skipIf(LIBRARY == "numpy", "on a GPU")
    def test_arrays_on_different_devices(self):
        a = np.arange(10)
        with self.assertRaisesRegex(ValueError, "different devices"):
            mgpu_arrays.isin(put(a), a)

    def test_wrong_arguments(self):
        a = put(np.arange(10))
        with self.assertRaisesRegex(ValueError, "neither left nor right"):
            mgpu_arrays.searchsorted(a, a, side="middle")
        with self.assertRaisesRegex(ValueError, "neither backward nor forward"):
            mgpu_arrays.asof_join(a, a, direction="nearest")
        with self.assertRaisesRegex(ValueError, "no segment"):
            mgpu_arrays.segmented_sum(a, put(np.zeros(0, dtype=np.int64)))

    def test_unsorted_inputs_end(self):
        random = np.random.default_rng(20261128)
        a, b = (random.integers(0, 1000, 5000) for _ in range(2))
        for name in ("intersect1d", "union1d", "setdiff1d", "isin", "searchsorted", "asof_join", "segmented_scan"):
            call(name, a, b)


if __name__ == "__main__":
    unittest.main()
