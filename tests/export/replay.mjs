// Plays episodes in an exported game and prints a SHA-256 of all that comes out of each: what
// traces.py does in Python. node replay.mjs MODULE.js PLAN.json [WEIGHTS [WASM.js]]
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [modulePath, planPath, weightsPath, textPath] = process.argv.slice(2);
const { load } = await import(pathToFileURL(modulePath));
const plan = JSON.parse(await readFile(planPath, "utf-8"));
const game = await load(textPath && (await import(pathToFileURL(textPath))).default);
if (weightsPath) await game.loadPolicy(pathToFileURL(weightsPath));
const results = [];

// The guide of Python's own search is not asked for.
const withGuide = (search) => (search.includes("guide=") ? search : `${search}:guide=none`);

for (const episode of plan) {
  const hash = createHash("sha256");
  const add = (array) => hash.update(
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  const number = (value) => add(Int32Array.of(value));
  game.seedRandom(BigInt(episode.generator));
  const state = game.deal(episode.options, BigInt(episode.seed));
  let steps = 0;
  for (; steps < episode.most && !state.over; steps++) {
    const seat = state.toMove;
    const before = state.bytes;
    add(state.mask());
    if (steps % 32 === 0) game.memory.grow(1); // as a search may let it
    add(state.observe());
    if (episode.with_state) add(before);
    let action = game.choose(state, "random");
    number(action);
    if (steps % episode.scripted_every === 0) {
      const scripted = game.choose(state, "heuristic");
      number(scripted);
      if (Math.floor(steps / episode.scripted_every) % 2 === 0) action = scripted;
    }
    if (steps % 32 === 0) {
      for (let p = 0; p < state.numPlayers; p++) {
        const other = state.copy().determinize(p, BigInt(steps));
        add(other.bytes);
        add(state.observe(p));
        add(state.mask(p));
      }
    }
    if (episode.search && steps % episode.search_every === 0) {
      const chosen = game.choose(state, withGuide(episode.search));
      number(chosen);
      if (steps % (2 * episode.search_every) === 0) action = chosen;
    }
    if (episode.policy) number(game.choose(state, episode.policy));
    state.apply(action, seat);
  }
  add(state.bytes);
  add(state.scores);
  if (state.over) add(state.returns);
  results.push({ steps, over: state.over, sha256: hash.digest("hex") });
}
console.log(JSON.stringify(results));
