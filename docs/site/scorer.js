/* Order of search results: names that begin with the words searched for come first, short names before long ones. */

const wanted = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase().replace(/[^a-z0-9]/g, "");

var Scorer = {
  score: ([, title, , description, score]) => {
    const name = title.split(".").pop().toLowerCase().replace(/[^a-z0-9]/g, "");
    const begins = wanted && description && name.startsWith(wanted);
    return score + (begins ? 20 : 0) - (description ? title.length / 100 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
