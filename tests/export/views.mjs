// Prints for each view of a file, one in a line as JSON with its seat, what a state that agrees with
// it says and what is chosen in it, or why there is none. node views.mjs MODULE.js VIEWS
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [modulePath, path] = process.argv.slice(2);
const { GameError, load } = await import(pathToFileURL(modulePath));
const game = await load();
const other = game.deal({}, 5n); // nothing that is refused changes it
const before = Buffer.from(other.bytes);

function said(view, seat, seed) {
  const state = game.fromView(view, seat, seed);
  const isAsked = state.mustDecide.includes(seat);
  return {
    view: state.view(seat),
    text: state.text(seat),
    picture: state.picture(seat).length > 0,
    headline: state.headline(seat),
    legal: state.legal(seat),
    labels: isAsked ? state.choices({ seat }).map((choice) => choice.label) : [],
    chosen: isAsked ? game.choose(state, "heuristic", { seat }) : null,
    // what the rules accept once more
    snapshot: game.fromJson(state.toJson()).toJson(),
    again: JSON.stringify(game.fromView(view, seat, seed).toJson())
      === JSON.stringify(state.toJson()),
  };
}

const results = (await readFile(path, "utf-8")).trim().split("\n").map((line, k) => {
  const { view, seat } = JSON.parse(line);
  try {
    return said(view, seat, BigInt(k));
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    if (Buffer.compare(before, Buffer.from(other.bytes))) throw new Error("another state changed");
    return { refused: error.message, code: error.code };
  }
});
console.log(JSON.stringify(results));
