#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Measures what results/ holds of a GPU: a file for each entry of FILES, with its commands' benchmarks.

  measure.py BUILD OUT --machine=h200 [--only=REGEX] [--commit=SHA]

BUILD is where the benchmark_*_cuda programs are, OUT receives the files, whose names begin with the family and the
machine. --only takes the entries that the expression matches, and --commit is noted in the files. The entries of
cccl_3_6 are for programs that are built with that release of CCCL.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOME = "2^8,2^10,2^12,2^14,2^16,2^18,2^20"
FEW = "2^4,2^8,2^12,2^16,2^18,2^20,2^22,2^24"
GRAPHS = SOME + ",2^22,2^24,2^26"
SORTED = ("uniform,no_duplicates,all_equal,one_run,runs_16,a_empty,b_empty,one_element,interleaved,disjoint,identical,"
          "ratio_1000")
RATIOS = "entropy_1.000,entropy_0.201,percent_1,percent_25,percent_75,percent_99"
SHORT = "equal_2,equal_4,equal_8,equal_16,equal_32,equal_64,equal_128,equal_1024,mean_8,mean_30,mean_300"
FEW_ITEMS = "mean_7,mean_50,mean_700"
LENGTHS = SHORT + ",mean_3000,one_segment"
SCANS = "segmented_scan --pairs=wait --operations=segmented_inclusive_scan"
RUNS = "multiway_merge --pairs=wait --operations=merge_runs"
LAWS = "power_law_similar,power_law_independent"
LISTS = "segmented_set_operations --n=2^27 --types=i32"
SUMS = f"--types=i32+f32 --distributions=mean_8,{LAWS}"
PAIRS = "segmented_set_operations --pairs=wait --operations=segmented_set_intersection_size"
LONG_SIZES = "equal_4,equal_16,equal_64,mean_8,mean_30,mean_300,mean_3000"

