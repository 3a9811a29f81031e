// Positions of @TITLE@ as JSON and in words, and players by name, for programs in C: words.c runs
// this in QuickJS. It gives the global functions `rules` and `askRules`, and `memory`, in which lie,
// one after the other, room for events, with the state behind them, for facts, and for a mask.

import description from "./description.js";
import { Players, signs, toText } from "./players.js";
import { Log, Positions } from "./positions.js";

const { rules, askRules, memory } = globalThis;
const STATE_SIZE = description.state_size;
const SLOT = @LISTENING_SIZE@ - STATE_SIZE;
const [FACTS, MASK] = [@FACTS_PLACE@, @MASK_PLACE@];
const NUM_ACTIONS = description.actions.length;
const FIELDS = new Map(description.state.map((field) => [field.name, field]));
const LONGEST_SHOWN = 60;
const POLICY_STRUCT = 256; // bytes
const PLAYER_MEMORY = @PLAYER_MEMORY@;
// what `askRules` is asked
const [ERROR, MASK_OF, GRAVE, SCRIPTED, STYLED, REMEMBER, OPEN, POLICY, SETTLE, SEARCH]
  = Array(10).keys();

class Refused extends Error {
  constructor(words, code) {
    super(words);
    this.code = code;
  }
}

function shown(value) {
  return String(value).slice(0, LONGEST_SHOWN);
}

// for the generator of a position that comes without
globalThis.crypto = {
  getRandomValues(words) {
    const half = () => BigInt(Math.floor(Math.random() * 2 ** 32));
    words[0] = (half() << 32n) | half();
    return words;
  },
};

// What positions.js knows as the game: of the functions of the library those that it calls.
const NAMES = ["derive", "inspect", "mask", "apply_unchecked", "determinize"];
const game = {
  memory: { buffer: memory },
  exports: Object.fromEntries(
    NAMES.map((name, kind) => [name, (place, a, b) => rules(kind, a, b)])),
  actions: description.actions,
  _slot: SLOT,
  _listening: 0,
  _mask: MASK,
  _take: () => FACTS,
  _leave() {},
  _check(code, about = "") {
    if (code < 0) throw new Refused(about + askRules(ERROR, code), code);
    return code;
  },
  // What players.js asks.
  _maskOfMover(state, seat) {
    const mask = new Int8Array(NUM_ACTIONS);
    if (asked(state, MASK_OF, seat, mask.buffer) === 0) this._check(-3);
    return mask;
  },
  _grave(state, seat) {
    const kinds = new Int8Array(NUM_ACTIONS);
    asked(state, GRAVE, seat, kinds.buffer);
    return kinds;
  },
  _scripted: (state, seat) => asked(state, SCRIPTED, seat),
  _styled: (state, seat, weights) => asked(state, STYLED, seat, Float64Array.from(weights).buffer),
  _settled: (state, seat, action, mistaken, draw) => asked(
    state, SETTLE, seat, Float64Array.of(action, mistaken, draw).buffer),
  _fromMemory(state, seat, numbers) {
    asked(state, REMEMBER, seat, numbers.buffer);
    return this._check(askRules(SCRIPTED, seat)); // in the position that is left by this
  },
  _policyChoice: (state, seat, { struct }, numbers) => (
    asked(state, POLICY, seat, undefined, struct, numbers.buffer)),
  _evaluate(state, seat, { struct }, numbers) {
    const logits = new Float32Array(NUM_ACTIONS);
    asked(state, POLICY, seat, logits.buffer, struct, numbers.buffer);
    return { logits };
  },
};
const refuse = (words, code) => new Refused(words, code);
const positions = new Positions(game, description, refuse, shown);

function enter({ bytes }) {
  new Uint8Array(memory, SLOT, STATE_SIZE).set(bytes);
}

function asked(state, kind, seat, ...given) {
  enter(state);
  return game._check(askRules(kind, seat, ...given));
}

