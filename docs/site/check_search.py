#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Checks that the site's search finds each public name first; build.py calls it.

The site's own scripts search, in an interpreter of JavaScript: no browser is needed. For the name of each function and
class of the reference, as it is, with mgpu:: in front and without capitals, the first result is the entry of that name.
"""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import quickjs

# What searchtools.js expects of a page.
PAGE = """
var query = "";
var window = globalThis;
var location = {get search() { return "?q=" + query; }};
class URLSearchParams {
  constructor(text) { this.text = text; }
  get(name) { return this.text.slice(name.length + 2); }
}
var document = {getElementById: () => null};
var localStorage = {setItem: () => {}};
var SPHINX_HIGHLIGHT_ENABLED = false;
var _ = text => text;
var _ready = () => {};
"""
SEARCH = """
const results_of = words => {
  query = words;
  return JSON.stringify(Search._performSearch(...Search._parseQuery(words)).reverse().slice(0, 3));
}
"""


def public_names(xml):
    """The names of all public functions and classes, without mgpu::."""
    for path in [*xml.glob("group__*.xml"), *xml.glob("struct*.xml"), *xml.glob("class*.xml")]:
        compound = ElementTree.parse(path).getroot().find("compounddef")
        name = compound.findtext("compoundname")
        is_class = compound.get("kind") in ("struct", "class")
        if is_class and (compound.get("prot") != "public" or name.startswith("mgpu::detail")):
            continue
        scope = re.sub("<.*", "", name).removeprefix("mgpu::") + "::" if is_class else ""
        if scope:
            yield scope.removesuffix("::")
        for member in compound.iter("memberdef"):
            own = member.findtext("name")
            is_special = re.match(r"operator|~", own) or scope.endswith(f"{own}::")
            if member.get("kind") == "function" and member.get("prot") == "public" and not is_special:
                yield scope + own


def main(xml, html):
    html = pathlib.Path(html)
    engine = quickjs.Context()
    scripts = [html / "_static" / name for name in ("language_data.js", "searchtools.js")]
    for script in [PAGE, *(path.read_text() for path in scripts), (html / "searchindex.js").read_text(), SEARCH]:
        engine.eval(script)
    names = sorted(set(public_names(pathlib.Path(xml))))
    problems = []
    for name in names:
        for words in (name, f"mgpu::{name}", name.lower()):
            results = json.loads(engine.eval(f"results_of({json.dumps(words)})"))
            titles = [re.sub("<.*?>", "", title).removeprefix("mgpu::") for _, title, *_ in results]
            if titles[:1] != [name]:
                problems.append(f"search: {words} finds first {', '.join(titles)}")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"search: {len(names)} names, {len(problems)} problems")
    return len(problems) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
