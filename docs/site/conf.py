# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Sphinx's configuration of the site; build.py calls it, and says where Doxygen's XML is."""

import os
import pathlib
import re
import shutil
import sys

from docutils import nodes
from sphinx import addnodes
from sphinx.domains.cpp import CPPDomain

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

sys.path.append(str(ROOT / "packaging"))
import publish

REPOSITORY = publish.repository()
FILES = pathlib.Path(os.environ.get("MGPU_THRUST_SITE_FILES", ROOT / "build/site/files"))
LINK = re.compile(r"(?<=\]\()\.\./[^)\s#]*")  # out of the page's folder

project = "mgpu_thrust"
author = "The mgpu_thrust authors"
release = publish.version()
extensions = ["myst_parser", "breathe"]
exclude_patterns = ["site", "figures"]
myst_heading_anchors = 4
myst_url_schemes = ["http", "https", "mailto", "source"]  # source: a file of the repository, see link_files

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
templates_path = ["templates"]
html_css_files = ["site.css"]
html_extra_path = [str(FILES)]
html_favicon = "static/favicon.svg"
html_search_scorer = str(DOCS / "site/search_scorer.js")


class DomainOfEntries(CPPDomain):
    """Sphinx's C++, but one object an entry of the reference: no parameters, and of overloads the first."""

    def get_objects(self):
        entries = {}
        for found in super().get_objects():
            if found[2] not in ("functionParam", "templateParam"):
                entries.setdefault(found[0], found)
        return iter(entries.values())


def page_of_link(page, link):
    """Where a page's link leads: to the reference if it names a public header, to the repository if to another file."""
    target = pathlib.Path(os.path.normpath((DOCS / page).parent / link))
    if target.is_relative_to(DOCS):
        return link
    reference = DOCS / "reference" / f"{target.stem}.md"
    if target.parent == ROOT / "mgpu_thrust" and reference.exists():
        return os.path.relpath(reference, (DOCS / page).parent)
    return f"source:{target.relative_to(ROOT)}"


def copy_linked_files(app):
    """Copies the files that pages link to into the site, as text, if the repository has no address."""
    shutil.rmtree(FILES / "source", ignore_errors=True)
    pages = [path.relative_to(DOCS) for path in DOCS.rglob("*.md")] if not REPOSITORY else []
    linked = {page_of_link(page, link) for page in pages for link in LINK.findall((DOCS / page).read_text())}
    for name in (link.removeprefix("source:") for link in linked if link.startswith("source:")):
        if (ROOT / name).is_file():
            copy = FILES / f"source/{name}.txt"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy)


def link_of_program(page, name, steps):
    """A link to a program of one file, which build.py wrote, and to how a browser's compiler gets it."""
    if not (FILES / "single" / name).exists():
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
    source[0] = LINK.sub(lambda link: page_of_link(page, link[0]), source[0])


def link_files(app, document, page):
    """Leads links to files of the repository there, or, if it has no address, to their copies. Folders have none."""
    for link in list(document.findall(nodes.reference)):
        name, _, anchor = link.get("refuri", "").removeprefix("source:").partition("#")
        if not link.get("refuri", "").startswith("source:"):
            continue
        if REPOSITORY:
            link["refuri"] = f"{REPOSITORY}/blob/main/{name}" + f"#{anchor}" * bool(anchor)
        elif (FILES / f"source/{name}.txt").exists():
            link["refuri"] = os.path.relpath(f"source/{name}.txt", pathlib.Path(page).parent)
        else:
            link.replace_self(link.children)


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


def parameters_of(signature):
    """The parameters of a function, as text."""
    return [parameter.astext() for parameter in signature.findall(addnodes.desc_parameter)]


def add_without_policy(entry, other):
    """Adds an overload without a policy to the entry of the one with it: its signature below the other, and its comment
    after the first paragraphs. Tells whether these overloads are such a pair."""
    policy, *rest = parameters_of(entry[0]) or [""]
    if "execution_policy" not in policy or rest != parameters_of(other[0]):
        return False
    entry.insert(entry.index(entry[-1]), other[0])
    content = entry[-1]
    behind = next((i for i, node in enumerate(content) if not isinstance(node, nodes.paragraph)), len(content))
    content[behind:behind] = other[-1].children
    other.parent.remove(other)
    return True


def join_overloads(app, document):
    """Makes one entry of the overloads of a function: signatures with and without a policy above their contract, and
    then those that have another one."""
    functions = {}
    for entry in document.findall(addnodes.desc):
        if entry["objtype"] == "function":
            functions.setdefault((id(entry.parent), entry[0]["_toc_parts"]), []).append(entry)
    for overloads in functions.values():
        joined = []
        for entry in sorted(overloads, key=lambda entry: "execution_policy" not in entry[0].astext()):
            if not any(add_without_policy(other, entry) for other in joined):
                joined.append(entry)
        for other in joined[1:]:
            joined[0] += other.children
            other.parent.remove(other)
        for signature in list(joined[0].findall(addnodes.desc_signature))[1:]:
            signature["_toc_name"] = ""  # the contents of the page have the first one


def mark_charts(app, document):
    """The style sheet knows charts by their class."""
    for image in document.findall(nodes.image):
        if "charts/" in image["uri"]:
            image["classes"].append("chart")


def setup(app):
    app.add_domain(DomainOfEntries, override=True)
    app.connect("builder-inited", copy_linked_files)
    app.connect("source-read", redirect_links)
    app.connect("doctree-read", join_overloads, priority=400)  # before Sphinx collects the contents of the page
    app.connect("doctree-read", mark_charts)
    app.connect("doctree-resolved", link_names)
    app.connect("doctree-resolved", link_files)
