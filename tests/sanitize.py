#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Runs the tests of a GPU build under compute-sanitizer, several at a time, the shortest first.

    cmake --workflow --preset test-cuda
    python3 tests/sanitize.py build/cuda --tools memcheck,racecheck --seconds 600

Under racecheck a test takes some hundred times as long as without, so all of them take hours. What has ended is kept in
a file of results, and the next call goes on with the rest; --launches checks a part of each of them in minutes.
docs/decisions/project.md explains the reports that are known.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
REPORTED = 99  # exit status of compute-sanitizer where it has something to report
BATCH = 5  # short tests that share a process, as each process takes seconds to start
SHORT = 0.02  # seconds


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="folder of a build with MGPU_THRUST_ENABLE_CUDA")
    parser.add_argument("--tools", default=",".join(TOOLS), help="some of %(default)s")
    parser.add_argument("--seconds", type=float, default=3600, help="to stop after (%(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="tests at a time (%(default)s)")
    parser.add_argument("--filter", default="", help="regular expression of program:Suite.Test")
    parser.add_argument("--launches", help="FIRST:COUNT: the launches of kernels of each process to check (all)")
    parser.add_argument("--results", type=pathlib.Path, help="file that is added to (sanitizers.jsonl in the build)")
    return parser.parse_args()


def time_program(program):
    """Runs a program of tests. Returns the seconds of each of them."""
    report = program.with_suffix(".json")
    ended = subprocess.run([program, f"--gtest_output=json:{report}"], capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"{program} fails without a sanitizer:\n{ended.stdout[-2000:]}")
    suites = json.loads(report.read_text())["testsuites"] if report.exists() else []
    tests = [(suite["name"], test) for suite in suites for test in suite["testsuite"]]
    return {f"{suite}.{test['name']}": float(test["time"][:-1]) for suite, test in tests}


def time_tests(build):
    """The seconds of each test, by program. They are measured once for a build."""
    times = build / "sanitizers_times.json"
    if not times.exists():
        programs = sorted(p for p in (build / "tests").rglob("*_cuda") if p.is_file() and os.access(p, os.X_OK))
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            measured = dict(zip(map(str, programs), pool.map(time_program, programs)))
        times.write_text(json.dumps(measured, indent=1))
    return json.loads(times.read_text())


def name_run(tool, launches):
    """The name under which the results of a tool are kept, those of some launches apart."""
    return f"{tool} of launches {launches}" if launches else tool


def read_results(path):
    """What each pair of a tool and a test has ended with."""
    states = {}
    if path.exists():
        for line in path.read_text().splitlines():
            result = json.loads(line)
            states.update({(result["tool"], test): result["state"] for test in result["tests"]})
    return states


def tasks_of(times, tools, launches, states, pattern):
    """(seconds, tool, program, tests) of what has not ended, the shortest first."""
    tasks = []
    for tool in tools:
        for program, tests in times.items():
            batch = []
            for test, seconds in sorted(tests.items(), key=lambda item: item[1]):
                name = f"{pathlib.Path(program).name}:{test}"
                if states.get((name_run(tool, launches), name), "timeout") != "timeout" or not re.search(pattern, name):
                    continue
                if seconds < SHORT:
                    batch.append((seconds, test))
                else:
                    tasks.append((seconds, tool, program, [test]))
            for first in range(0, len(batch), BATCH):
                part = batch[first : first + BATCH]
                tasks.append((sum(s for s, _ in part), tool, program, [test for _, test in part]))
    return sorted(tasks)


def run_task(task, launches, deadline):
    """Runs tests under a tool. Returns the result, or None if no time is left."""
    _, tool, program, tests = task
    left = deadline - time.time()
    if left < 5:
        return None
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", str(REPORTED), "--print-limit", "4"]
    if tool == "memcheck":
        command += ["--report-api-errors", "no"]  # tests of errors provoke them
    if launches:
        first, count = launches.split(":")
        command += ["--kernel-name", "kernel_substring=mgpu", "--launch-skip", first, "--launch-count", count]
    command += [program, "--gtest_filter=" + ":".join(tests)]
    environment = {**os.environ, "MGPU_THRUST_TIME_LIMIT": "0"}
    result = {"tool": name_run(tool, launches), "tests": [f"{pathlib.Path(program).name}:{test}" for test in tests]}
    try:
        ended = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=left, env=environment
        )
    except subprocess.TimeoutExpired:
        return {**result, "state": "timeout"}
    if ended.returncode == 0:
        return {**result, "state": "clean"}
    state = "report" if ended.returncode == REPORTED else "failure"
    return {**result, "state": state, "output": ended.stdout[-4000:]}


def main():
    chosen = arguments()
    path = chosen.results or chosen.build / "sanitizers.jsonl"
    times = time_tests(chosen.build)
    tools = chosen.tools.split(",")
    tasks = tasks_of(times, tools, chosen.launches, read_results(path), chosen.filter)
    deadline = time.time() + chosen.seconds
    with path.open("a") as results, concurrent.futures.ThreadPoolExecutor(chosen.workers) as pool:
        running = [pool.submit(run_task, task, chosen.launches, deadline) for task in tasks]
        for ended in concurrent.futures.as_completed(running):
            if ended.result():
                results.write(json.dumps(ended.result()) + "\n")
                results.flush()

    states = read_results(path)
    for tool in (name_run(tool, chosen.launches) for tool in tools):
        names = [f"{pathlib.Path(p).name}:{test}" for p, tests in times.items() for test in tests]
        of_tool = [states.get((tool, name), "not run") for name in names]
        print(tool, {state: of_tool.count(state) for state in sorted(set(of_tool))})
    wrong = sorted(key for key, state in states.items() if state in ("report", "failure"))
    for tool, test in wrong:
        print(f"{tool} {states[tool, test]}: {test}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
