#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Compiles and runs program.cpp with each compiler, C++ standard and version of CCCL that is supported.

    python3 tests/matrix/matrix.py                       # all, in an hour on two cores; writes docs/tested-with.md
    python3 tests/matrix/matrix.py --cells corners       # those that CI runs; writes nothing
    python3 tests/matrix/matrix.py --cells machine       # code for several GPUs; downloads nothing
    python3 tests/matrix/matrix.py --list

Compilers are Debian's packages, which are installed if they are missing and the caller may do that. CCCL, nvcc and CUDA
headers are packages of PyPI, in build/matrix. Each program asserts the versions that it means.
"""

import argparse
import concurrent.futures
import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build/matrix"
TABLE = ROOT / "docs/tested-with.md"
GOOGLETEST = pathlib.Path("/usr/src/googletest/googletest")
SYSTEM = ["-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"]
STRICT = ["-Werror", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow"]
SANITIZERS = {"address": "address,undefined", "thread": "thread"}
LIBRARY_LOCK = threading.Lock()  # held while a program of a libc++ is made and executed
TOO_OLD = "mgpu_thrust needs CCCL 3.0"  # the beginning of the message

# Packages of PyPI, and the folder of their headers: the versions of CCCL by their numbers; toolkits.
CCCL = {
    "2.8": ("nvidia-cuda-cccl-cu12==12.9.27", "nvidia/cuda_cccl/include"),
    "3.0.1": ("nvidia-cuda-cccl==13.0.85", "nvidia/cu13/include/cccl"),
    "3.1.4": ("nvidia-cuda-cccl==13.1.115", "nvidia/cu13/include/cccl"),
    "3.2.0": ("nvidia-cuda-cccl==13.2.86", "nvidia/cu13/include/cccl"),
    "3.3.3": ("nvidia-cuda-cccl==13.3.3.3.1", "nvidia/cu13/include/cccl"),
    "3.4.3": ("nvidia-cuda-cccl==13.3.4.3.1", "nvidia/cu13/include/cccl"),
    "3.5.0": ("nvidia-cuda-cccl==13.3.5.0.6", "nvidia/cu13/include/cccl"),
    "3.6.0": ("cuda-cccl==1.2.1", "cuda/cccl/headers/include"),
}
CUDA = {
    "12.9": (["nvidia-cuda-runtime-cu12==12.9.79"], "nvidia/cuda_runtime/include"),
    "13.0": (["nvidia-cuda-runtime==13.0.96", "nvidia-cuda-crt==13.0.88"], "nvidia/cu13/include"),
    "13.5": (["nvidia-cuda-runtime==13.5.37", "nvidia-cuda-crt==13.5.37", "nvidia-cuda-nvcc==13.5.37",
              "nvidia-nvvm==13.5.37"], "nvidia/cu13/include"),
}
TOOLS_12_9 = ["nvidia-cuda-nvcc-cu12==12.9.86"]  # libdevice and ptxas, for Clang


@dataclasses.dataclass(frozen=True)
class Cell:
    """What is compiled with what. `kind` says how: see the functions of that name."""

    compiler: str
    standard: int
    cccl: str = "3.0.1"
    cuda: str = "13.0"
    kind: str = "run"
    library: str = ""  # "libc++", or the compiler's own choice
    architecture: str = "sm_90"  # of machine code
    flags: tuple = ()  # more of nvcc's
    is_corner: bool = False

    @property
    def name(self):
        parts = [self.compiler, f"c++{self.standard}", f"cccl-{self.cccl}", f"cuda-{self.cuda}", self.kind, self.library]
        if self.kind == "machine":
            parts.append(self.architecture)
        parts += self.flags
        return "_".join(part for part in parts if part)


RELOCATABLE = "-rdc=true"
UNOPTIMIZED = "-Xptxas=-O0"
EACH_AND_ALL = ((), (RELOCATABLE,), ("-G",), (UNOPTIMIZED,), (RELOCATABLE, "-G", UNOPTIMIZED))
CELLS = [
    *(Cell("g++-12", 17, cccl) for cccl in CCCL if cccl != "2.8"),
    Cell("g++-12", 17, "2.8", "12.9", "refuse", is_corner=True),
    *(Cell("g++-11", standard) for standard in (17, 20, 23)),
    *(Cell("g++-12", standard, "3.6.0") for standard in (20, 23)),
    *(Cell(f"clang++-{version}", 17) for version in (14, 15, 16, 19)),
    *(Cell(f"clang++-{version}", 20, "3.6.0") for version in (14, 15, 16, 19)),
    Cell("clang++-16", 23), Cell("clang++-19", 23, "3.6.0"),
    *(Cell(f"clang++-{version}", 17, "3.4.3", library="libc++") for version in (16, 19)),
    Cell("g++-12", 17, "3.0.1", "12.9"), Cell("clang++-14", 17, "3.0.1", "12.9"),
    Cell("g++-12", 17, "3.6.0", "12.9", is_corner=True),
    *(Cell(compiler, standard, cccl, kind="strict")
      for compiler in ("g++-11", "g++-12", "clang++-14", "clang++-15", "clang++-16", "clang++-19")
      for standard, cccl in ((17, "3.0.1"), (17, "3.6.0"), (20, "3.6.0"))),
    *(Cell("nvcc", standard, cccl, cuda, kind="kernels")
      for cuda in ("13.0", "13.5") for standard, cccl in ((17, "3.0.1"), (17, "3.6.0"), (20, "3.6.0"))),
    *(Cell("clang++-19", standard, cccl, "12.9", kind="kernels") for standard, cccl in ((17, "3.0.1"), (20, "3.6.0"))),
    *(Cell("nvcc", 17, kind="kernels", flags=flags) for flags in ((RELOCATABLE,), ("-G",), (RELOCATABLE, "-G"))),
    *(Cell("nvcc", 17, kind="machine", architecture=architecture, flags=flags)
      for architecture in ("sm_75", "sm_80", "sm_90") for flags in EACH_AND_ALL),
    *(Cell("nvcc", 17, kind="machine", architecture=architecture) for architecture in ("sm_86", "sm_120")),
    # Warnings are the same at every level of optimisation. But what -Ofc=max compiles needs so few registers that ptxas has
    # no reason to refuse relocatable code. CI's build for CUDA has PTX of every family for sm_75.
    Cell("nvcc", 17, kind="machine", architecture="sm_75", flags=("-Ofc=max",)),
    Cell("nvcc", 17, kind="machine", architecture="sm_120", flags=("-Xptxas=-O1", RELOCATABLE)),
    Cell("g++-12", 17, kind="address"), Cell("clang++-19", 20, "3.6.0", kind="address"),
    Cell("clang++-14", 17, kind="thread", is_corner=True),
    # In the packages of CCCL 3.2 to 3.5 CMake does not find their own headers.
    Cell("g++-12", 20, kind="targets"), Cell("g++-12", 20, "3.6.0", kind="targets", is_corner=True),
]


def number_of_cccl(version):
    major, minor, patch = (int(part) for part in version.split("."))
    return 1_000_000 * major + 1000 * minor + patch


def number_of_cuda(version):
    major, minor = (int(part) for part in version.split("."))
    return 1000 * major + 10 * minor


def unpacked(packages, folder):
    """The folder of the headers of packages of PyPI, which are downloaded once."""
    where = WORK / "packages" / "_".join(package.replace("==", "-") for package in packages)
    if not where.exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
        subprocess.run([*pip, f"{where}.new", *packages], check=True)
        os.rename(f"{where}.new", where)
    return where / folder


def toolkit(cell):
    """The folder of a CUDA Toolkit, with nvcc or for Clang."""
    if cell.compiler == "nvcc" and cell.cuda == "13.0":
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        return pathlib.Path(nvcc).resolve().parents[1]
    packages, folder = CUDA[cell.cuda]
    if cell.compiler == "nvcc":
        return unpacked(packages, folder).parent
    where = WORK / f"toolkit-{cell.cuda}"  # Clang wants one folder
    for part in (unpacked(packages, folder).parent, unpacked(TOOLS_12_9, "nvidia/cuda_nvcc")):
        shutil.copytree(part, where, copy_function=link, dirs_exist_ok=True)
    return where


def link(source, target):
    if not os.path.exists(target):
        os.symlink(source, target)


def include_flags(cell):
    package, folder = CCCL[cell.cccl]
    packages, cuda_folder = CUDA[cell.cuda]
    includes = [ROOT / "tests"] if cell.kind != "strict" else []
    systems = [unpacked([package], folder), unpacked(packages, cuda_folder)]
    if cell.library:
        systems += [GOOGLETEST / "include"]
    return [*(f"-I{path}" for path in (ROOT, *includes)), *(word for path in systems for word in ("-isystem", str(path)))]


def language_flags(cell):
    standard = "2b" if cell.standard == 23 else str(cell.standard)
    library = ["-stdlib=libc++"] if cell.library == "libc++" else []
    is_gnu = cell.compiler.startswith("g++")
    has_openmp = is_gnu or cell.compiler == "clang++-14"
    garbage = ["--param=ggc-min-heapsize=700000"] if is_gnu else []  # collected later: a tenth less time
    return [f"-std=c++{standard}", *library, *SYSTEM, *garbage,
            *(["-fopenmp"] if has_openmp and not cell.library else [])]


def version_flags(cell):
    return [f"-DMGPU_THRUST_MATRIX_CCCL={number_of_cccl(cell.cccl)}",
            f"-DMGPU_THRUST_MATRIX_CUDART={number_of_cuda(cell.cuda)}"]


def execute(command, **options):
    """Runs a command. Returns nothing if it succeeds, else the end of what it printed."""
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    return None if ended.returncode == 0 else (ended.stdout + ended.stderr)[-3000:] or f"exit status {ended.returncode}"


@contextlib.contextmanager
def installed_library(cell):
    """Installs the library of a cell. That of one version of Clang replaces that of another."""
    if not cell.library:
        yield
        return
    version = cell.compiler[-2:]
    with LIBRARY_LOCK:
        if not pathlib.Path(f"/usr/lib/llvm-{version}/include/c++").exists():
            install({f"libc++-{version}-dev", f"libc++abi-{version}-dev"})
        yield


def run(cell):
    """Compiles program.cpp, and runs it on all CPU systems that the compiler has."""
    program = WORK / cell.name
    source = [ROOT / "tests/matrix/program.cpp"]
    if cell.library:  # GoogleTest as it is installed is for the other library
        source += [f"-I{GOOGLETEST}", GOOGLETEST / "src/gtest-all.cc", GOOGLETEST / "src/gtest_main.cc"]
        libraries = ["-ltbb"]
    else:
        libraries = ["-lgtest", "-lgtest_main", "-ltbb"]
    # Without optimisation CCCL 3.1 to 3.3 call a function of the CUDA runtime library. With it others take twice as long.
    level = "-O1" if cell.cccl.startswith(("3.1", "3.2", "3.3")) else "-O0"
    flags = [*language_flags(cell), *version_flags(cell), *include_flags(cell), level, "-w", "-pthread",
             "-DMGPU_THRUST_HAS_TBB=1"]
    with installed_library(cell):
        return execute([cell.compiler, *flags, *source, *libraries, "-o", program]) or execute(
            [program], env=dict(os.environ, OMP_WAIT_POLICY="passive"))


def sanitized(cell):
    """Compiles every family with a sanitizer, and runs it. That of threads knows what OpenMP synchronises by LLVM's OMPT
    tool, Archer, but not what TBB, which is not compiled with it, does: so TBB is excluded."""
    program = WORK / cell.name
    flags = [*language_flags(cell), *version_flags(cell), *include_flags(cell), "-O0", "-g1", "-w", "-pthread",
             f"-fsanitize={SANITIZERS[cell.kind]}", "-fno-sanitize-recover=all"]
    sources = ["every_family.cpp"]
    libraries = ["-lgtest", "-lgtest_main"]
    flags.append(f"-DMGPU_THRUST_HAS_TBB={int(cell.kind != 'thread')}")
    if cell.kind != "thread":
        sources.append("program.cpp")
        libraries.append("-ltbb")
    paths = [ROOT / "tests/matrix" / source for source in sources]
    return execute([cell.compiler, *flags, *paths, *libraries, "-o", program]) or execute(
        [program], env=dict(os.environ, OMP_WAIT_POLICY="passive", TSAN_OPTIONS="ignore_noninstrumented_modules=1"))


def strict(cell):
    """Compiles every family with the headers as ordinary ones, where each warning is an error."""
    source = ROOT / "tests/warnings/every_family.cpp"
    return execute(
        [cell.compiler, "-fsyntax-only", *language_flags(cell), *STRICT, "-DMGPU_THRUST_HAS_TBB=1", *include_flags(cell),
         source])


def refuse(cell):
    """Compiles a call with a CCCL that is too old, which must be said."""
    source = "#include <mgpu_thrust/set_operations.h>\n"
    command = [cell.compiler, "-fsyntax-only", *language_flags(cell), *include_flags(cell), "-x", "c++", "-"]
    message = execute(command, input=source)
    if message is None:
        return "it compiles"
    return None if TOO_OLD in message else message


def kernels(cell):
    """Compiles every family for a GPU: by nvcc to a program that it links, and the tests of iterators to PTX; by Clang to
    what ptxas makes of it, where a use of what CCCL deprecates is an error."""
    package, folder = CCCL[cell.cccl]
    cccl = unpacked([package], folder)
    path = toolkit(cell)
    matrix = ROOT / "tests/matrix"
    flags = [f"-std=c++{cell.standard}", *version_flags(cell), *(f"-I{path}" for path in (ROOT, ROOT / "tests"))]
    if cell.compiler != "nvcc":
        # It does not compile program.cpp: functions of the host that capture references to constants are errors there.
        return execute([cell.compiler, f"--cuda-path={path}", "--cuda-gpu-arch=sm_90", "--cuda-device-only", "-c", "-O1",
                        "-isystem", path / "include", "-isystem", cccl, *flags, "-Wno-everything",
                        "-Werror=deprecated-declarations", "-x", "cuda", "-o", os.devnull, matrix / "every_family.cpp"])
    nvcc = [path / "bin/nvcc", "-arch=sm_90", "-O0", "-w", f"-I{cccl}", *cell.flags, *flags]
    return (execute([*nvcc, "-Ofc=max", "-x", "cu", matrix / "every_family.cpp",
                     f"-L{path / 'lib'}", "-lgtest", "-lgtest_main", "-o", WORK / cell.name])
            or execute([*nvcc, "-ptx", "-x", "cu", matrix / "program.cpp", "-o", os.devnull]))


def machine(cell):
    """Compiles every family by nvcc, with the CCCL of its toolkit, to machine code, where each warning of ptxas is an error.
    Relocatable code is linked."""
    nvcc = toolkit(cell) / "bin/nvcc"
    code = WORK / f"{cell.name}.cubin"
    target = f"-arch={cell.architecture}"
    command = [nvcc, f"-std=c++{cell.standard}", target, "-cubin", "-Xptxas=-Werror", *cell.flags, *version_flags(cell),
               f"-I{ROOT}", "-x", "cu", ROOT / "tests/matrix/every_family.cpp", "-o", code]
    links = [nvcc, target, "-dlink", code, "-o", f"{code}.o"]
    return execute(command) or (execute(links) if RELOCATABLE in cell.flags else None)


def targets(cell):
    """Builds a project that has CCCL's targets, from which the library must take its include directories."""
    package, _ = CCCL[cell.cccl]
    packages, cuda_folder = CUDA[cell.cuda]
    own = unpacked([package], "")
    options = [*version_flags(cell), f"SHELL:-include {ROOT / 'tests/matrix/versions.h'}"]
    build = WORK / cell.name
    shutil.rmtree(build, ignore_errors=True)
    return (execute(["cmake", "-S", ROOT / "tests/package/consumer", "-B", build, "-DWAY=add_subdirectory",
                     f"-DSOURCE={ROOT}", "-DDEVICE_SYSTEM=CPP", f"-DCMAKE_CXX_COMPILER={cell.compiler}",
                     f"-DCCCL_PACKAGE={next(own.rglob('cccl-config.cmake')).parent}", f"-DOWN_CCCL={own}",
                     f"-DMGPU_THRUST_CUDA_RUNTIME_DIR={unpacked(packages, cuda_folder)}",
                     f"-DCONSUMER_OPTIONS={';'.join(options)}"])
            or execute(["cmake", "--build", build]) or execute([build / "consumer"]))


