#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Checks that the site's reference lacks nothing; build.py calls it.

Each public function and class that Doxygen found has an entry on a page, and a function has one, in which the overloads
with a policy and those without one share their texts. All parameters of functions are described, offsets with what to do
if there are n + 1. Where a text names one as code, that is a link.
A function with a policy has a result or exceptions, and an example; its header says, or says where it is said, what
complexity, synchronisation, temporary storage and exceptions are. A function without one has its complexity and an
example. A Device struct and a Block class have all of that, as far as it applies to them: ASPECTS.
Functions, classes, and the functions of Device structs name the release that brought them, one of CHANGELOG.md.
The headers of functions with deferred sizes name the page that has their contract, CONTRACT, and name parameters as
the functions without _n do.
"""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTRACT = "docs/sizes-on-the-device.md"

RELEASES = re.findall(r"^## (?:Unreleased: )?(\d+\.\d+)\.\d+", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)

# What the comments of each kind say, and how it is found there.
ASPECTS = {
    "header": ("complexity", "synchronisation", "temporary storage", "exceptions"),
    "Device": {"complexity": r"O\(.*\) work", "synchronisation": "never waits?", "storage": "temp_storage_bytes",
               "errors": "cudaErrorInvalidValue"},
    "Block": {"complexity": "Work: ", "synchronisation": "barrier"},
    "function": {"complexity": r"Complexity|O\(", "an example": "example|assert"},
}


def entries_of(html):
    """The names that the site has an entry for: C++ names come last of the entries' identifiers, in readable form."""
    inventory = (html / "objects.inv").read_bytes()
    lines = zlib.decompress(inventory[inventory.index(b"zlib.\n") + 6 :]).decode().splitlines()
    return {line.split(" ")[0] for line in lines if " cpp:" in line}


def parts_of_entries(html):
    """The entries of functions by Doxygen's identifiers of their overloads: an entry is its number and its HTML."""
    entries = {}
    for path in sorted((html / "reference").glob("*.html")):
        for part in re.split(r'(?=<dl class="cpp \w+">)', path.read_text())[1:]:
            entries |= {found: (len(entries), part) for found in re.findall(r'id="([^"]*_1[0-9a-z]+)"', part)}
    return entries


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def says_result(function):
    """Whether a function's comment has @return, or tells what it returns."""
    return function.find(".//simplesect[@kind='return']") is not None or re.search(
        r"\b(returns?|counts?)\b", text_of(function.find("briefdescription")), re.IGNORECASE
    )


def functions_of(compound):
    """The public functions of a group or a class, by name."""
    functions = collections.defaultdict(list)
    for member in compound.iter("memberdef"):
        if member.get("kind") == "function" and member.get("prot") == "public":
            functions[member.findtext("name")].append(member)
    return functions


def problems_of_mark(name, documented):
    """Whether a comment lacks @since, which end_with_marks of build.py has moved to its end, or names no release."""
    mark = re.search(r"\bSince ([\d.]+)\.$", text_of(documented.find("detaileddescription")))
    location = documented.find("location")
    if not mark:
        yield f"{name} lacks @since: {location.get('file')}:{location.get('line')}"
    elif mark[1] not in RELEASES:
        yield f"{name} is there since {mark[1]}, which CHANGELOG.md does not have"


def described_parameters(elements):
    """The names in all @param of comments, with what the comments say of each."""
    lists = [found for element in elements for found in element.iter("parameterlist") if found.get("kind") == "param"]
    said = collections.defaultdict(str)
    for item in [item for found in lists for item in found.iter("parameteritem")]:
        for names in item.iter("parametername"):
            for name in names.text.split(","):
                said[name] += text_of(item)
    return said


def problems_of_parameters(title, name, overloads, also=()):
    """Parameters without a description, in the comments of the overloads and of `also`; offsets, or the number of them,
    of which it does not say how n + 1 of them are passed."""
    declared = {parameter.findtext("declname") for function in overloads for parameter in function.findall("param")}
    described = described_parameters([*overloads, *also])
    missing = declared - described.keys() - {None}
    if missing:
        yield f"{title}: {name} lacks parameters: {', '.join(sorted(missing))}"
    inputs = re.compile("offsets(?!_result)|num_segments|num_intervals")
    offsets = {parameter for parameter in declared - {None} if inputs.match(parameter)}
    if offsets and not any("n + 1" in described[parameter] for parameter in offsets & described.keys()):
        yield f"{title}: {name} does not say how n + 1 offsets are passed"


def says_in_header(description, aspect):
    """Whether a header's comment has a paragraph of that title, or refers to another header that has it."""
    titles = [text_of(bold).lower().rstrip(".") for bold in description.iter("bold")]
    word = aspect.split()[-1]
    sentences = re.split(r"\. ", text_of(description))
    return aspect in titles or any(re.search(rf"\b{word}\b.* (are as|are the same)", said) for said in sentences)


def problems_of_entry(title, name, overloads, with_policy, parts):
    """Overloads that have an entry of their own, and those without a policy that have a text of their own."""
    found = {parts[overload.get("id")] for overload in overloads if overload.get("id") in parts}
    if len(found) > 1:
        yield f"{title}: {name} has {len(found)} entries"
    for _, part in found:
        texts = re.findall(r'<dt class="sig.*?</dt>\s*(<dd>)', part, flags=re.DOTALL)
        if with_policy and len(texts) > len(with_policy):
            yield f"{title}: {name} has {len(texts)} texts of {len(with_policy)} overloads with a policy"


