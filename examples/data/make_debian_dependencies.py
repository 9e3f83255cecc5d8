#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Makes debian_dependencies.txt from a Packages index of Debian.

Usage: make_debian_dependencies.py "Debian 12.15 (bookworm), main, amd64, of 11 July 2026" < Packages > result

A package depends on what its fields Depends and Pre-Depends name; versions and architectures are left out. Of
alternatives it is the first that there is. A virtual package, which others provide, stands for the first of its
providers in alphabetical order. What is not in the index is left out, and so is a package's dependency on itself.
"""

import collections
import re
import sys


def read_stanzas(lines, wanted):
    """The wanted fields of each stanza, as a dict."""
    stanza = {}
    field = None
    for line in lines:
        line = line.rstrip("\n")
        if not line:
            if stanza:
                yield stanza
            stanza = {}
        elif line[0] in " \t":  # more of the field before
            if field in wanted:
                stanza[field] += line
        else:
            field, text = line.split(":", 1)
            if field in wanted:
                stanza[field] = text.strip()
    if stanza:
        yield stanza


def names_in(text, separator):
    """The names in a list such as "libc6 (>= 2.34), python3:any", without versions and architectures."""
    parts = (part.strip() for part in text.split(separator))
    return [re.split(r"[\s(:\[]", part)[0] for part in parts if part]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    packages = {}  # a name that occurs twice: the last one counts
    for stanza in read_stanzas(sys.stdin, ("Package", "Pre-Depends", "Depends", "Provides")):
        packages[stanza["Package"]] = stanza
    providers = collections.defaultdict(list)
    for name in sorted(packages):
        for virtual in names_in(packages[name].get("Provides", ""), ","):
            providers[virtual].append(name)

    def resolve(name):
        if name in packages:
            return name
        return providers[name][0] if name in providers else None

    dependencies = {}
    dependents = collections.Counter()
    for name, stanza in packages.items():
        found = set()
        for field in ("Pre-Depends", "Depends"):
            for alternatives in stanza.get(field, "").split(","):
                resolved = (resolve(alternative) for alternative in names_in(alternatives, "|"))
                found.add(next((one for one in resolved if one), None))
        found -= {None, name}
        dependencies[name] = found
        dependents.update(found)

    # The packages that many depend on come first, and so have short numbers.
    ordered = sorted(packages, key=lambda name: (-dependents[name], name))
    number = {name: i for i, name in enumerate(ordered)}
    print("# The dependency graph of Debian's packages:", sys.argv[1] + ".")
    print("# A line for each package: its name, and the numbers of the packages that it depends on. The packages are")
    print("# numbered 0, 1, 2, ... in the order of the lines. See README.md.")
    for name in ordered:
        print(name, *sorted(number[one] for one in dependencies[name]))


main()