class OwnPlayers extends Players {
  // All at once: the library looks at the clock itself.
  * _searching(state, { settings, guide, ms, seed: own }, seat, seed) {
    const parts = ["search", settings, guide && "guide=policy", ms && `ms=${ms}`,
      own === undefined && `seed=${seed}`];
    const policy = guide ? this.policy(guide).struct : undefined;
    const text = parts.filter(Boolean).join(":");
    enter(state);
    return [game._check(askRules(SEARCH, seat, undefined, policy, text), `${text}: `)];
  }
}

const players = new OwnPlayers(game, refuse, shown);
let names = [];

class State {
  constructor() {
    this.game = game;
    this.bytes = new Uint8Array(memory, SLOT, STATE_SIZE).slice();
  }
  _field(name) {
    const { offset, shape } = FIELDS.get(name);
    return new Int8Array(this.bytes.buffer, offset, shape[0] ?? 1);
  }
  get numPlayers() {
    return this._field("num_players")[0];
  }
  get mustDecide() {
    return [...this._field("owes").keys()].filter((seat) => this._field("owes")[seat] !== 0);
  }
  legal(seat) {
    return positions._legal(this, positions._seat(this, seat));
  }
  _applyTelling(action, seat) {
    if (!this.legal(seat).includes(action))
      throw new Refused("the action is not legal for the seat now", -1);
    enter(this);
    game._check(rules(NAMES.length, seat, action));
    this.bytes = new Uint8Array(memory, SLOT, STATE_SIZE).slice();
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refused(`this is no JSON: ${error.message}`, -20);
  }
}

// What the library asks for, by its names there; with the state in its place in memory. They return
// texts, the bytes of a new state, or an action and what the player remembers.
const answers = {
  to_json: () => JSON.stringify(positions.toJson(new State())),
  view: (_, seat) => JSON.stringify(positions.view(new State(), seat)),
  text: (_, seat) => positions.text(new State(), seat, names),
  headline: (_, seat) => positions.headline(new State(), seat, names),
  picture: (look, seat) => positions.picture(new State(), seat, ...look.split(" "), names),
  choices: (_, seat) => JSON.stringify(positions.choices(new State(), seat, names)),
  from_json: (text) => positions.fromJson(parsed(text)),
  from_view: (text, seat, seed) => positions.fromView(parsed(text), seat, seed),
  too_long() {
    throw new Refused("this is longer than any position", -20);
  },
  names(text) {
    const given = parsed(text);
    positions._names(given);
    names = given;
    return "";
  },
  load_policy(text, seat, number, viewer, weights) {
    const struct = new ArrayBuffer(POLICY_STRUCT);
    const remembers = game._check(askRules(OPEN, 0, weights, struct));
    if (toText(new Float32Array(remembers)).length >= PLAYER_MEMORY)
      throw new Refused("this policy remembers more than memories have room for here: export the "
        + "game with it", -11);
    players.take({ struct, remembers }, new Uint8Array(weights));
    return "";
  },
  players: () => JSON.stringify(players.names(positions.optionsOf(new State()))),
  choose(name, seat, seed, viewer, remembered) {
    const state = new State();
    const memory = remembered && signs(new Uint8Array(remembered));
    const player = players.parse(name, () => positions.optionsOf(state));
    const { value } = players.asked(state, player, positions._seat(state, seat), seed, memory).next();
    return { code: value.action, text: value.memory };
  },
  play(text, seat, action, viewer) {
    const state = new State();
    const log = new Log(positions, state, positions._names(names)).play(Number(action), seat);
    const events = JSON.stringify(log.told(viewer));
    enter(state);
    return events;
  },
};

globalThis.ask = (what, text, seat, number, viewer, given) => {
  try {
    const found = answers[what](
      text, seat < 0 ? null : seat, number, viewer < 0 ? null : viewer, given);
    if (typeof found === "string") return { code: 0, text: found };
    if (!(found instanceof Uint8Array)) return found;
    enter({ bytes: found });
    return { code: 0, text: "" };
  } catch (error) {
    if (error instanceof Refused) return { code: error.code, text: error.message };
    throw error;
  }
};
