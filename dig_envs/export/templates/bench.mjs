// What bench.c measures, in Node, and the same through the module's own State. node bench.mjs SECONDS GAMES
import { load } from "./@NAME@.js";

const [seconds, games] = [Number(process.argv[2] ?? 1), Number(process.argv[3] ?? 1024)];
const game = await load();
const numActions = game.actions.length;
const { deal, default_options, legal, play, to_move } = game.exports;
const BETWEEN = 4096; // actions between looks at the clock, which take time themselves
let seed = 0n;
let random = 1;

function now() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function draw(count) {
  random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
  return Math.floor((random / 4294967296) * count);
}

function rawGame(time) {
  const [state, options, mask, list] = [game._slot, game._numbers, game._mask, game._list];
  game._leave();
  default_options(options);
  let count = 0;
  const started = now();
  deal(state, options, seed++);
  const listed = new Int32Array(game.memory.buffer, list, numActions);
  let choices = legal(state, to_move(state), mask, list);
  while (count % BETWEEN || now() - started < time) {
    choices = play(state, to_move(state), listed[draw(choices)], mask, list);
    if (choices === 0) {
      deal(state, options, seed++);
      choices = legal(state, to_move(state), mask, list);
    }
    count++;
  }
  return count / (now() - started);
}

function moduleGame(time) {
  let count = 0;
  const started = now();
  const state = game.deal({}, seed++);
  while (count % BETWEEN || now() - started < time) {
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
