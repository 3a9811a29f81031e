// Plays @TITLE@ for play.js, in a thread of its own: the game, the other players, what has
// happened, and how to go back.

import { advise } from "../advice.js";
import { load } from "../@NAME@.js";
import guide from "../guide.js";
import settings from "./settings.js";

const PERSON = "human"; // in the place of a player
const PAUSE = 350; // milliseconds after an action of another player, so that one can follow

let game = null;
let table = null; // the game that is played
const waiting = []; // messages, carried out one after the other
let busy = false;

onmessage = ({ data }) => {
  waiting.push(data);
  if (!busy) work();
};

async function work() {
  busy = true;
  while (waiting.length) {
    const message = waiting.shift();
    try {
      game ??= await load();
      await does[message.do](message);
    } catch (error) {
      postMessage({ type: "error", message: error.message });
    }
  }
  busy = false;
}

const does = {
  new: ({ options, seed, seat, players, names, look }) => begin(
    game.deal(options, seed), { seat, players, names, look }),
  open: ({ position, seat, players, names, look }) => begin(
    game.fromJson(position), { seat, players, names, look }),
  resume: ({ position, look, ...kept }) => begin(game.fromJson(position), { ...kept, look }),
  act: ({ action }) => act(action),
  back: () => goBack(),
  hint: () => hint(),
  look: ({ look }) => {
    table.look = look;
    show();
  },
  save: () => postMessage({ type: "saved", position: table.state.toJson() }),
  players: ({ options }) => postMessage({ type: "players", names: game.players(options) }),
  guide: ({ options, language }) => postMessage(
    { type: "guide", lines: game.guide(settings.guides[language] || guide, options) }),
};

async function begin(state, { seat, players, names, look, moves = [], memories }) {
  if (seat >= state.numPlayers) throw new Error(`this game has ${state.numPlayers} players`);
  const own = names.slice(0, state.numPlayers);
  const first = {
    position: state.toJson(), // where it begins
    state,
    log: state.log({ names: own }),
    seat,
    players,
    names: own,
    look,
    memories: players.map(() => ""), // what players remember, by seat; of the person, for hints
    version: 0,
    lines: 0,
    moves: []
  };
  // before the game begins; a saved game may have options that a policy was not trained for
  const fitting = game.players(state.view().options);
  for (const player of players.slice(0, state.numPlayers)) {
    if (player === PERSON) continue;
    if (player.includes("/") && !fitting.includes(player))
      throw new Error(`${player} was not trained for these options`);
    await game._load(game._parsed(state, player));
  }
  for (const { action, memories: before } of moves) note(first, action, before); // once more
  if (memories) first.memories = memories;
  table = first;
  postMessage({ type: "log", from: 0, lines: [] });
  await goOn();
}

// Let the others play until it is the person's turn.
async function goOn() {
  const own = table;
  show();
  while (!own.state.over && own.state.toMove !== own.seat) {
    const seat = own.state.toMove;
    const player = own.players[seat];
    postMessage({ type: "thinking", seat });
    const began = performance.now();
    const memory = own.memories[seat];
    // the page offers "best" as a level, so it does nothing grave either
    const name = player === "best" ? settings.partner : player;
    const chosen = game.choose(own.state, name, { seat, memory, neverGrave: player === "best" });
    const rest = PAUSE - (performance.now() - began);
    if (rest > 0 && own.state.mustDecide.length < 2)
      await new Promise((done) => setTimeout(done, rest));
    play(chosen.action);
    own.memories[seat] = chosen.memory;
    show();
  }
}

function play(action) {
  const { state, memories, seat } = table;
  [, memories[seat]] = game._players.hinting(state, seat, memories[seat]);
  note(table, action, [...memories]);
}

// Carry out an action; what was before it is kept.
function note(own, action, memories) {
  const { state, log } = own;
  own.moves.push({
    action,
    bytes: state.bytes,
    rows: log.length,
    decider: state.toMove,
    memories,
  });
  log.play(action);
  own.version += 1;
}

// What the page keeps of the game, for `resume`.
function kept() {
  const { position, seat, players, names, moves, memories } = table;
  return { position, seat, players, names, memories,
    moves: moves.map(({ action, memories: before }) => ({ action, memories: before })) };
}

async function act(action) {
  if (table.state.over || table.state.toMove !== table.seat) throw new Error("it is not your turn");
  play(action);
  await goOn();
}

async function goBack() {
  const at = table.moves.findLastIndex((move) => move.decider === table.seat);
  if (at < 0) throw new Error("you have not done anything yet");
  const { bytes, rows, memories } = table.moves[at];
  table.moves.length = at;
  table.memories = memories;
  table.state = game.fromBytes(bytes);
  table.log.goBack(table.state, rows);
  table.version += 1;
  await goOn();
}

function hint() {
  const { state, seat, names } = table;
  const [player, memory] = game._players.hinting(state, seat, table.memories[seat]);
  const moves = advise(game, state, { seat, player, memory, names })
    .map(({ label, ...move }) => ({ ...move, text: label }));
  postMessage({ type: "advice", moves, at: table.version });
}

// Tell the page where the game stands, and what has happened since it was told last.
function show() {
  const { state, log, seat, players, names, look } = table;
  const asked = !state.over && state.toMove === seat;
  const all = log._lines(seat);
  const lines = all.map(({ seat: about, text, things }, decision) => (
                          { seat: about ?? -1, words: text, things, turn: 0, decision }));
  postMessage({
    type: "log",
    from: Math.min(table.lines, lines.length),
    lines: lines.slice(Math.min(table.lines, lines.length))
  });
  table.lines = lines.length;
  const deciding = state.mustDecide;
  const view = state.view(seat);
  postMessage({
    type: "position",
    version: table.version,
    env: game.description.environment,
    title: game.description.title,
    cooperative: game.description.cooperative,
    by_score: state.over
      && (settings.score_decides || (view.truncated && view.winners.length > 0)),
    seat,
    over: state.over,
    together: deciding.length > 1,
    seats: players.slice(0, state.numPlayers).map((player, number) => ({
      name: names[number] ?? `Player ${number + 1}`,
      player,
      score: state.scores[number],
      asked: deciding.includes(number),
    })),
    won: view.winners,
    turn: view.turn,
    phase: view.phase,
    options: view.options,
    headline: state.headline(seat, { names }),
    text: state.text(seat, { names }),
    picture: state.picture(seat, { ...look, names }),
    legal: asked ? state.choices({ seat, names }) : [],
    back: table.moves.some((move) => move.decider === seat),
    kept: kept(),
  });
}