# By file, the commands: programs without benchmark_ and _cuda, and flags.
FILES = {
    # Beside the peers, by the clock of a caller.
    "set_operations_{}_wait": [
        "set_operations --pairs=wait --n=2^8..2^28 --types=i32,i64 --forms=keys --distributions=uniform"],
    "set_operations_{}_wait_types": [
        "set_operations --pairs=wait --n=2^8..2^24 --types=b16,i32+i32,i32+i64,b16+i32 --forms=keys,by_key "
        "--distributions=uniform"],
    "segmented_set_operations_{}_wait": [
        f"{PAIRS} --n={SOME},2^24,2^27 --distributions=mean_4,mean_64,mean_4096",
        f"{PAIRS} --n={SOME},2^24 --distributions={LAWS} --benchmark_filter=warp_bisect",
        f"segmented_set_operations --pairs=wait --n=2^13,2^17,2^21,2^25 {SUMS} "
        "--benchmark_filter=beside_cusparse|mean_8"],
    "sorted_search_{}_wait": [
        "sorted_search --pairs=wait --n=2^8..2^24 --types=i32,i64 --distributions=uniform",
        "sorted_search --pairs=wait --n=2^25..2^28 --types=i32,i64 --distributions=uniform "
        "--operations=sorted_lower_bound,sorted_equal_range,sorted_search"],
    "sorted_search_{}_wait_b16": ["sorted_search --pairs=wait --n=2^8..2^26 --types=b16 --distributions=uniform"],
    "asof_join_{}_wait": [
        "asof_join --pairs=wait --n=2^8..2^26 --types=i32,i64 --distributions=uniform --benchmark_filter=-upper_bound"],
    "semi_join_{}_wait": ["semi_join --pairs=wait --n=2^8..2^28 --types=i32,i64 --distributions=uniform"],
    "join_{}_wait": ["join --pairs=wait --n=2^8..2^26 --types=i32,i64"],
    "range_join_{}_wait": [
        "range_join --pairs=wait --n=2^10..2^27 --types=i32,i64 --distributions=one_point,points_100",
        "range_join --pairs=wait --n=2^20,2^24,2^27 --types=i32 "
        "--distributions=points_100_shuffled,points_100_any,points_10000,one_over_all,few_intervals,overlapping_1000"],
    "bulk_{}_wait": ["bulk --pairs=wait --n=2^8..2^28 --types=i32,i64"],
    "load_balance_{}_wait": ["load_balance --pairs=wait --n=2^8..2^28 --types=i32"],
    "segmented_reduce_{}_wait": [
        "segmented_reduce --pairs=wait --n=2^8..2^28 --types=i32,f64 --operations=segmented_reduce"],
    "segmented_reduce_{}_wait_long": [
        "segmented_reduce --pairs=wait --n=2^24..2^27 --types=i32,f64 --operations=segmented_reduce "
        "--distributions=equal_4096,equal_16384,equal_65536,equal_262144"],
    "segmented_scan_{}_wait": [
        f"{SCANS} --n=2^8..2^28 --types=i32,f64",
        f"{SCANS} --n=2^10..2^17 --types=matrices --distributions=mean_20,mean_200,mean_1000"],
    "segmented_compact_{}_wait": [
        "segmented_compact --pairs=wait --n=2^10..2^27 --forms=half --distributions=power_law",
        "segmented_compact --pairs=wait --n=2^15,2^20 --forms=half"],
    "window_reduce_{}_wait": [
        "window_reduce --pairs=wait --n=2^10..2^27 --types=i32 --distributions=length_8",
        "window_reduce --pairs=wait --n=2^20,2^24,2^27 --types=i32,max_f64,argmax"],
    "multiway_merge_{}_wait": [
        f"{RUNS} --n=2^10..2^27 --types=i32,i64,i32+i32 --distributions=runs_2,runs_8,runs_64,runs_1024",
        f"{RUNS} --n=2^27 --types=i32,i64 --distributions=runs_100000,one_long,power_law,few_keys"],
    "multiway_merge_{}_wait_folds": [
        "multiway_merge --pairs=wait --operations=merge_runs_reduce_by_key --n=2^20,2^24,2^26 "
        "--distributions=runs_8,runs_64,one_long,copies_2,copies_8,copies_1000,copies_2_of_64_runs,copies_8_of_64_runs"],
    "sort_{}_wait": [
        "sort --pairs=wait --n=2^8..2^28 --types=i32,i64,i32+i32 --operations=stable_sort --distributions=uniform"],
    "sort_{}_wait_b16": [
        "sort --pairs=wait --n=2^8..2^26 --types=b16 --operations=stable_sort --distributions=uniform"],
    "sort_{}_wait_array": [
        "sort --pairs=wait --n=2^8..2^26 --types=array --operations=stable_sort --distributions=uniform"],
    "segmented_sort_{}_wait": [
        f"segmented_sort --pairs=wait --n=2^22,2^24 --types=i32 --forms=keys --distributions={LENGTHS}",
        f"segmented_sort --pairs=wait --n=2^25..2^28 --types=i32 --forms=keys --distributions={LONG_SIZES}"],
    "segmented_sort_{}_wait_sizes": [
        f"segmented_sort --pairs=wait --n={SOME} --types=i32,i32+i32 --distributions={LENGTHS}"],
    "segmented_sort_{}_wait_types": [
        "segmented_sort --pairs=wait --n=2^24 --types=i64,i32+i32 "
        "--distributions=equal_4,equal_8,equal_16,equal_32,equal_64,equal_128,mean_8,mean_30"],
    "deferred_{}_wait": [f"deferred --pairs=wait --n={SOME},2^21,2^22,2^23,2^24,2^26"],
    # A short list against a long one, beside the peers and a copy of the long one.
    "uneven_{}_wait": [
        f"uneven --pairs=wait --n={FEW} --distributions=short_a_2^24,short_b_2^24",
        f"uneven --pairs=wait --n={FEW},2^26,2^28 --distributions=short_a_2^28,short_b_2^28"],
    # Beside the peers, by the clock of the device.
    "set_operations_{}_device": [
        "set_operations --pairs=device --n=2^8..2^24 --types=i32,i64 --forms=keys --distributions=uniform"],
    "sorted_search_{}_device": [
        "sorted_search --pairs=device --n=2^8..2^24 --types=i32,i64 --distributions=uniform"],
    "sort_{}_device": [
        "sort --pairs=device --n=2^8..2^24 --types=i32,i64,i32+i32 --operations=stable_sort --distributions=uniform"],
    "segmented_sort_{}_device": [
        f"segmented_sort --pairs=device --n=2^24 --types=i32 --forms=keys --distributions={SHORT}"],
    # Beside the peers, as graphs that are launched again and again.
    "set_operations_{}_graph": [
        f"set_operations --pairs=graph --n={GRAPHS} --types=i32,i64 --forms=keys --distributions=uniform "
        "--operations=merge"],
    "sorted_search_{}_graph": [
        f"sorted_search --pairs=graph --n={GRAPHS} --types=i32,i64 --distributions=uniform "
        "--operations=sorted_lower_bound"],
    "bulk_{}_graph": [f"bulk --pairs=graph --n={GRAPHS} --types=i32,i64"],
    "load_balance_{}_graph": [
        f"load_balance --pairs=graph --n={GRAPHS} --types=i32 --distributions=mean_4,mean_64,power_law,one_segment"],
    "segmented_reduce_{}_graph": [
        f"segmented_reduce --pairs=graph --n={GRAPHS} --types=i32,f64 --operations=segmented_reduce"],
    "sort_{}_graph": [
        f"sort --pairs=graph --n={GRAPHS} --types=i32,i64,i32+i32 --operations=stable_sort --distributions=uniform "
        "--benchmark_filter=beside_thrust/"],
    "segmented_sort_{}_graph": [
        f"segmented_sort --pairs=graph --n={GRAPHS} --types=i32 --forms=keys "
        "--distributions=equal_16,equal_64,mean_300,mean_3000,mean_30,one_segment --benchmark_filter=beside_cub/"],
    # Speeds, of large inputs above all.
    "set_operations_{}": [
        "set_operations --n=2^14,2^16,2^20,2^24,2^26 --types=all --forms=all --distributions=uniform",
        "set_operations --n=2^28 --types=i32,i64,i32+i32 --forms=keys,by_key --distributions=uniform",
        f"set_operations --n=2^26 --types=i32,i64 --forms=keys --distributions={SORTED}",
        f"set_operations --n=2^26 --types=i32,i32+i32 --forms=keys,by_key --distributions={RATIOS}",
        "set_operations --n=2^16,2^20,2^24,2^26 --types=i32+i32 --forms=combined --distributions=no_duplicates"],
    "segmented_set_operations_{}": [
        f"{LISTS} --distributions=mean_4,mean_4_shuffled,mean_64,mean_4096,8_against_8192,{LAWS},one_pair "
        "--operations=segmented_set_intersection_size,segmented_have_overlap,for_each_in_intersections",
        f"{LISTS} --distributions=mean_4,mean_64,mean_4096,8_against_8192 "
        "--operations=segmented_set_intersection,segmented_set_intersection_indices,segmented_set_union",
        f"{LISTS} --distributions={LAWS} --operations=segmented_set_intersection",
        "segmented_set_operations --n=2^24 --types=i32 --distributions=rmat,rmat_shuffled "
        "--operations=segmented_set_intersection_size",
        f"segmented_set_operations --n=2^25 {SUMS} --benchmark_filter=-thread_merge/.*power"],
    "sorted_search_{}": [
        "sorted_search --n=2^16,2^20,2^24,2^26 --types=i32,i64 --forms=all --distributions=uniform",
        f"sorted_search --n=2^26 --types=i32 --forms=all --distributions={SORTED}"],
    "asof_join_{}": [
        "asof_join --n=2^26 --types=i32,i64 "
        "--distributions=uniform,no_duplicates,runs_16,all_equal,one_run,ratio_1000"],
    "semi_join_{}": ["semi_join --n=2^26 --types=i32,i64"],
    "join_{}": ["join --n=2^26 --types=i32,i64"],
    "range_join_{}": ["range_join --n=2^26,2^27 --types=i32,i64"],
    "bulk_{}": ["bulk --n=2^16,2^20,2^24,2^27 --types=all --forms=all"],
    "load_balance_{}": ["load_balance --n=2^16,2^20,2^24,2^27 --types=i32,i64"],
    "segmented_reduce_{}": ["segmented_reduce --n=2^27"],
    "segmented_scan_{}": ["segmented_scan --n=2^27 --types=i32,i64,f64"],
    "segmented_compact_{}": ["segmented_compact --n=2^27"],
    "window_reduce_{}": ["window_reduce --n=2^27"],
    "multiway_merge_{}": ["multiway_merge --n=2^27 --benchmark_filter=-/copy/"],
    "sort_{}": [
        "sort --n=2^27 --types=i32,i64,i32+i32 --forms=keys,by_key --operations=stable_sort,locality_sort"],
    "segmented_sort_{}": ["segmented_sort --n=2^27 --types=i32 --forms=keys"],
    # With CCCL 3.6, beside its peers.
    "cccl_3_6/set_operations": [
        "set_operations --pairs=wait --n=2^8..2^26 --types=i32 --forms=keys --distributions=uniform"],
    "cccl_3_6/sorted_search": ["sorted_search --pairs=wait --n=2^8..2^27 --types=i32 --distributions=uniform"],
    "cccl_3_6/asof_join": [
        "asof_join --pairs=wait --n=2^10..2^26 --types=i32,i64 --distributions=uniform --benchmark_filter=_cub/"],
    "cccl_3_6/join": ["join --pairs=wait --n=2^16..2^26 --types=i32"],
    "cccl_3_6/bulk": ["bulk --pairs=wait --n=2^8..2^26 --types=i32"],
    "cccl_3_6/load_balance": [
        "load_balance --pairs=wait --n=2^8..2^24 --types=i32 --operations=load_balancing_search"],
    "cccl_3_6/segmented_reduce": ["segmented_reduce --pairs=wait --n=2^8..2^24 --types=i32"],
    "cccl_3_6/segmented_scan": [
        f"{SCANS} --n=2^8..2^28 --types=i32",
        f"{SCANS} --n=2^24,2^27 --types=i32 --distributions=equal_1024,equal_4096,equal_16384",
        f"{SCANS} --n=2^10..2^17 --types=matrices --distributions=mean_20,mean_200,mean_1000"],
    "cccl_3_6/segmented_scan_{}_small": [
        f"{SCANS} --n=2^10..2^22 --types=i32 --distributions={FEW_ITEMS} --benchmark_filter=cub"],
    "cccl_3_6/segmented_reduce_{}_small": [
        f"segmented_reduce --pairs=wait --operations=segmented_reduce --n=2^10..2^22 --types=i32 "
        f"--distributions={FEW_ITEMS} --benchmark_filter=cub"],
    "cccl_3_6/multiway_merge": [f"{RUNS} --n=2^10..2^27 --types=i32 --distributions=runs_8,runs_64,runs_1024"],
    "cccl_3_6/sort": [
        "sort --pairs=wait --n=2^8..2^27 --types=i32,i64 --operations=stable_sort --distributions=uniform"],
    "cccl_3_6/segmented_sort": [
        f"segmented_sort --pairs=wait --n=2^10,2^14,2^16,2^20,2^24 --types=i32 --distributions={LENGTHS}"],
}
# Of a benchmark, what is the same for all, or of the host, is left out.
DROPPED = {"family_index", "per_family_instance_index", "run_type", "repetitions", "repetition_index", "threads",
           "cpu_time", "aggregate_name", "aggregate_unit"}
