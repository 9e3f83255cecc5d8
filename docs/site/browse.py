#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The mgpu_thrust authors
"""Opens the built site in a headless Chromium: every page, wide and narrow, light and dark, and the search.

    build/python/bin/pip install playwright     # in the environment of build.py; and Chromium
    build/python/bin/python docs/site/browse.py --chromium /usr/bin/chromium

Fails on an error in a page's console, a page that is wider than the window, code that is clipped in a wide window, hidden
entries of the reference, or a search that does not find a function. One question is followed by three clicks: on the
search, on a result, and on the function, to its entry in the reference. Screenshots are written to
build/site/screenshots. check_search.py asks all questions, without a browser.
"""

import argparse
import contextlib
import functools
import http.server
import pathlib
import sys
import threading

from playwright.sync_api import expect, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
HTML = ROOT / "build/site/html"
PICTURES = ROOT / "build/site/screenshots"
QUICK = ["index.html", "reference/segmented_set_operations.html"]
expect.set_options(timeout=60_000)  # pages are slow beside compilers, as in CI
WINDOWS = ((400, "light"), (1400, "light"), (1400, "dark"))


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


def search(tab, words):
    """Clicks on the search of a page and types. Returns the links of the results."""
    tab.click("input[name=q]")
    tab.keyboard.type(words)
    tab.keyboard.press("Enter")
    tab.wait_for_function("document.querySelector('p.search-summary')?.textContent.includes('finished')")
    return tab.locator("ul.search > li > a")


def problems_of_search(tab, address):
    """Follows a question to its answer."""
    question = "Which rows of A are not in B?"
    tab.goto(f"{address}/index.html")
    search(tab, question).get_by_text("Which function?", exact=True).click()
    try:
        expect(tab.locator("article .highlighted").first).to_be_attached()
        tab.get_by_role("row").filter(has_text=question).get_by_role("link", name="set_difference").click()
        expect(tab.locator("dt:target")).to_be_in_viewport()
        expect(tab.locator("dl:has(> dt:target) > dd")).to_contain_text("what the first holds and the second does not")
    except AssertionError as error:
        yield f"search: three clicks lead to {tab.url}: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chromium", help="the browser (Playwright's own)")
    parser.add_argument("--quick", action="store_true", help="only QUICK of the pages, as CI does where it has a browser")
    options = parser.parse_args()
    PICTURES.mkdir(parents=True, exist_ok=True)
    pages = QUICK if options.quick else sorted(str(path.relative_to(HTML)) for path in HTML.rglob("*.html"))
    problems = []
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        for width, scheme in WINDOWS:
            tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            where = [""]
            tab.on("console", lambda m: m.type == "error" and problems.append(f"{where[0]}: {m.text}"))
            tab.on("pageerror", lambda error: problems.append(f"{where[0]}: {error}"))
            for page in pages:
                where[0] = f"{page} at {width} pixels, {scheme}"
                tab.goto(f"{address}/{page}", wait_until="load")
                wide = tab.evaluate("document.documentElement.scrollWidth")
                if wide > width:
                    problems.append(f"{where[0]}: it is {wide} pixels wide")
                clipped = tab.evaluate(
                    "[...document.querySelectorAll('pre')].filter(e => e.scrollWidth > e.clientWidth).length")
                if clipped and width > 1000:
                    problems.append(f"{where[0]}: {clipped} blocks of code are clipped")
                hidden = tab.evaluate("[...document.querySelectorAll('dt[id]')].filter(e => !e.offsetParent).length")
                if hidden:
                    problems.append(f"{where[0]}: {hidden} entries are hidden")
                tab.screenshot(path=PICTURES / f"{page.replace('/', '_')}_{width}_{scheme}.png")
            where[0] = f"search at {width} pixels, {scheme}"
            tab.goto(f"{address}/search.html?q=set_union")
            tab.wait_for_selector("ul.search li", timeout=20000)
            found = " ".join(tab.locator("ul.search li").all_inner_texts())
            if "set_union" not in found:
                problems.append(f"{where[0]}: set_union is not found")
            tab.screenshot(path=PICTURES / f"search_{width}_{scheme}.png")
        problems += problems_of_search(tab, address)
        browser.close()
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(pages)} pages, {len(problems)} problems; screenshots are in {PICTURES.relative_to(ROOT)}")
    return len(problems) > 0


if __name__ == "__main__":
    sys.exit(main())
