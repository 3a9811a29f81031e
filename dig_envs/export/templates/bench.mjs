// What bench.c measures, in Node, and the same through the module's own State. node bench.mjs SECONDS GAMES
import { load } from "./@NAME@.js";

const [seconds, games] = [Number(process.argv[2] ?? 1), Number(process.argv[3] ?? 1024)];
const game = await load();
const numActions = game.actions.length;
const now = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
const { deal, default_options, mask, to_move, apply_unchecked, over } = game.exports;
let seed = 0n;
let random = 1;

function draw(legal) {
  random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
  return Math.floor((random / 4294967296) * legal);
}

function rawGame(time) {
  const [state, options, place] = [game._slot, game._numbers, game._mask];
  game._leave();
  default_options(options);
  let count = 0;
  const started = now();
  deal(state, options, seed++);
  const bytes = new Uint8Array(game.memory.buffer, place, numActions);
  while (count % 256 || now() - started < time) {
    const seat = to_move(state);
    let left = draw(mask(state, seat, place));
    let action = 0;
    while (!bytes[action] || left-- > 0) action++;
    apply_unchecked(state, seat, action);
    if (over(state)) deal(state, options, seed++);
    count++;
  }
  return count / (now() - started);
}

function moduleGame(time) {
  let count = 0;
  const started = now();
  const state = game.deal({}, seed++);
  while (count % 256 || now() - started < time) {
    state.apply(state.legalAt(draw(state.countLegal())));
    if (state.over) game.deal({}, seed++, state);
    count++;
  }
  return count / (now() - started);
}

function manyGames(batch, time) {
  let count = 0;
  const started = now();
  while (now() - started < time) {
    batch.sampleActions();
    batch.step();
    count += batch.size;
  }
  return count / (now() - started);
}

const batch = game.batch(games);
const measurements = [rawGame, moduleGame, (time) => manyGames(batch, time)];
for (const run of measurements) run(seconds / 4);
console.log(measurements.map((run) => run(seconds).toFixed(0)).join(" "));
