// Tries what is to be refused, and prints for each the error's code and words, or null if there was
// none; of lists of names, which are taken. node refusals.mjs MODULE.js WEIGHTS NAMES
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [modulePath, weightsPath, lists] = process.argv.slice(2);
const { GameError, load } = await import(pathToFileURL(modulePath));
const game = await load();
const weights = await readFile(weightsPath);
const state = game.deal({ numPlayers: 2 }, 7n);
const before = state.bytes;
const illegal = state.mask().indexOf(0);
const found = {};

async function tried(name, run) {
  try {
    await run();
    found[name] = null;
  } catch (error) {
    found[name] = { code: error.code ?? null, words: error.message, kind: error.constructor.name };
  }
  found[name] &&= {
    ...found[name],
    unchanged: Buffer.compare(Buffer.from(before), Buffer.from(state.bytes)) === 0
  };
}

// A copy of the weights with other bytes from a place on.
function changed(place, ...bytes) {
  const copy = Buffer.from(weights);
  copy.set(bytes, place);
  return copy;
}

// A copy of the weights with another 64-bit number at a place, and with the checksum that belongs
// to it.
const HEAD = 160;
function consistent(place, number) {
  const copy = Buffer.from(weights);
  copy.writeBigInt64LE(BigInt(number), place);
  let sum = 0xcbf29ce484222325n;
  for (let k = HEAD; k < copy.length; k += 8)
    sum = BigInt.asUintN(64, (sum ^ copy.readBigUInt64LE(k)) * 0x100000001b3n);
  copy.writeBigUInt64LE(sum, 32);
  return copy;
}
const heads = HEAD + 80 * Number(weights.readBigInt64LE(48));
const relu = HEAD + 8 * 9; // of the first step

await tried("illegal action", () => state.apply(illegal));
await tried("illegal action, C", () => {
  const code = game.exports.apply(game._enter(state), state.toMove, illegal);
  game._check(code);
});
await tried("action beyond the list",
  () => game._check(game.exports.apply(game._enter(state), state.toMove, game.actions.length)));
await tried(
  "negative action", () => game._check(game.exports.apply(game._enter(state), state.toMove, -1)));
await tried("seat that waits",
  () => game._check(game.exports.apply(game._enter(state), 1 - state.toMove, illegal)));
await tried("no such seat", () => state.observe(2));
await tried("returns before the end", () => state.returns);
await tried("unknown option", () => game.deal({ cheating: true }));
await tried("bad value", () => game.deal({ numPlayers: 77 }));
await tried("null value", () => game.deal({ numPlayers: null }));
await tried("no seed", () => game.deal({}, "seven"));
await tried("unknown player", () => game.choose(state, "oracle"));
await tried("unknown setting", () => game.choose(state, "search:luck=1"));
await tried("bad setting", () => game.choose(state, "search:sims=0"));
await tried("given twice", () => game.choose(state, "search:sims=5:sims=6"));
await tried("needs a policy", () => game.choose(state, "search:sims=5:guide=policy"));
await tried("needs a guide", () => game.choose(state, "search:sims=5:playout=none"));
await tried("no weights", () => game.loadPolicy(new Uint8Array(200)));
await tried("empty weights", () => game.loadPolicy(new Uint8Array(0)));
await tried("short weights", () => game.loadPolicy(weights.subarray(0, weights.length - 8)));
await tried("head alone", () => game.loadPolicy(weights.subarray(0, 64)));
await tried("other version", () => game.loadPolicy(changed(8, 99)));
await tried("other game", () => game.loadPolicy(changed(16, 1, 2, 3)));
await tried("damaged weights", () => game.loadPolicy(changed(weights.length - 100, 1, 2, 3, 4)));
await tried("damaged head", () => game.loadPolicy(changed(56, 255, 255)));
await tried(
  "consistent weights", () => game.loadPolicy(consistent(relu, weights.readBigInt64LE(relu))));
await tried("unknown step", () => game.loadPolicy(consistent(HEAD, 8)));
await tried(
  "step beyond the weights", () => game.loadPolicy(consistent(HEAD + 8 * 5, weights.length / 4)));
await tried("step beyond the memory", () => game.loadPolicy(consistent(HEAD + 8 * 8, 1 << 29)));
await tried("negative place", () => game.loadPolicy(consistent(HEAD + 8 * 4, -1)));
await tried("head beyond the memory", () => game.loadPolicy(consistent(heads + 8, 1 << 29)));
await tried(
  "head beyond the weights", () => game.loadPolicy(consistent(heads + 16, weights.length / 4)));
for (const player of ["policy", "search:sims=5:guide=policy"])
  await tried(`${player} in games that it was not trained for`,
    () => game.choose(game.deal({ maxTurns: 100 }, 1), player));
await tried("games beyond the file", () => game.loadPolicy(changed(72, 255, 255, 255)));
await tried("short state", () => game.fromBytes(before.subarray(1)));
await tried("no state", () => game.fromBytes(new Uint8Array(before.length)));
const position = state.toJson();
await tried("position: nothing", () => game.fromJson(undefined));
await tried("position: list", () => game.fromJson([position]));
await tried("position: text", () => game.fromJson(JSON.stringify(position)));
await tried("position: deep",
  () => game.fromJson({...position, hands: JSON.parse("[".repeat(5000) + "]".repeat(5000)) }));
await tried("position: of another game", () => game.fromJson({ ...position, game: "oak_island" }));
await tried("position: without a key", () => game.fromJson({ ...position, pile: undefined }));
await tried("position: a view", () => game.fromJson(state.view(1)));
await tried("position: what everybody may know", () => game.next(state.view(null), 0, 0));
await tried("position: null", () => game.fromJson({ ...position, phase: null }));
await tried("position: a card twice",
  () => game.fromJson({...position, pile: [...position.pile, position.pile[0]] }));
await tried("position: a key of objects",
  () => game.fromJson(
    JSON.parse(JSON.stringify(position).replace("{", '{"__proto__": {"over": 1}, '))));
await tried("position: none from a complete position", () => game.fromView(position, 0, 1));
await tried("position: none from a view of another seat",
  () => game.fromView(state.view(1), 0, 1));
await tried("position: none from a deep view", () => game.fromView(
  {...state.view(0), pile: JSON.parse("[".repeat(5000) + "]".repeat(5000)) }, 0, 1));
await tried("position: none from a key of objects",
  () => game.fromView(
    JSON.parse(JSON.stringify(state.view(0)).replace("{", '{"__proto__": {"over": 1}, ')), 0, 1));
await tried("view for a seat that is not in the game", () => game.fromView(state.view(0), 2, 1));
await tried("view of no seat", () => state.view(2));
await tried("name twice", () => state.text(0, { names: ["Ann", "Ann"] }));
await tried("theme", () => state.picture(0, { theme: "blue" }));
await tried("log: illegal", () => state.log().play(illegal));
await tried("weights", () => game.loadPolicy(weights));
await tried("legal action", () => state.copy().apply(state.legal()[0]));

function isTaken(names) {
  try {
    const text = state.text(null, { names });
    return names.every((name) => text.includes(name));
  } catch (error) {
    if (!(error instanceof GameError) || error.code !== -18) throw error;
    return false;
  }
}
const { taken, refused } = JSON.parse(lists);
console.log(JSON.stringify({
  found,
  state: Buffer.from(before).toString("hex"),
  taken: taken.map(isTaken),
  refused: refused.map(isTaken)
}));
