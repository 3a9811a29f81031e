// Positions of @TITLE@ as JSON and in words, for programs in C: words.c runs this in QuickJS. It
// gives the global functions `rules` and `memory`, in which lie, one after the other, room for
// events, with the state behind them, for facts, and for a mask.

import description from "./description.js";
import { Log, Positions } from "./positions.js";

const { rules, memory } = globalThis;
const STATE_SIZE = description.state_size;
const SLOT = @LISTENING_SIZE@ - STATE_SIZE;
const [FACTS, MASK] = [@FACTS_PLACE@, @MASK_PLACE@];
const FIELDS = new Map(description.state.map((field) => [field.name, field]));
const LONGEST_SHOWN = 60;

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
  _check(code) {
    if (code < 0) throw new Refused("there is no memory left", code);
    return code;
  },
};
const positions = new Positions(game, description, (words, code) => new Refused(words, code), shown);
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
    new Uint8Array(memory, SLOT, STATE_SIZE).set(this.bytes);
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
// texts, or the bytes of a new state.
const asked = {
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
  play(text, seat, action, viewer) {
    const state = new State();
    const log = new Log(positions, state, positions._names(names)).play(Number(action), seat);
    const events = JSON.stringify(log.told(viewer));
    new Uint8Array(memory, SLOT, STATE_SIZE).set(state.bytes);
    return events;
  },
};

globalThis.ask = (what, text, seat, number, viewer) => {
  try {
    const found = asked[what](text, seat < 0 ? null : seat, number, viewer < 0 ? null : viewer);
    if (typeof found === "string") return { code: 0, text: found };
    new Uint8Array(memory, SLOT, STATE_SIZE).set(found);
    return { code: 0, text: "" };
  } catch (error) {
    if (error instanceof Refused) return { code: error.code, text: error.message };
    throw error;
  }
};