KINDS = {"run": run, "strict": strict, "refuse": refuse, "kernels": kernels, "address": sanitized, "thread": sanitized,
         "targets": targets, "machine": machine}
RESULTS = {"run": "tests pass", "strict": "no warnings", "refuse": "is refused with a message",
           "kernels": "compiles for a GPU", "address": "address and undefined-behaviour sanitizers find nothing",
           "thread": "thread sanitizer finds nothing, with OpenMP", "targets": "is found by its CMake targets",
           "machine": "compiles to machine code without a warning"}


def result_of(cell):
    if cell.compiler != "nvcc" and shutil.which(cell.compiler) is None:
        return "not installed"
    return KINDS[cell.kind](cell)


def install(packages):
    """Installs packages of Debian, if the caller may do that."""
    if packages and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "install", "-y", "-qq", *sorted(packages)], check=True, stdout=subprocess.DEVNULL)


def install_compilers(cells):
    packages = {cell.compiler.replace("clang++", "clang") for cell in cells if cell.compiler != "nvcc"
                and shutil.which(cell.compiler) is None}
    for cell in cells:
        version = cell.compiler[-2:]
        runtimes = pathlib.Path(f"/usr/lib/llvm-{version}/lib/clang").glob("*/lib/linux/libclang_rt.asan*")
        if cell.kind in SANITIZERS and cell.compiler.startswith("clang") and not any(runtimes):
            packages.add(f"libclang-rt-{version}-dev")
    install(packages)


