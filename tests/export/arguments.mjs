// Gives every argument of every function what it cannot be, and prints which calls were not refused
// with a GameError, or changed something. node arguments.mjs MODULE.js WEIGHTS
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [modulePath, weightsPath] = process.argv.slice(2);
const { load, GameError } = await import(pathToFileURL(modulePath));
const [game, other] = [await load(), await load()];
await game.loadPolicy(await readFile(weightsPath));
const state = game.deal({ numPlayers: 2 }, 7n);
const batch = game.batch(2);
const log = state.log();
const before = state.bytes;
const chosen = game.choose(state);
const json = state.toJson();
const nothing = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0); // an empty module of WebAssembly
const whatever = [NaN, Infinity, true, "", "x".repeat(1000), [], {}, Symbol("one"), () => 0,
  Object.create(null), { valueOf: () => 0, toString: () => "0" }];
const numbers = [1.5, -1.5, "0", "1", [0], 0n, 2 ** 32, 2 ** 53, -(2 ** 32), ...whatever];
const seats = [...numbers, -2, 2, 99]; // of two
const anySeat = [...seats, null];
const actions = [...numbers, null, undefined, -1, game.actions.length];
const objects = [null, 5, "text", true, Symbol("one"), () => 0, 0n];
const settings = [...objects, { cheating: 1 }];
const states = [null, undefined, 5, "state", {}, [], state.bytes, game, other.deal(), { game }];
const seeds = [1.5, "7", null, 2 ** 53, 2n ** 64n, -(2n ** 63n) - 1n, ...whatever];
const names = [5, "Ann", [5], [null], ["Ann", "Ann"], { 0: "Ann" }, Symbol("one")];
const choices = [5, null, "blue", ["light"], Symbol("one"), {}];

