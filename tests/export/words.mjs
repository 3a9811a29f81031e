// Plays the episodes of a plan and prints what is said at the same moments: what words.py does in
// Python. node words.mjs MODULE.js PLAN.json [WASM.js]
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [modulePath, planPath, textPath] = process.argv.slice(2);
const { load } = await import(pathToFileURL(modulePath));
const game = await load(textPath && (await import(pathToFileURL(textPath))).default);
const names = ["Ann", "🦖中".repeat(20)];

function plain(picture) {
  const size = /width="\d+" height="\d+"/.exec(picture)[0];
  return size
    + picture.slice(picture.indexOf("viewBox"))
        .replace(/(?<=\d)\.0(?=\D)/g, "")
        .replaceAll("\n", "");
}

// What a pure step says of an action, in a position that it must leave as it is.
function pure(state, action) {
  const before = Object.freeze(state.toJson());
  const next = game.next(before, state.toMove, action, { names });
  same(before, state.toJson());
  return next;
}

function same(one, other) {
  const [first, second] = [one, other].map((value) => JSON.stringify(value));
  if (first !== second) throw new Error(`${first.slice(0, 500)}\nis not\n${second.slice(0, 500)}`);
}

function moment(state, log, place) {
  const seats = [...Array(state.numPlayers).keys(), null];
  const viewer = seats[place % seats.length];
  const legal = state.toMove >= 0 ? state.legal() : [];
  const snapshot = state.toJson();
  const restored = game.fromJson(snapshot);
  const choices = state.choices({ seat: state.toMove, names });
  if (legal.length > 0) {
    const calm = game.choose(state, "random", { seed: place, neverGrave: true });
    same(choices.find(({ action }) => action === calm).warning, "");
  }
  return {
    snapshot,
    restored: createHash("sha256").update(restored.bytes.subarray(8)).digest("hex"),
    viewer,
    view: state.view(viewer),
    text: state.text(viewer, { names }),
    picture: plain(state.picture(viewer, { theme: ["light", "dark"][place % 2], names })),
    headline: state.headline(viewer, { names }),
    labels: legal.map((action) => state.label(action, { viewer, names })),
    column: plain(state.picture(viewer, { layout: "column", names })),
    choices,
    told: log.told(viewer).slice(-12),
  };
}

const results = [];
for (const { options, seed, every, actions } of JSON.parse(await readFile(planPath, "utf-8"))) {
  const state = game.deal(options, BigInt(seed));
  same(game.first(options, BigInt(seed)).json, state.toJson());
  const log = state.log({ names });
  const moments = [];
  for (let place = 0; place <= actions.length; place++) {
    if (place % every === 0 || place === actions.length) moments.push(moment(state, log, place));
    if (place === actions.length) break;
    const known = log.length;
    const step = place % every === 0 ? pure(state, actions[place]) : null;
    log.play(actions[place]);
    if (!step) continue;
    const { toMove, mustDecide, over } = state;
    const seen = [...Array(state.numPlayers).keys(), null].map((seat) => ({
      seat, view: state.view(seat), legal: seat === null ? [] : state.legal(seat),
      told: log.told(seat, known),
    }));
    same(step, { json: state.toJson(), seen, toMove, mustDecide, over });
  }
  results.push(moments);
}
console.log(JSON.stringify(results));
