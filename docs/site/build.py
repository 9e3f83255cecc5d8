#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Builds the site into build/site/html, with the library as one header in its folder single.

    python3 -m venv build/python
    build/python/bin/pip install -r docs/site/requirements.txt    # and Doxygen 1.9.4 or later
    build/python/bin/python docs/site/build.py

Any warning of Doxygen or Sphinx is an error, and so is what the checks find: public names without an entry
(check_reference.py), names and questions that the search does not find (check_search.py), and titles, paragraphs and
links that are none (check_pages.py).
"""

import os
import pathlib
import re
import subprocess
import sys

import check_pages
import check_reference
import check_search

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
import single_header

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "build/site"


def join_lines(xml):
    """Doxygen keeps the end of a line within some parentheses, and Breathe would begin a paragraph there."""
    for path in xml.glob("*.xml"):
        text = path.read_text()
        path.write_text(re.sub(r"(<verbatim>.*?</verbatim>)|\n(?=[^<\s])", lambda m: m[1] or " ", text, flags=re.DOTALL))


def end_with_marks(xml):
    """The release that a function or class is in since, which Doxygen puts where its parameters are, ends its comment."""
    mark = re.compile(r'<simplesect kind="since"><para>([\d.]+)\s*</para>\s*</simplesect>(.*?)(?=</detaileddescription>)', re.DOTALL)
    for path in xml.glob("*.xml"):
        text = mark.sub(r"\2<para>Since \1.</para>", path.read_text())
        path.write_text(re.sub(r"<para>\s*</para>", "", text))


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    settings = (ROOT / "docs/site/Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {OUT}\n"
    subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=ROOT, check=True)
    join_lines(OUT / "xml")
    end_with_marks(OUT / "xml")
    single_header.write(OUT / "files/single")
    environment = dict(os.environ, MGPU_THRUST_DOXYGEN_XML=str(OUT / "xml"), MGPU_THRUST_SITE_FILES=str(OUT / "files"))
    sphinx = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "-j", "auto"]
    ended = subprocess.run(sphinx + ["-c", "docs/site", "docs", OUT / "html"], cwd=ROOT, env=environment)
    checks = (check_reference, check_search, check_pages)
    return ended.returncode or any([check.main(OUT / "xml", OUT / "html") for check in checks])


if __name__ == "__main__":
    sys.exit(main())
