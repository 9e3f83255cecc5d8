#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Checks the text of the site's pages; build.py calls it.

Titles of pages and headers have at most LONGEST_TITLE words: a title that a comment's first line was joined to has more.
No two pages have the same title. A paragraph begins with a capital letter, or with code or an identifier, and ends with
a mark. Cells of tables, descriptions of parameters and the first paragraph of an item may be phrases. A link leads to a
file of the site, or to another site, whose address has no placeholder.
"""

import collections
import html.parser
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import check_search

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
import publish

LONGEST_TITLE = 8
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
NO_SENTENCES = {"td", "th", "dt", "noscript"}
ITEMS = {"li", "dd"}


class page_reader(html.parser.HTMLParser):
    """Reads the title, the links and the paragraphs of a page's article; `¶` stands for an image in their text, and a
    backquote for the beginning and the end of code."""

    def __init__(self):
        super().__init__()
        self.open = []  # the elements around: [tag, number of paragraphs in it so far, its text if it is one]
        self.title, self.links, self.paragraphs = "", [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "href" in attributes:
            self.links.append(attributes["href"])
        inside = [element[0] for element in self.open]
        text = []
        is_title = re.search("title|rubric", attributes.get("class", ""))
        if tag == "p" and "article" in inside and not is_title and not NO_SENTENCES & set(inside):
            parent = self.open[-1]
            if parent[0] not in ITEMS or parent[1] > 0:
                self.paragraphs.append(text)
            parent[1] += 1
        self.handle_data({"code": "`", "img": "¶"}.get(tag, ""))
        if tag not in VOID:
            self.open.append([tag, 0, text])

    def handle_endtag(self, tag):
        self.handle_data({"code": "`"}.get(tag, ""))
        while tag not in VOID and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        inside = [element[0] for element in self.open]
        if "h1" in inside and "a" not in inside:
            self.title += data
        if "p" in inside and "pre" not in inside:
            self.open[len(inside) - 1 - inside[::-1].index("p")][2].append(data)


def problems_of_titles(xml, titles):
    """Titles that are too long, or those of two pages; titles are lists of pages by title."""
    groups = [ElementTree.parse(path).getroot().findtext("compounddef/title") for path in sorted(xml.glob("group__*.xml"))]
    for title in [*titles, *groups]:
        if len(title.split()) > LONGEST_TITLE:
            yield f"a title is as long as a sentence: {title}"
    for title, pages in titles.items():
        if len(pages) > 1:
            yield f"{' and '.join(pages)} have the same title: {title}"


def problems_of_paragraph(text, names):
    """Whether a paragraph begins or ends in mid-sentence."""
    text = " ".join(text.split())
    first = re.match(r"[(“\"]*([\w:]+)", text)
    is_name = first and (first[1] in names or re.search("_|::", first[1]))
    if first and first[1][0].islower() and not is_name:
        yield f"a paragraph begins in mid-sentence: {text[:60]}"
    if not re.search(r"[.:;?!`¶][)”\"]*$", text):
        yield f"a paragraph ends in mid-sentence: {text[-60:]}"


def problems_of_link(page, link, html):
    address = re.match(r"(https?:)?//([^#]*)", link)
    if address:
        placeholders = [name for name in publish.PLACEHOLDERS.values() if name in address[2].split("/")]
        if placeholders:
            yield f"a link leads to {placeholders[0]}: {link}"
    elif not re.match(r"[a-z]+:", link):
        target = link.partition("#")[0].partition("?")[0]
        if target and not (page.parent / target).exists():
            yield f"a link leads nowhere: {link}"


def problems(xml, html):
    names = set(check_search.public_names(xml))
    names |= {name.rpartition("::")[2] for name in names}
    titles = collections.defaultdict(list)
    for page in sorted(html.rglob("*.html")):
        reader = page_reader()
        reader.feed(page.read_text())
        name = page.relative_to(html)
        if reader.title:
            titles[reader.title].append(str(name))
        found = [problem for link in dict.fromkeys(reader.links) for problem in problems_of_link(page, link, html)]
        for text in map("".join, reader.paragraphs):
            found += problems_of_paragraph(text, names) if text.strip() else []
        yield from (f"{name}: {problem}" for problem in found)
    yield from problems_of_titles(xml, titles)


def main(xml, html):
    found = list(problems(pathlib.Path(xml), pathlib.Path(html)))
    for problem in found:
        print(f"pages: {problem}", file=sys.stderr)
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