def written(cells):
    lines = ["# Tested with", "",
             "`tests/matrix/matrix.py` wrote this table: what it compiled, and ran on a CPU, and with what. Tests on a GPU",
             "are with CUDA 13.0 and its CCCL 3.0. What compiles for a GPU is every kernel of every family.", "",
             "| compiler | C++ | CCCL | CUDA headers | |", "|---|---|---|---|---|"]
    for cell in cells:
        options = [f"-arch={cell.architecture}"] if cell.kind == "machine" else []
        compiler = " ".join([cell.compiler, *options, *cell.flags]) + (f", {cell.library}" if cell.library else "")
        lines.append(f"| {compiler} | {cell.standard} | {cell.cccl} | {cell.cuda} | {RESULTS[cell.kind]} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", default="all", help="all, corners, or a part of their names")
    parser.add_argument("--list", action="store_true", help="print the names of the cells")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="at a time (%(default)s)")
    options = parser.parse_args()
    chosen = [cell for cell in CELLS
              if options.cells == "all" or (options.cells == "corners" and cell.is_corner) or options.cells in cell.name]
    if options.list:
        print("\n".join(cell.name for cell in chosen))
        return 0
    chosen.sort(key=lambda cell: cell.kind != "machine")  # these take longest, so that no worker waits for them at the end
    install_compilers(chosen)
    WORK.mkdir(parents=True, exist_ok=True)
    for cell in chosen:  # one download at a time
        if cell.kind != "machine":
            include_flags(cell)
        if cell.kind == "kernels":
            toolkit(cell)
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        for cell, problem in zip(chosen, pool.map(result_of, chosen)):
            print(f"{'fails ' if problem else 'passes'} {cell.name}{f': {problem}' if problem else ''}", flush=True)
            failures += problem is not None
    if options.cells == "all" and failures == 0:
        TABLE.write_text(written(CELLS))
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
