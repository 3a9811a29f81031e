// The order of what a search finds: pages that explain come before the API reference, and before
// the rules of single games and the training scripts.
const EXPLAINS = /\/pages\/(tutorials|guides|explanation|libraries)\/|agents\/README|language\/README/;
const SINGLE = /\/(RULES|GUIDE)$|HISTORY|CHANGELOG|training_files|^tests\//;
var Scorer = {
  score: ([docname, , , , score]) =>
    score + (EXPLAINS.test(docname) ? 12 : SINGLE.test(docname) ? -20 : 0),
  objNameMatch: 25, // before the pages that name it
  objPartialMatch: -10, // `action_mask` for "mask"
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
