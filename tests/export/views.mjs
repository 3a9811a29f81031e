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
    chosen: isAsked ? game.choose(view, "heuristic", { seat }) : null,
    differs: drawn(view, state, seat),
    // what the rules accept once more
    snapshot: game.fromJson(state.toJson()).toJson(),
    again: JSON.stringify(game.fromView(view, seat, seed).toJson())
      === JSON.stringify(state.toJson()),
  };
}

// What is said of the view itself is what the state says of its seat, after a way as text, too.
function drawn(given, state, seat) {
  const view = JSON.parse(JSON.stringify(given));
  const deciding = state.mustDecide.length;
  const same = [
    ["text", {}], ["picture", {}], ["headline", {}],
    ["text", { names: NAMES }], ["headline", { names: NAMES }],
    ["picture", { names: NAMES, theme: "dark", layout: "column" }],
  ].filter(([what, look]) => game[what](view, seat, look) !== state[what](seat, look));
  const open = state.view();
  for (const what of ["text", "picture", ...(deciding < 2 ? ["headline"] : [])])
    if (game[what](JSON.parse(JSON.stringify(open)), null) !== state[what]()) same.push([what, null]);
  if (JSON.stringify(game.choices(view, seat)) !== JSON.stringify(state.choices({ seat })))
    same.push(["choices"]);
  return same;
}

// A view that no position agrees with is drawn or refused.
function crashes(view, seat) {
  for (const what of ["text", "picture", "headline", "choices"]) {
    try {
      game[what](view, seat);
    } catch (error) {
      if (!(error instanceof GameError)) return `${what}: ${error.stack}`;
    }
  }
  return "";
}

const NAMES = ["Ann", "Bob"];
const results = (await readFile(path, "utf-8")).trim().split("\n").map((line, k) => {
  const { view, seat } = JSON.parse(line);
  try {
    return said(view, seat, BigInt(k));
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    if (Buffer.compare(before, Buffer.from(other.bytes))) throw new Error("another state changed");
    return { refused: error.message, code: error.code, crash: crashes(view, seat) };
  }
});
console.log(JSON.stringify(results));