// name -> values, and the call
const calls = {
  "state.legal": [anySeat, (x) => state.legal(x)],
  "state.mask": [anySeat, (x) => state.mask(x)],
  "state.maskView": [anySeat, (x) => state.maskView(x)],
  "state.countLegal": [anySeat, (x) => state.countLegal(x)],
  "state.legalAt": [[...numbers, null, undefined, -1, 1000], (x) => state.legalAt(x)],
  "state.legalAt seat": [anySeat, (x) => state.legalAt(0, x)],
  "state.apply": [actions, (x) => state.apply(x)],
  "state.apply seat": [[...anySeat, -1], (x) => state.apply(chosen, x)],
  "state.observe": [anySeat, (x) => state.observe(x)],
  "state.determinize": [[...anySeat, -1, undefined], (x) => state.determinize(x, 1)],
  "state.determinize seed": [[...seeds, undefined], (x) => state.determinize(0, x)],
  "state.read": [[5, null, "no field", Symbol("one"), {}], (x) => state.read(x)],
  "state.view": [[...seats, -1], (x) => state.view(x)],
  "state.text": [[...seats, -1], (x) => state.text(x)],
  "state.text settings": [settings, (x) => state.text(0, x)],
  "state.text names": [names, (x) => state.text(0, { names: x })],
  "state.picture": [[...seats, -1], (x) => state.picture(x)],
  "state.picture settings": [settings, (x) => state.picture(0, x)],
  "state.picture theme": [choices, (x) => state.picture(0, { theme: x })],
  "state.picture layout": [choices, (x) => state.picture(0, { layout: x })],
  "state.headline": [[...seats, -1], (x) => state.headline(x)],
  "state.headline settings": [settings, (x) => state.headline(0, x)],
  "state.label": [actions, (x) => state.label(x)],
  "state.label seat": [anySeat, (x) => state.label(0, { seat: x })],
  "state.label viewer": [seats, (x) => state.label(0, { viewer: x })],
  "state.label names": [names, (x) => state.label(0, { names: x })],
  "state.label settings": [[...settings, { numPlayers: 2 }], (x) => state.label(0, x)],
  "state.touched": [actions, (x) => state.touched(x)],
  "state.touched seat": [[...seats, -1], (x) => state.touched(0, x)],
  "state.choices seat": [anySeat, (x) => state.choices({ seat: x })],
  "state.choices names": [names, (x) => state.choices({ names: x })],
  "state.choices": [settings, (x) => state.choices(x)],
  "state.log": [settings, (x) => state.log(x)],
  "state.log names": [names, (x) => state.log({ names: x })],
  "log.play": [actions, (x) => log.play(x)],
  "log.play seat": [[...anySeat, -1], (x) => log.play(chosen, x)],
  "log.told": [[...seats, -1], (x) => log.told(x)],
  "log.told first": [[...numbers, null, -1].filter((x) => x !== 2 ** 32 && x !== 2 ** 53),
    (x) => log.told(null, x)],
  "log.goBack": [states, (x) => log.goBack(x, 0)],
  "log.goBack length": [[...numbers, null, undefined, -1, 1], (x) => log.goBack(state, x)],
  "game.deal": [[...objects, [], { cheating: 1 }, { numPlayers: 77 }, { numPlayers: "2\0" },
    { numPlayers: 2.5 }, { numPlayers: null }, { numPlayers: Symbol("one") },
    { numPlayers: Object.create(null) }, { "numPlayers\0": 2 }], (x) => game.deal(x)],
  "game.deal seed": [seeds, (x) => game.deal({}, x)],
  "game.deal into": [states.slice(2), (x) => game.deal({}, 1, x)],
  "game.fromView": [[...objects, [], {}, state, state.toJson()], (x) => game.fromView(x, 0, 1)],
  "game.fromView seat": [[...seats, null, undefined, -1],
    (x) => game.fromView(state.view(0), x, 1)],
  "game.fromView other seat": [[1], (x) => game.fromView(state.view(0), x, 1)],
  "game.fromView seed": [[...seeds, undefined], (x) => game.fromView(state.view(0), 0, x)],
  "game.seedRandom": [[...seeds, undefined], (x) => game.seedRandom(x)],
  "game.choose": [states, (x) => game.choose(x)],
  "game.choose player": [[5, null, "oracle", ["random"], {}, Symbol("one"), "search:sims=5\0",
    "search:sims=1e3", new String("random")], (x) => game.choose(state, x)],
  ...Object.fromEntries(["heuristic", "random", "policy", "search:sims=5"].map((player) => [
    `game.choose seat of ${player}`,
    [[...anySeat, -1, 1 - state.toMove], (x) => game.choose(state, player, { seat: x })]])),
  "game.choose seed": [seeds, (x) => game.choose(state, "random", { seed: x })],
  "game.choose neverGrave": [choices, (x) => game.choose(state, "random", { neverGrave: x })],
  "game.think neverGrave": [choices, (x) => game.think(state, { neverGrave: x })],
  "game.choose memory": [[5, null, true, {}, [], Symbol("one")],
    (x) => game.choose(state, "heuristic", { memory: x })],
  "game.think": [states, (x) => game.think(x)],
  "game.think settings": [settings, (x) => game.think(state, x)],
  "game.think player": [[5, null, "oracle", ["random"], {}, "search:sims=5:ms=5", "search:ms=0",
    "search:guide=nobody", "heuristic:style=oracle", "best:sample", "policy:threads=2"],
    (x) => game.think(state, { player: x })],
  "game.think seat": [[...anySeat, -1, 1 - state.toMove], (x) => game.think(state, { seat: x })],
  "game.think ms": [[...numbers, null, 0, -1], (x) => game.think(state, { ms: x })],
  "game.think seed": [seeds, (x) => game.think(state, { seed: x })],
  "game.think memory": [[5, null, {}], (x) => game.think(state, { memory: x })],
  "game.think signal": [objects.filter((x) => x !== undefined),
    (x) => game.think(state, { signal: x })],
  "game.think progress": [[5, null, "text", {}], (x) => game.think(state, { progress: x })],
  "game.players": [[...objects.filter((x) => x !== undefined), { num_players: 77 }],
    (x) => game.players(x)],
  ...Object.fromEntries(["text", "picture", "headline", "choices"].flatMap((what) => [
    [`game.${what}`, [[...objects, [], {}, { game }, other.deal(), state.toJson()],
      (x) => game[what](x, 0)]],
    [`game.${what} seat`, [[...numbers, undefined, -2, 99, 2, -1, 1],
      (x) => game[what](state.view(0), x)]],
    [`game.${what} settings`, [settings, (x) => game[what](state.view(0), 0, x)]],
    [`game.${what} names`, [names, (x) => game[what](state.view(0), 0, { names: x })]],
  ])),
  "game.picture theme": [choices, (x) => game.picture(state.view(0), 0, { theme: x })],
  "game.picture layout": [choices, (x) => game.picture(state.view(0), 0, { layout: x })],
  "game.choose settings": [settings, (x) => game.choose(state, "random", x)],
  "game.evaluate": [states, (x) => game.evaluate(x)],
  "game.evaluate seat": [anySeat, (x) => game.evaluate(state, { seat: x })],
  "game.evaluate settings": [settings, (x) => game.evaluate(state, x)],
  "game.label": [actions, (x) => game.label(x)],
  "game.label seat": [[...numbers, null, -2, 99], (x) => game.label(0, { seat: x })],
  "game.label numPlayers": [[...numbers, null, 0, 99], (x) => game.label(0, { numPlayers: x })],
  "game.label settings": [settings, (x) => game.label(0, x)],
  "game.guide": [[...objects.filter((x) => x !== undefined), { num_players: 77 }, { cheating: 1 },
    { num_players: Symbol("one") }], (x) => game.guide("", x)],
  "game.guide page": [objects.filter((x) => typeof x !== "string"), (x) => game.guide(x)],
  "game.fromBytes": [[null, undefined, 5, "text", before.slice(1), [...before], before.buffer],
    (x) => game.fromBytes(x)],
  "game.fromJson": [[null, undefined, 5, "text", [], {}, Symbol("one"), () => 0, 0n],
    (x) => game.fromJson(x)],
  "game.batch": [[...numbers, null, undefined, 0, -1, 2 ** 31 - 1], (x) => game.batch(x)],
  "game.batch options": [[...objects, { cheating: 1 }], (x) => game.batch(2, x)],
  "game.batch seed": [seeds, (x) => game.batch(2, {}, x)],
  "game.batch settings": [settings, (x) => game.batch(2, {}, 0, x)],
  "game.batch reward": [choices, (x) => game.batch(2, {}, 0, { reward: x })],
  "game.batch observations": [choices, (x) => game.batch(2, {}, 0, { observations: x })],
  "batch.state": [[...numbers, null, undefined, -1, 2], (x) => batch.state(x)],
  "game.loadPolicy": [[null, undefined, 5, {}, [], true, Symbol("one"), new Uint8Array(3),
    new Float64Array(30), new ArrayBuffer(0), game.module], (x) => game.loadPolicy(x)],
  "game.next": [[null, undefined, 5, "text", [], {}, Symbol("one"), { ...json, over: true }],
    (x) => game.next(x, state.toMove, chosen)],
  "game.next seat": [[...anySeat, undefined, -1, 1 - state.toMove],
    (x) => game.next(json, x, chosen)],
  "game.next action": [actions, (x) => game.next(json, state.toMove, x)],
  "game.first": [objects.filter((x) => x !== undefined), (x) => game.first(x)],
  "game.first seed": [seeds, (x) => game.first({}, x)],
  "log.seen": [seats, (x) => state.log().seen(x)],
  "game.choose view": [[{}, { game: "go_dig" }, json], (x) => game.choose(x, "random", { seat: 0 })],
  "game.choose seat of a view": [seats, (x) => game.choose(state.view(0), "random", { seat: x })],
  "game.next names": [names, (x) => game.next(json, state.toMove, chosen, { names: x })],
  "game.next settings": [settings, (x) => game.next(json, state.toMove, chosen, x)],
  "game.ready": [[5, null, "oracle", "best:sample", {}, "random:sample"], (x) => game.ready(x)],
  "game.ready options": [objects.filter((x) => x !== undefined), (x) => game.ready("best", x)],
  "game.policyFits": [states, (x) => game.policyFits(x)],
  "load": [[null, 5, {}, [], true, Symbol("one"), new Uint8Array(9), "http://[", "./no.wasm", "http://localhost:1",
    new Response("", { status: 404 }), nothing, await WebAssembly.compile(nothing)],
    (x) => load(x)],
};

const wrong = [];
let count = 0;
for (const [name, [values, call]] of Object.entries(calls)) {
  for (const value of values) {
    count++;
    let came = "nothing";
    let words = "";
    try {
      await call(value);
    } catch (error) {
      came = error.constructor.name;
      words = String(error.message);
      if (error instanceof GameError && words && words.length < 400 && Number.isInteger(error.code))
        came = "";
    }
    const same = Buffer.compare(Buffer.from(before), Buffer.from(state.bytes)) === 0
      && game.choose(state) === chosen && log.length === 0;
    if (came || !same) {
      const shown = Object(value) === value ? `${typeof value}` : String(value);
      wrong.push(`${name}(${shown.slice(0, 40)}): ${came || "changed"} ${words.slice(0, 100)}`);
    }
  }
}
console.log(JSON.stringify({ wrong, count }));
