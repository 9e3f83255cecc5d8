#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Checks that the site's search finds each public name first, and answers questions; build.py calls it.

The site's own scripts search, in an interpreter of JavaScript: no browser is needed. For the name of each function and
class of the reference, as it is, with mgpu:: in front and without capitals, the first result is the entry of that name,
from its first signature on. For each question of "Which function?", that page is among the FIRST results.
"""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import quickjs

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUESTIONS = ROOT / "docs/which-function.md"
FIRST = 4  # results that are seen without scrolling

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
  return JSON.stringify(Search._performSearch(...Search._parseQuery(words)).reverse());
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


def entries_of(html):
    """The first anchors of all entries in the reference, with their pages."""
    for path in (html / "reference").glob("*.html"):
        for anchor in re.findall(r'<dl class="cpp \w+">\s*<dt class="[^"]*" id="([^"]+)"', path.read_text()):
            yield f"reference/{path.stem}", f"#{anchor}"


def problems_of_name(name, words, results, entries):
    """What is wrong with the first result for the name of a function or a class."""
    titles = [re.sub("<.*?>", "", title).removeprefix("mgpu::") for _, title, *_ in results[:3]]
    if titles[:1] != [name]:
        yield f"search: {words} finds first {', '.join(titles)}"
    elif (results[0][0], results[0][2]) not in entries:
        yield f"search: {words} does not lead to the beginning of an entry"


def problems_of_question(question, results):
    pages = [page for page, *_ in results[:FIRST]]
    if "which-function" not in pages:
        yield f"search: {question} finds first {', '.join(pages)}"


def main(xml, html):
    html = pathlib.Path(html)
    engine = quickjs.Context()
    scripts = [html / "_static" / name for name in ("language_data.js", "searchtools.js")]
    for script in [PAGE, *(path.read_text() for path in scripts), (html / "searchindex.js").read_text(), SEARCH]:
        engine.eval(script)
    names = sorted(set(public_names(pathlib.Path(xml))))
    entries, problems = set(entries_of(html)), []
    questions = re.findall(r"^\| ([A-Z][^|]*\?) \|", QUESTIONS.read_text(), flags=re.MULTILINE)

    def results_of(words):
        return json.loads(engine.eval(f"results_of({json.dumps(words)})"))

    for name in names:
        for words in (name, f"mgpu::{name}", name.lower()):
            problems += problems_of_name(name, words, results_of(words), entries)
    for question in questions:
        problems += problems_of_question(question, results_of(question))
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"search: {len(names)} names, {len(questions)} questions, {len(problems)} problems")
    return len(problems) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
