# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Sphinx's configuration of the site; build.py calls it, and says where Doxygen's XML is."""

import os
import pathlib
import re
import sys

from docutils import nodes
from sphinx import addnodes
from sphinx.domains.cpp import CPPDomain

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

sys.path.append(str(ROOT / "packaging"))
import publish

REPOSITORY = f"https://github.com/{publish.publisher()['OWNER']}/mgpu_thrust"

project = "mgpu_thrust"
author = "The mgpu_thrust authors"
release = publish.version()
extensions = ["myst_parser", "breathe"]
exclude_patterns = ["site", "figures"]
myst_heading_anchors = 4

breathe_projects = {project: os.environ.get("MGPU_THRUST_DOXYGEN_XML", "")}
breathe_default_project = project
breathe_domain_by_extension = {"h": "cpp", "cuh": "cpp"}
primary_domain = "cpp"
highlight_language = "cpp"
cpp_maximum_signature_line_length = 60  # longer ones have a parameter a line

html_theme = "furo"
html_show_copyright = False  # LICENSE says it
html_title = f"mgpu_thrust {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = [path for path in [os.environ.get("MGPU_THRUST_SITE_FILES")] if path]
html_favicon = "static/favicon.svg"
html_search_scorer = str(DOCS / "site/search_scorer.js")


class DomainWithoutParameters(CPPDomain):
    """Sphinx's C++, but parameters are nothing to search for: they would be three of four results."""

    def get_objects(self):
        return (found for found in super().get_objects() if found[2] not in ("functionParam", "templateParam"))


def page_of_link(page, link):
    """Where a page's link leads: to the reference if it names a public header, to the repository if to another file."""
    target = pathlib.Path(os.path.normpath((DOCS / page).parent / link))
    if target.is_relative_to(DOCS):
        return link
    reference = DOCS / "reference" / f"{target.stem}.md"
    if target.parent == ROOT / "mgpu_thrust" and reference.exists():
        return os.path.relpath(reference, (DOCS / page).parent)
    return f"{REPOSITORY}/blob/main/{target.relative_to(ROOT)}"


def link_of_program(page, name, steps):
    """A link to a program of one file, which build.py wrote, and to how a browser's compiler gets it."""
    if not (pathlib.Path(os.environ["MGPU_THRUST_SITE_FILES"]) / "single" / name).exists():
        raise FileNotFoundError(f"{page}: {name} is not among the programs of one file")
    folder = os.path.relpath("single", pathlib.Path(page).parent)
    return f'<a href="{folder}/{name}">{name} as one file</a>, in [these steps]({steps})'


def redirect_links(app, page, source):
    """The documents link to files of the repository, for those who read them there.

    The name of a function that links to its header links to its entry in the reference, and a program of one file to
    itself.
    """
    source[0] = re.sub(
        r"\[(\w+\.cpp) as one file\]\(([^)]*)\)", lambda match: link_of_program(page, match[1], match[2]), source[0]
    )
    source[0] = re.sub(r"\[`(\w+)`\]\((?:\.\./)+mgpu_thrust/\w+\.h\)", r"{cpp:any}`\1 <mgpu::\1>`", source[0])
    source[0] = re.sub(
        r"\]\((\.\./[^)\s#]*)", lambda match: f"]({page_of_link(page, match.group(1))}", source[0]
    )


def link_names(app, document, page):
    """Makes what is written as code a link, if it is a public name or a public header: to its entry, or its page."""
    targets = {}
    for name, _, _, at, anchor, _ in app.env.domains["cpp"].get_objects():
        targets.setdefault(re.sub("<.*>", "", name).removeprefix("mgpu::"), (at, f"#{anchor}"))
    for path in (DOCS / "reference").glob("*.md"):
        if (ROOT / f"mgpu_thrust/{path.stem}.h").exists():
            targets[f"{path.stem}.h"] = f"reference/{path.stem}", ""
    for literal in list(document.findall(nodes.literal)):
        name = re.sub(r"^(mgpu::|mgpu_thrust/)|\(\)$", "", literal.astext())
        parent = literal.parent
        while parent and not isinstance(parent, (nodes.reference, nodes.title, addnodes.desc_signature)):
            parent = parent.parent
        if name in targets and not parent:  # and it is no part of a link, a heading, or a signature
            at, anchor = targets[name]
            link = nodes.reference("", "", internal=True, refuri=app.builder.get_relative_uri(page, at) + anchor)
            literal.replace_self(link)
            link += literal


def mark_charts(app, document):
    """The style sheet knows charts by their class."""
    for image in document.findall(nodes.image):
        if "charts/" in image["uri"]:
            image["classes"].append("chart")


def setup(app):
    app.add_domain(DomainWithoutParameters, override=True)
    app.connect("source-read", redirect_links)
    app.connect("doctree-read", mark_charts)
    app.connect("doctree-resolved", link_names)
