// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
// How the search ranks its results: Sphinx's numbers, but an entry of the name that is asked for comes first, and pages
// for users come before pages for those who change the library, and the page of questions before others if words are a
// question. check_search.py tests names and questions.
const plain = (name) => name.trim().replace(/^mgpu::/i, "").replace(/<.*>/, "").replace(/\(\)$/, "").toLowerCase();
const WORDS_OF_A_NAME = 3;
var Scorer = {
  score: ([page, title, anchor, description, score, file, kind]) => {
    const asked = plain(new URLSearchParams(window.location.search).get("q") ?? "");
    if (kind === "object" && plain(title) === asked) return score + 1000;
    if (kind === "object" && plain(title).endsWith(`::${asked}`)) return score + 500;
    if (page === "which-function") return score + (asked.split(/\s+/).length > WORDS_OF_A_NAME ? 40 : 10);
    if (page.startsWith("families/") || page.startsWith("reference/")) return score + 3;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {0: 15, 1: 5, 2: -5},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