def problems_of_group(group, entries, parts):
    """What a header's functions lack."""
    title = group.findtext("title")
    description = group.find("detaileddescription")
    takes_policies = False
    classes = {name.text.removeprefix("mgpu::").partition("<")[0] for name in group.iter("innerclass")}
    for name, overloads in functions_of(group).items():
        if name in classes:  # a deduction guide
            continue
        if f"mgpu::{name}" not in entries:
            yield f"{title}: no page has {name}"
        yield from problems_of_parameters(title, name, overloads)
        with_policy = [f for f in overloads if "exec" in [p.findtext("declname") for p in f.findall("param")]]
        takes_policies |= len(with_policy) > 0
        yield from problems_of_entry(title, name, overloads, with_policy, parts)
        described = with_policy or overloads
        for function in described:
            yield from problems_of_mark(name, function)
        if with_policy and not any(f.find(".//programlisting") is not None for f in described):
            yield f"{title}: {name} lacks an example"
        if not any(f.findtext("type") in ("", "void") or says_result(f) for f in described):
            yield f"{title}: {name} lacks its result"
        for aspect, pattern in ASPECTS["function"].items() if not with_policy else ():
            if not any(re.search(pattern, text_of(f)) for f in described):
                yield f"{title}: {name} lacks {aspect}"
    for aspect in ASPECTS["header"] if takes_policies else ():
        if not says_in_header(description, aspect):
            yield f"{title}: nothing about {aspect}"


def problems_of_class(compound, entries):
    """What a public class and its functions lack."""
    name = compound.findtext("compoundname")
    if name not in entries:
        yield f"no page has {name}"
    functions = functions_of(compound)
    kind = next((kind for kind in ("Device", "Block") if re.fullmatch(rf"mgpu::{kind}\w+", name)), None)
    if name.count("::") == 1:  # a class within another came with it
        yield from problems_of_mark(name, compound)
    for function in (f for overloads in functions.values() for f in overloads if kind == "Device"):
        yield from problems_of_mark(f"{name}::{function.findtext('name')}", function)
    comments = [compound.find("detaileddescription"), compound.find("briefdescription")]
    for function, overloads in functions.items():
        yield from problems_of_parameters(name, function, overloads, comments)
        is_constructor = f"::{function}" in name.removesuffix(">") and name.endswith(function)
        if not is_constructor and not all(text_of(f.find("briefdescription")) for f in overloads):
            yield f"{name}: {function} lacks a description"
    said = " ".join(text_of(part) for part in [*comments, *(f for all_of in functions.values() for f in all_of)])
    for aspect, pattern in ASPECTS.get(kind, {}).items():
        if not re.search(pattern, said):
            yield f"{name}: nothing about {aspect}"
    if (kind or name.endswith("_plan")) and comments[0].find(".//programlisting") is None:
        yield f"{name} lacks an example"


def problems_of_links(html, entries):
    """Names of entries that are written as code, but are no links, outside of headings and signatures."""
    names = {re.sub("<.*>", "", entry).removeprefix("mgpu::") for entry in entries}
    for path in sorted(html.rglob("*.html")):
        text = re.sub(r"<(a|h\d|dt)\b.*?</\1>", "", path.read_text(), flags=re.DOTALL)
        literals = set(re.findall(r'<code class="docutils [^>]*><span class="pre">([\w:]+)</span></code>', text))
        for name in sorted(name for name in literals if name.removeprefix("mgpu::") in names):
            yield f"{path.relative_to(html)}: {name} is no link"


def parameters_by_name(xml):
    """The names of the parameters of all functions in groups, by the function's name."""
    names = collections.defaultdict(set)
    for path in xml.glob("group__*.xml"):
        for name, overloads in functions_of(ElementTree.parse(path).getroot().find("compounddef")).items():
            names[name] |= {parameter.findtext("declname") for f in overloads for parameter in f.findall("param")} - {None}
    return names


def problems_of_deferred(xml):
    """Headers of functions with deferred sizes that do not name the page with their contract, and parameters of these
    functions that are neither sizes, nor what such functions have alone, nor named as without _n."""
    for path in sorted((ROOT / "mgpu_thrust").glob("*_n.h")):
        if CONTRACT not in path.read_text():
            yield f"{path.name} does not name {CONTRACT}"
    names = parameters_by_name(xml)
    for name in sorted(name for name in names if name.endswith("_n") and name.removesuffix("_n") in names):
        own = {found for found in names[name] if not re.fullmatch(r"size\d?|num_\w+|\w+_(size|capacity)|d_\w+", found)}
        for other in sorted(own - names[name.removesuffix("_n")]):
            yield f"{name} has {other}, which {name.removesuffix('_n')} has not"


def problems(xml, html):
    entries, parts = entries_of(html), parts_of_entries(html)
    yield from problems_of_links(html, entries)
    yield from problems_of_deferred(xml)
    for path in sorted(xml.glob("group__*.xml")):
        yield from problems_of_group(ElementTree.parse(path).getroot().find("compounddef"), entries, parts)
    for path in sorted([*xml.glob("struct*.xml"), *xml.glob("class*.xml")]):
        compound = ElementTree.parse(path).getroot().find("compounddef")
        if compound.get("prot") == "public" and not compound.findtext("compoundname").startswith("mgpu::detail"):
            yield from problems_of_class(compound, entries)
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
