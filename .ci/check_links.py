#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Checks that links in Markdown files lead to files of the repository, and to headings that these have.

    check_links.py FILE...

Addresses of other sites are not followed.
"""

import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def text_of(path):
    """The text of a Markdown file without its code blocks."""
    return re.sub(r"^ *```.*?^ *```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)


def anchors_of(path):
    """The names that headings of a Markdown file have in links."""
    anchors = set()
    for heading in re.findall(r"^#+ +(.+?) *$", text_of(path), flags=re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        same = sum(1 for other in anchors if re.fullmatch(re.escape(name) + r"(-\d+)?", other))
        anchors.add(f"{name}-{same}" if same else name)
    return anchors


def problems_of(path):
    """What is wrong with each bad link of a file; code spans have none."""
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", text_of(path))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        linked = path.parent / file if file else path
        if not linked.exists():
            yield f"{path}: {target}: there is no such file"
        elif anchor and linked.suffix == ".md" and anchor not in anchors_of(linked):
            yield f"{path}: {target}: {linked} has no such heading"


def main():
    problems = [problem for name in sys.argv[1:] for problem in problems_of(pathlib.Path(name))]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
