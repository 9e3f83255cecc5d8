#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Writes the recipes for vcpkg, Conda and Spack with what is known when a release is published.

    python3 packaging/publish.py build/recipes --archive v1.0.0.tar.gz

In the templates, which are beside it, @OWNER@ is that of publisher.txt, @VERSION@ that of version.h, and @SHA256@ and
@SHA512@ are of the archive that GitHub makes of the tag, or of nothing without --archive. With --tag it fails unless the
tag is that of this version, CHANGELOG.md has its date, and the placeholders of publisher.txt are replaced.

    python3 packaging/publish.py --citation

writes the version, its date, and the address of the repository into CITATION.cff, as far as they are known. Without
--citation, a CITATION.cff that lacks them is an error.
"""

import argparse
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "packaging"
TEMPLATES = [path for name in ("vcpkg", "conda", "spack") for path in sorted((FOLDER / name).rglob("*")) if path.is_file()]
CITATION = ROOT / "CITATION.cff"
PLACEHOLDERS = {"OWNER": "OWNER", "CONTACT": "mgpu_thrust@example.org"}


def publisher():
    """The lines of publisher.txt, by name."""
    return dict(re.findall(r"^(\w+)=(.+)$", (FOLDER / "publisher.txt").read_text(), flags=re.MULTILINE))


def repository():
    """The repository's address, or None if publisher.txt has no owner."""
    owner = publisher()["OWNER"]
    return f"https://github.com/{owner}/mgpu_thrust" if owner != PLACEHOLDERS["OWNER"] else None


def version():
    number = int(re.search(r"MGPU_THRUST_VERSION (\d+)", (ROOT / "mgpu_thrust/version.h").read_text())[1])
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def date_of(release):
    """The date of a release in CHANGELOG.md, or None."""
    found = re.search(rf"^## {re.escape(release)}, (\d{{4}}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    return found and found[1]


def citation():
    """The text of CITATION.cff, which ends with what is known of this version."""
    known = {"version": version(), "date-released": date_of(version()), "repository-code": repository()}
    others = re.sub(rf"^({'|'.join(known)}): .*\n", "", CITATION.read_text(), flags=re.MULTILINE)
    return others + "".join(f"{name}: {value}\n" for name, value in known.items() if value)


def filled(template, values):
    """The text of a template with the values; a name that has none is an error."""
    return re.sub(r"@([A-Z0-9]+)@", lambda name: values[name[1]], template.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, nargs="?", help="folder to write to")
    parser.add_argument("--archive", type=pathlib.Path, help="the archive of the tag")
    parser.add_argument("--tag", help="the tag that is published")
    parser.add_argument("--citation", action="store_true", help="write CITATION.cff")
    options = parser.parse_args()
    if options.citation:
        CITATION.write_text(citation())
    elif CITATION.read_text() != citation():
        sys.exit("CITATION.cff lacks what publish.py --citation writes there")
    values = {**publisher(), "VERSION": version()}
    if options.tag:
        left = [name for name, placeholder in PLACEHOLDERS.items() if values[name] == placeholder]
        if options.tag != f"v{version()}" or not date_of(version()) or left:
            sys.exit(f"{options.tag}: version.h has {version()}, CHANGELOG.md its date {date_of(version())}, "
                     f"publisher.txt lacks {', '.join(left) or 'nothing'}")
    content = options.archive.read_bytes() if options.archive else b""
    values.update(SHA256=hashlib.sha256(content).hexdigest(), SHA512=hashlib.sha512(content).hexdigest())
    for template in TEMPLATES if options.out else ():
        path = options.out / template.relative_to(FOLDER)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(filled(template, values))


if __name__ == "__main__":
    sys.exit(main())
