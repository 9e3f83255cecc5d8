#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the site's reference lacks nothing; build.py calls it.

Each public function and class that Doxygen found has an entry, and each function with a policy parameters, a result or
exceptions, and an example; its header says or refers to complexity, synchronisation, temporary storage and exceptions.
"""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree
import zlib

ASPECTS = ("complexity", "synchronisation", "storage", "exceptions")


def entries_of(html):
    """The names that the site has an entry for: C++ names come last of the entries' identifiers, in readable form."""
    inventory = (html / "objects.inv").read_bytes()
    lines = zlib.decompress(inventory[inventory.index(b"zlib.\n") + 6 :]).decode().splitlines()
    return {line.split(" ")[0] for line in lines if " cpp:" in line}


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def says_result(function):
    """Whether a function's comment has @return, or tells what it returns."""
    return function.find(".//simplesect[@kind='return']") is not None or re.search(
        r"\b(returns?|counts?)\b", text_of(function.find("briefdescription")), re.IGNORECASE
    )


def problems_of_group(group, entries):
    """What a header's functions lack; those without a policy refer to the ones with one."""
    title = group.findtext("title")
    functions = collections.defaultdict(list)
    for member in group.iter("memberdef"):
        if member.get("kind") == "function":
            functions[member.findtext("name")].append(member)
    description = text_of(group.find("detaileddescription")).lower()
    takes_policies = False
    for name, overloads in functions.items():
        if f"mgpu::{name}" not in entries:
            yield f"{title}: no page has {name}"
        with_policy = [f for f in overloads if "exec" in [p.findtext("declname") for p in f.findall("param")]]
        takes_policies |= len(with_policy) > 0
        described = with_policy or overloads
        for what, path in (("parameters", ".//parameteritem"), ("an example", ".//programlisting")):
            if with_policy and not any(f.find(path) is not None for f in described):
                yield f"{title}: {name} lacks {what}"
        if not any(f.findtext("type") in ("", "void") or says_result(f) for f in described):
            yield f"{title}: {name} lacks its result"
    for aspect in ASPECTS if takes_policies else ():
        if aspect not in description:
            yield f"{title}: nothing about {aspect}"


def problems(xml, html):
    entries = entries_of(html)
    for path in sorted(xml.glob("group__*.xml")):
        yield from problems_of_group(ElementTree.parse(path).getroot().find("compounddef"), entries)
    for path in sorted([*xml.glob("struct*.xml"), *xml.glob("class*.xml")]):
        compound = ElementTree.parse(path).getroot().find("compounddef")
        name = compound.findtext("compoundname")
        if re.fullmatch(r"mgpu::\w+", name) and name not in entries:
            yield f"no page has {name}"
    namespace = ElementTree.parse(xml / "namespacemgpu.xml").getroot().find("compounddef")
    classes = {name.text for name in namespace.iter("innerclass")}
    for member in namespace.iter("memberdef"):
        name = member.findtext("name")
        if not member.get("id").startswith("group__") and f"mgpu::{name}" not in classes:  # else a deduction guide
            yield f"{name} is in no group"


def main(xml, html):
    found = list(problems(pathlib.Path(xml), pathlib.Path(html)))
    for problem in found:
        print(f"reference: {problem}", file=sys.stderr)
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
