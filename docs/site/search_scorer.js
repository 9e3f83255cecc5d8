// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the search ranks its results: Sphinx's numbers, and pages for users before pages for those who change the library.
var Scorer = {
  score: ([page, title, anchor, description, score]) => {
    if (page === "which-function") return score + 10;
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
