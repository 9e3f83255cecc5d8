#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens the built site in a headless Chromium: every page, wide and narrow, and the search.

    python3 -m pip install playwright     # and Chromium
    python3 docs/site/browse.py --chromium /usr/bin/chromium

Fails on an error in a page's console, a page that is wider than the window, or a search that does not find a function.
Screenshots are written to build/site/screenshots.
"""

import argparse
import contextlib
import functools
import http.server
import pathlib
import sys
import threading

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
HTML = ROOT / "build/site/html"
PICTURES = ROOT / "build/site/screenshots"
WIDTHS = (400, 1400)


class quiet_handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def served():
    """Serves the site; the search does not work from files."""
    handler = functools.partial(quiet_handler, directory=HTML)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chromium", help="the browser (Playwright's own)")
    options = parser.parse_args()
    PICTURES.mkdir(parents=True, exist_ok=True)
    pages = sorted(str(path.relative_to(HTML)) for path in HTML.rglob("*.html"))
    problems = []
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        for width in WIDTHS:
            tab = browser.new_page(viewport={"width": width, "height": 900})
            where = [""]
            tab.on("console", lambda m: m.type == "error" and problems.append(f"{where[0]}: {m.text}"))
            tab.on("pageerror", lambda error: problems.append(f"{where[0]}: {error}"))
            for page in pages:
                where[0] = f"{page} at {width} pixels"
                tab.goto(f"{address}/{page}", wait_until="load")
                wide = tab.evaluate("document.documentElement.scrollWidth")
                if wide > width:
                    problems.append(f"{where[0]}: it is {wide} pixels wide")
                tab.screenshot(path=PICTURES / f"{page.replace('/', '_')}_{width}.png")
            where[0] = f"search at {width} pixels"
            tab.goto(f"{address}/search.html?q=set_union")
            tab.wait_for_selector("ul.search li", timeout=20000)
            found = " ".join(tab.locator("ul.search li").all_inner_texts())
            if "set_union" not in found:
                problems.append(f"{where[0]}: set_union is not found")
            tab.screenshot(path=PICTURES / f"search_{width}.png")
        browser.close()
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(pages)} pages, {len(problems)} problems; screenshots are in {PICTURES.relative_to(ROOT)}")
    return len(problems) > 0


if __name__ == "__main__":
    sys.exit(main())