OF_PAIRS = ["--copy=2^30"]
OF_SPEEDS = ["--repetitions=3", "--min_time=0.015"]


def measure(build, command):
    """Executes a command, and returns what it wrote, of repetitions the medians alone."""
    program, *flags = command.split()
    flags += OF_PAIRS if "--pairs" in command else OF_SPEEDS
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([build / f"benchmark_{program}_cuda", *flags, f"--benchmark_out={file.name}",
                        "--benchmark_out_format=json"], check=True, stdout=subprocess.DEVNULL)
        result = json.loads(Path(file.name).read_text())
    kept = [row for row in result["benchmarks"] if "--pairs" in command or row.get("aggregate_name") == "median"]
    result["benchmarks"] = [{key: value for key, value in row.items() if key not in DROPPED} for row in kept]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--only", default="^(?!cccl)")
    parser.add_argument("--commit", default="")
    chosen = parser.parse_args()
    for pattern, commands in FILES.items():
        name = pattern.format(chosen.machine)
        if not re.search(chosen.only, name):
            continue
        print(name, file=sys.stderr, flush=True)
        results = [measure(chosen.build, command) for command in commands]
        context = {key: value for key, value in results[0]["context"].items() if key not in ("host_name", "executable")}
        context |= {"commit": chosen.commit, "machine": f"NVIDIA {chosen.machine.upper()}", "command": commands}
        rows = {row["name"]: row for result in results for row in result["benchmarks"]}
        path = chosen.out / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"context": context, "benchmarks": list(rows.values())}, indent=1) + "\n")


if __name__ == "__main__":
    main()
