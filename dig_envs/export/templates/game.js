// The game @TITLE@, for @NAME@.js and thinker.js, which say where the other files are. The types and
// what each function does are in @NAME@.d.ts.

import description from "./description.js";
import { Players, toText } from "./players.js";
import { Log, Positions } from "./positions.js";
import { KINDS } from "./python.js";

const NAME = "@NAME@";
const FILES = "node:fs/promises";
const { state_size: STATE_SIZE,
  observation_size: OBSERVATION_SIZE,
  max_players: MAX_PLAYERS } = description;
const LISTENING_SIZE = @LISTENING_SIZE@;
const NUM_ACTIONS = description.actions.length;
// bytes, as many as are needed or more
const [SETTINGS_STRUCT, POLICY_STRUCT, BATCH_STRUCT] = [128, 256, 256];
const FIELDS = new Map(description.state.map((field) => [field.name, field]));

/** What is refused; `code` is the number of the error in the header of the C library. */
export class GameError extends Error {
  constructor(message, code) {
    super(message);
    this.name = "GameError";
    this.code = code;
  }
}

export { description, Log };

const LONGEST_SHOWN = 60;

// What was given, as it is shown in messages.
function shown(value) {
  let text = `a ${typeof value}`;
  try {
    text = typeof value === "string" ? JSON.stringify(value) : String(value);
  } catch {
    // an object that is no text
  }
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

// Whether WebAssembly takes a value as the same number: of others, such as 1.5, "0" or 2**32, it
// would make one.
function isInteger(value) {
  return typeof value === "number" && value === (value | 0);
}

// A seat, or -1 for nobody; whether the game in play has it, the compiled code knows.
function seatOf(seat, numPlayers = MAX_PLAYERS) {
  if (!isInteger(seat) || seat < -1 || seat >= numPlayers)
    throw new GameError(`there is no seat ${shown(seat)} in this game`, -2);
  return seat;
}

// A seat that sees, or null for what everybody may know.
function viewerOf(seat) {
  if (seat === null) return null;
  if (seatOf(seat) < 0) throw new GameError("there is no seat -1 in this game", -2);
  return seat;
}

const PICTURE = { theme: "light", layout: "wide", names: undefined };

// The settings of a call, with the usual values of those that are not given.
function settingsOf(given, usual) {
  const settings = { ...usual };
  if (given === undefined) return settings;
  if (given === null || typeof given !== "object")
    throw new GameError(`settings are an object, not ${shown(given)}`, -18);
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(usual, name))
      throw new GameError(
        `there is no setting ${shown(name)}, but ${Object.keys(usual).join(", ")}`, -18);
    if (value !== undefined) settings[name] = value;
  }
  return settings;
}

async function contentOf(source) {
  if (source instanceof WebAssembly.Module || source instanceof ArrayBuffer
    || ArrayBuffer.isView(source))
    return source;
  const given = await source;
  if (ArrayBuffer.isView(given) || given instanceof ArrayBuffer) return given;
  if (typeof Response !== "undefined" && given instanceof Response) return bodyOf(given);
  if (typeof given !== "string" && !(given instanceof URL))
    throw new GameError(`a file is an address or its content, not ${shown(given)}`, -18);
  const url = urlOf(given);
  let answer;
  try {
    if (url.protocol === "file:") {
      // bundlers for browsers have no such module, and leave an import alone whose name they do not
      // know
      const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ FILES);
      return await readFile(url);
    }
    answer = await fetch(url);
  } catch (error) {
    throw new GameError(`${url} cannot be read: ${error.message}`, 0);
  }
  return bodyOf(answer);
}

// Relative to this module; in a bundle that is no module, relative to the page.
function urlOf(given) {
  try {
    return new URL(given, import.meta.url ?? globalThis.location?.href);
  } catch {
    throw new GameError(`there is no file at ${shown(given)}`, -18);
  }
}

async function bodyOf(answer) {
  if (!answer.ok) {
    const { url, status, statusText } = answer;
    throw new GameError(`${url} cannot be read: ${status} ${statusText}`, 0);
  }
  return answer.arrayBuffer();
}

// The module of this game, compiled; nothing of another one is run.
async function moduleOf(content) {
  let module = content;
  try {
    if (!(content instanceof WebAssembly.Module)) module = await WebAssembly.compile(content);
  } catch (error) {
    throw new GameError(`this is no ${NAME}.wasm: ${error.message}`, -18);
  }
  if (!WebAssembly.Module.exports(module).some(({ name }) => name === `${NAME}_deal`))
    throw new GameError(`this is the WebAssembly of something else, not ${NAME}.wasm`, -18);
  return module;
}

/** The game in a file of WebAssembly, or in its content; `thinker` starts a worker. */
export async function open(source, thinker = null) {
  const module = await moduleOf(await contentOf(source));
  const instance = await WebAssembly.instantiate(module, {});
  instance.exports._initialize?.();
  return new Game(instance, module, thinker);
}

function seedOf(seed) {
  if (typeof seed !== "bigint" && !Number.isSafeInteger(seed))
    throw new GameError(`a seed must be an integer, not ${shown(seed)}`, -18);
  const number = BigInt(seed);
  if (number < -(2n ** 63n) || number >= 2n ** 64n)
    throw new GameError(`a seed must be from -2**63 to 2**64 - 1, not ${shown(seed)}`, -18);
  return BigInt.asUintN(64, number);
}

export class Game {
  constructor(instance, module, thinker) {
    this.module = module;
    this._thinker = thinker;
    this._idle = []; // workers that wait for something to think about
    this.exports = Object.fromEntries(
      Object.entries(instance.exports).map(([name,
        value]) => [name.startsWith(`${NAME}_`) ? name.slice(NAME.length + 1) : name, value]),
    );
    this.memory = instance.exports.memory;
    this._listening = this._take(LISTENING_SIZE); // room for events, with the state behind it
    this._slot = this._listening + LISTENING_SIZE - STATE_SIZE;
    this._mask = this._take(NUM_ACTIONS);
    this._list = this._take(4 * NUM_ACTIONS);
    this._observation = this._take(4 * OBSERVATION_SIZE);
    this._numbers = this._take(8 * Math.max(MAX_PLAYERS, 1 + description.options.length));
    this._generator = this._take(8);
    this._visits = this._take(8 * NUM_ACTIONS);
    this._values = this._take(8 * NUM_ACTIONS);
    this._found = null;
    this._players = new Players(this, (words, code) => new GameError(words, code), shown);
    // the state whose bytes are in the slot: those of the object itself are old then
    this._resident = null;
    this._maskSeat = -1; // whose mask has been computed for it; then the next line holds, too
    this._mover = -1; // who is to move in it
    this._legal = this.exports.legal; // what is called with each action
    this._play = this.exports.play;
    this._count = 0; // of legal actions in `_listView`
    this._look();
    this.seedRandom(globalThis.crypto.getRandomValues(new BigUint64Array(1))[0]);
  }

  // Make views of memory, which lose their content when it grows.
  _look() {
    const { buffer } = this.memory;
    const field = (name, length = 1) => new KINDS[FIELDS.get(name).type](
      buffer, this._slot + FIELDS.get(name).offset, length);
    this._slotView = new Uint8Array(buffer, this._slot, STATE_SIZE);
    this._maskView = new Int8Array(buffer, this._mask, NUM_ACTIONS);
    this._listView = new Int32Array(buffer, this._list, NUM_ACTIONS);
    this._toMoveView = field("to_move");
    this._overView = field("over");
  }

  get name() {
    return NAME;
  }

  get description() {
    return description;
  }

  get actions() {
    return description.actions;
  }

  _take(size) {
    const place = this.exports.take(size);
    if (place === 0) throw new GameError("there is no memory left", -19);
    return place;
  }

  _bytes(place, size) {
    return new Uint8Array(this.memory.buffer, place, size);
  }

  _check(code) {
    if (code < 0) throw new GameError(this._text(this.exports.error(code)), code);
    return code;
  }

  _text(place) {
    const bytes = new Uint8Array(this.memory.buffer, place);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  _withTexts(texts, use) {
    for (const text of texts)  // C would read it up to there
      if (text.includes("\0")) throw new GameError(`${shown(text)} has a sign of code 0`, -18);
    const places = texts.map((text) => {
      const bytes = new TextEncoder().encode(text);
      const place = this._take(bytes.length + 1);
      this._bytes(place, bytes.length + 1).fill(0);
      this._bytes(place, bytes.length).set(bytes);
      return place;
    });
    try {
      return use(...places);
    } finally {
      places.forEach((place) => this.exports.give_back(place));
    }
  }

  // Write the options to memory, checked.
  _options(options) {
    const stored = this._positions.stored(options);
    new Int32Array(this.memory.buffer, this._numbers, stored.length).set(stored);
    return this._numbers;
  }

  // A state of this game, from outside.
  _stateOf(state) {
    if (!(state instanceof State) || state.game !== this)
      throw new GameError("this is no state of this Game", -18);
    return state;
  }

  // Such a state, or one that agrees with the view of a seat.
  _asked(given, settings) {
    if (given instanceof State || given === null || typeof given !== "object")
      return this._stateOf(given);
    if (!isInteger(settings?.seat))
      throw new GameError("this is no state of this Game; of a view say the seat: { seat }", -18);
    return this.fromView(given, settings.seat, 0);
  }

  // Have the bytes of a state in the slot, and views that have a content.
  _enter(state) {
    if (this._maskView.length === 0) this._look();
    if (this._resident === state) return this._slot;
    this._leave();
    this._slotView.set(state._own);
    this._resident = state;
    this._maskSeat = -1;
    return this._slot;
  }

  get _positions() {
    const made = new Positions(
      this, description, (words, code) => new GameError(words, code), shown);
    Object.defineProperty(this, "_positions", { value: made });
    return made;
  }

  fromJson(json) {
    return new State(this, this._positions.fromJson(json));
  }

  first(options, seed) {
    return this._seenByAll(this.deal(options, seed).log());
  }

  next(json, seat, action, settings) {
    const { names } = settingsOf(settings, { names: undefined });
    const state = this.fromJson(json);
    return this._seenByAll(
      state.log({ names }).play(action, seatOf(seat, state.numPlayers)));
  }

  _seenByAll(log) {
    const { toMove, mustDecide, over, numPlayers } = log.state;
    const seen = [...Array(numPlayers).keys(), null].map((viewer) => log.seen(viewer));
    return { json: log.state.toJson(), seen, toMove, mustDecide, over };
  }

  fromView(view, seat, seed) {
    const number = seedOf(seed);
    return new State(this, this._positions.fromView(view, seatOf(seat), number));
  }

  text(view, seat, settings) {
    const { names } = settingsOf(settings, { names: undefined });
    return this._positions.text(view, viewerOf(seat), names);
  }

  picture(view, seat, settings) {
    const { theme, layout, names } = settingsOf(settings, PICTURE);
    return this._positions.picture(view, viewerOf(seat), theme, layout, names);
  }

  headline(view, seat, settings) {
    const { names } = settingsOf(settings, { names: undefined });
    return this._positions.headline(view, viewerOf(seat), names);
  }

  choices(view, seat, settings) {
    const { names } = settingsOf(settings, { names: undefined });
    return this.fromView(view, seat, 0).choices({ seat, names });
  }

  players(options = {}) {
    return this._players.names(this._positions.complete(options));
  }

  guide(page, options = {}) {
    return this._positions.guide(page, options);
  }

  label(action, settings) {
    const { seat, numPlayers, viewer, names } = settingsOf(
      settings, { seat: 0, numPlayers: MAX_PLAYERS, viewer: null, names: undefined });
    this._actionOf(action);
    if (!isInteger(numPlayers) || numPlayers < 1 || numPlayers > MAX_PLAYERS)
      throw new GameError(`numPlayers is from 1 to ${MAX_PLAYERS}, not ${shown(numPlayers)}`, -18);
    seatOf(seat, numPlayers);
    if (viewer !== null) seatOf(viewer, numPlayers);
    return this._positions.label(action, seat, numPlayers, viewer, names);
  }

  _actionOf(action) {
    if (!isInteger(action) || action < 0 || action >= NUM_ACTIONS)
      throw new GameError(`there is no action ${shown(action)}`, -1);
    return action;
  }

  // The bytes of the resident state go back to its object.
  _leave() {
    const state = this._resident;
    if (state === null) return;
    this._resident = null;
    if (this._maskView.length === 0) this._look();
    if (state._own === null) state._own = this._slotView.slice();
    else state._own.set(this._slotView);
  }

  deal(
    options = {}, seed = globalThis.crypto.getRandomValues(new BigUint64Array(1))[0], into = null) {
    const number = seedOf(seed);
    const given = this._options(options);
    if (into !== null) this._stateOf(into);
    if (into === null || into !== this._resident) this._leave();
    this._maskSeat = -1;
    this._check(this.exports.deal(this._slot, given, number));
    if (this._maskView.length === 0) this._look();
    this._resident = into ?? new State(this, null); // its bytes are in the slot
    return this._resident;
  }

  fromBytes(bytes) {
    if (!(bytes instanceof Uint8Array) || bytes.length !== STATE_SIZE) {
      throw new GameError(`a state of ${NAME} has ${STATE_SIZE} bytes`, -18);
    }
    const players = bytes[FIELDS.get("num_players").offset];
    if (players < 1 || players > MAX_PLAYERS)
      throw new GameError(`these bytes are no state of ${NAME}`, -18);
    return new State(this, bytes.slice());
  }

  seedRandom(seed) {
    const number = seedOf(seed);
    new BigUint64Array(this.memory.buffer, this._generator, 1)[0] = number;
    this._players.seed(number);
  }

  choose(given, player = "heuristic", settings) {
    const state = this._asked(given, settings);
    const { seat, seed, memory, neverGrave } = settingsOf(
      settings, { seat: state.toMove, seed: undefined, memory: undefined, neverGrave: false });
    seatOf(seat);
    // what is asked most often
    if (seed === undefined && memory === undefined && neverGrave === false) {
      if (player === "heuristic") return this._scripted(state, seat);
      if (player === "random")
        return this._check(this.exports.random(this._enter(state), seat, this._generator));
    }
    const steps = this._asking(state, player, { seat, seed, memory, neverGrave });
    let step = steps.next();
    while (!step.done) step = steps.next();
    const { action, memory: after } = step.value;
    return memory === undefined ? action : { action, memory: after };
  }

  // Ask a player, in steps.
  _asking(state, player, { seat, seed, memory, neverGrave }) {
    if (typeof neverGrave !== "boolean")
      throw new GameError(`neverGrave is true or false, not ${shown(neverGrave)}`, -18);
    if (memory !== undefined && typeof memory !== "string")
      throw new GameError(`memory is the text of the last answer, not ${shown(memory)}`, -18);
    const number = seed === undefined ? undefined : seedOf(seed);
    const parsed = this._parsed(state, player);
    const held = neverGrave ? { ...parsed, neverGrave } : parsed;
    return this._players.asked(state, held, seatOf(seat), number, memory);
  }

  _parsed(state, player) {
    return this._players.parse(player, () => this._positions.optionsOf(state));
  }

  // ------------------------------------------------------------ thinking beside the program

  async think(given, settings) {
    const state = this._asked(given, settings);
    const asked = settingsOf(settings, {
      player: "search", seat: state.toMove, ms: undefined, seed: undefined,
      memory: undefined, neverGrave: false, signal: undefined, progress: undefined,
    });
    const { ms, signal, progress } = asked;
    if (ms !== undefined && !(isInteger(ms) && ms > 0))
      throw new GameError(`ms is a whole number of milliseconds, not ${shown(ms)}`, -18);
    if (signal !== undefined && !(signal instanceof AbortSignal))
      throw new GameError(`signal is an AbortSignal, not ${shown(signal)}`, -18);
    if (progress !== undefined && typeof progress !== "function")
      throw new GameError(`progress is a function, not ${shown(progress)}`, -18);
    signal?.throwIfAborted();
    const own = state.copy(); // that one may be played on
    await this._load(this._parsed(own, asked.player));
    const player = this._players.withMs(asked.player, ms);
    this._asking(own, player, asked); // what is wrong is refused here
    this._maskOfMover(own, asked.seat);
    const worker = this._idle.pop() ?? await Thinker.start(this._thinker);
    if (worker === null) {
      this._thinker = null; // nor will there be one later
      return this._thinkHere(own, player, asked);
    }
    let good = signal?.aborted; // it has not begun
    try {
      signal?.throwIfAborted();
      good = false;
      const answer = await worker.think(this, own, player, asked);
      good = true;
      return answer;
    } finally {
      if (good) this._idle.push(worker);
      else worker.end();
    }
  }

  async ready(player, options = {}) {
    const complete = this._positions.complete(options);
    await this._load(this._players.parse(player, () => complete));
  }

  // Load the policies that a player needs.
  async _load(parsed) {
    for (const name of this._players.needs(parsed)) await this.loadPolicy(name);
  }

  // Without a worker: a little at a time.
  async _thinkHere(state, player, asked) {
    const steps = this._asking(state, player, asked);
    try {
      for (let step = steps.next();; step = steps.next()) {
        if (step.done) return step.value;
        asked.progress?.(Math.min(1, step.value));
        await new Promise((done) => setTimeout(done));
        asked.signal?.throwIfAborted();
      }
    } finally {
      steps.return();
    }
  }

  // ------------------------------------------------------------ what players ask compiled code

  // The mask of a seat, which has to decide.
  _maskOfMover(state, seat) {
    const mask = state._maskOf(seat);
    if (this._count === 0) this._check(-3);
    return mask;
  }

  // Why each action of a seat is grave, 0 for one that is not (game_grave).
  _grave(state, seat) {
    return this._withArray(new Int8Array(NUM_ACTIONS), (place) => {
      this._check(this.exports.grave(this._enter(state), seat, place));
      return new Int8Array(this.memory.buffer, place, NUM_ACTIONS).slice();
    });
  }

  _scripted(state, seat) {
    return this._check(this.exports.scripted(this._enter(state), seat));
  }

  _styled(state, seat, weights) {
    return this._withArray(Float64Array.from(weights),
      (place) => this._check(this.exports.styled(this._enter(state), seat, place)));
  }

  // What a player for people chooses that means to take an action.
  _settled(state, seat, action, mistaken, draw) {
    return this._withArray(Float64Array.of(action, mistaken, draw),
      (place) => this._check(this.exports.settle(this._enter(state), seat, place)));
  }

  // The choice of the scripted player in the position as one with a memory takes it, which is
  // brought up to date.
  _fromMemory(state, seat, numbers) {
    const taken = this._remembered(state, seat, numbers);
    this._maskSeat = -1;
    return this._scripted(taken, seat);
  }

  // That position.
  _remembered(state, seat, numbers) {
    const taken = state.copy();
    this._rewriting(
      numbers, (place) => this._check(this.exports.remember(this._enter(taken), seat, place)));
    return taken;
  }

  // Use numbers in memory, where they are rewritten.
  _rewriting(numbers, use) {
    if (!numbers.length) return use(0);
    return this._withArray(numbers, (place) => {
      const found = use(place);
      numbers.set(new Float32Array(this.memory.buffer, place, numbers.length));
      return found;
    });
  }

  // Use a copy of an array in memory.
  _withArray(array, use) {
    const place = this._take(array.byteLength);
    try {
      new array.constructor(this.memory.buffer, place, array.length).set(array);
      return use(place);
    } finally {
      this.exports.give_back(place);
    }
  }

  _policyChoice(state, seat, { struct, memory, size }, numbers) {
    return this._rewriting(numbers, (place) => this._check(
      this.exports.policy_choose(struct, this._enter(state), seat, place, memory, size)));
  }

  _evaluate(state, seat, { struct, memory, size }, numbers) {
    state._maskOf(seat);
    this._check(this.exports.observe(this._slot, seat, this._observation));
    const [logits, value] = [this._values, this._numbers];
    this._rewriting(numbers, (place) => this._check(this.exports.policy_evaluate(
      struct, this._observation, this._mask, logits, value, place, memory, size)));
    return {
      logits: new Float32Array(this.memory.buffer, logits, NUM_ACTIONS).slice(),
      value: new Float32Array(this.memory.buffer, value, 1)[0],
    };
  }

  _tree(text, policy) {
    return new Tree(this, text, policy);
  }

  get found() {
    return this._found ?? {
      visits: new Array(NUM_ACTIONS).fill(0),
      values: new Float64Array(NUM_ACTIONS),
      simulations: 0
    };
  }

  _checkSize(size) {
    if (size < 0n) this._check(Number(size));
    return size;
  }

  async loadPolicy(source) {
    const file = typeof source === "string" ? this._players.fileOf(source) : undefined;
    const content = await contentOf(file === undefined ? source : `./${file}`);
    this._takePolicy(content instanceof ArrayBuffer
      ? new Uint8Array(content)
      : new Uint8Array(content.buffer, content.byteOffset, content.byteLength));
  }

  _takePolicy(bytes) {
    const [weights, struct] = [this._take(bytes.length), this._take(POLICY_STRUCT)];
    this._bytes(weights, bytes.length).set(bytes);
    const code = this.exports.policy_open(struct, weights, bytes.length);
    if (code < 0) {
      this.exports.give_back(weights);
      this.exports.give_back(struct);
      this._check(code);
    }
    const size = Number(this._checkSize(this.exports.policy_memory(struct)));
    const remembers = Number(this.exports.policy_remembers(struct));
    const memory = this._take(size);
    const policy = { weights, struct, size, memory, remembers, length: bytes.length };
    const old = this._players.take(policy, bytes);
    if (old !== undefined)
      [old.weights, old.struct, old.memory].forEach((place) => this.exports.give_back(place));
  }

  policyFits(state) {
    const { struct } = this._players.policy("policy");
    return this.exports.policy_fits(struct, this._enter(this._stateOf(state))) === 1;
  }

  evaluate(state, settings) {
    const asked = settingsOf(settings, { seat: this._stateOf(state).toMove, memory: undefined });
    const policy = this._players.policy("policy");
    const numbers = this._players.remembered("policy", policy.remembers, asked.memory);
    const found = this._evaluate(state, seatOf(asked.seat), policy, numbers);
    return { ...found, memory: toText(numbers) };
  }

  batch(size, options = {}, seed = 0, settings = undefined) {
    const { reward, observations } = settingsOf(settings, { reward: "win", observations: true });
    if (!isInteger(size) || size < 1)
      throw new GameError(`a batch has at least one game, not ${shown(size)}`, -18);
    if (reward !== "win" && reward !== "score")
      throw new GameError(`reward is win or score, not ${shown(reward)}`, -18);
    if (typeof observations !== "boolean")
      throw new GameError(`observations is true or false, not ${shown(observations)}`, -18);
    const number = seedOf(seed);
    const given = this._options(options);
    const needed = Number(
      this._checkSize(this.exports.batch_memory(BigInt(size), observations ? 1 : 0)));
    const [struct, memory] = [this._take(BATCH_STRUCT), this._take(needed + 64)];
    const first = Math.ceil(memory / 64) * 64;
    const code = this.exports.batch_begin(struct, BigInt(size), observations ? 1 : 0,
      reward === "win" ? 0 : 1, given, number, first, needed);
    if (code < 0) {
      this.exports.give_back(struct);
      this.exports.give_back(memory);
      this._check(code);
    }
    return new Batch(this, size, struct, memory);
  }
}

/** The tree of a search, in memory of its own. */
class Tree {
  constructor(game, text, policy) {
    this._game = game;
    this._settings = game._take(SETTINGS_STRUCT);
    this._policy = policy;
    this._memory = 0;
    try {
      const code = game._withTexts(
        [text], (place) => game.exports.search_parse(this._settings, place));
      if (code < 0) throw new GameError(`${text}: ${game._text(game.exports.error(code))}`, code);
      const size = game._checkSize(game.exports.search_memory(this._settings, policy));
      this._size = Number(size);
      this._memory = game._take(this._size);
    } catch (error) {
      this.free();
      throw error;
    }
    const numbers = new Int32Array(game.memory.buffer, this._settings, 7);
    [this.sims, this.halving] = [numbers[0], numbers[6] !== 0];
  }

  free() {
    this._game.exports.give_back(this._settings);
    if (this._memory) this._game.exports.give_back(this._memory);
  }

  begin() {
    this._ask("search_begin", this._memory, this._size);
    this._done = 0;
  }

  more(state, seat, simulations) {
    this._ask("search_more", this._game._enter(state), seat, this._memory, simulations);
    this._done += simulations;
  }

  choice(state, seat) {
    return this._ask("search_choice", this._game._enter(state), seat, this._memory);
  }

  // All at once.
  whole(state, seat) {
    this._done = this.sims;
    return this._ask("search", this._game._enter(state), seat, this._memory, this._size);
  }

  found() {
    const { memory: { buffer }, _visits: visits, _values: values } = this._game;
    this._ask("search_found", this._memory, visits, values);
    this._game._found = {
      visits: Array.from(new BigInt64Array(buffer, visits, NUM_ACTIONS), Number),
      values: new Float64Array(buffer, values, NUM_ACTIONS).slice(),
      simulations: this._done,
    };
    return this._game._found;
  }

  _ask(name, ...given) {
    const game = this._game;
    return game._check(game.exports[name](this._settings, this._policy, ...given));
  }
}

/** A worker that thinks about one decision at a time. */
class Thinker {
  constructor(worker) {
    this._worker = worker;
    this._sent = new Map(); // the policies that it has, by name
  }

  /** Start one; null where there is none, such as in a bundle without the file. */
  static async start(thinker) {
    try {
      const worker = await thinker();
      const own = new Thinker(worker);
      await own._next(undefined, undefined);
      return own;
    } catch {
      return null;
    }
  }

  // The next message that is no progress.
  _next(progress, signal) {
    const worker = this._worker;
    worker.ref?.(); // Node ends when nobody waits for anything else
    let stop;
    return new Promise((done, failed) => {
      stop = () => failed(signal.reason);
      const hear = (message) => {
        try {
          if (message.progress !== undefined) progress?.(message.progress);
          else done(message);
        } catch (error) {
          failed(error);
        }
      };
      const fail = (error) => failed(new GameError(`the worker has failed: ${error.message}`, 0));
      signal?.addEventListener("abort", stop);
      if (worker.on) worker.removeAllListeners().on("message", hear).on("error", fail);
      else [worker.onmessage, worker.onerror] = [({ data }) => hear(data), fail];
    }).finally(() => {
      signal?.removeEventListener("abort", stop);
      worker.unref?.();
    });
  }

  async think(game, state, player, { signal, progress, seat, seed, memory, neverGrave }) {
    const policies = [];
    for (const [name, policy] of game._players.loaded) {
      if (this._sent.get(name) !== policy)
        policies.push(game._bytes(policy.weights, policy.length).slice());
      this._sent.set(name, policy);
    }
    this._worker.postMessage({
      module: game.module, policies, bytes: state.bytes, player,
      asked: { seat, seed, memory, neverGrave },
    });
    const { answer, error } = await this._next(progress, signal);
    if (error) throw new GameError(error.message, error.code);
    return answer;
  }

  end() {
    this._worker.terminate();
  }
}

// The arrays of a batch in the order of the pointers in the C struct, which begins with two numbers
// of 8 bytes: what is in those that are for reading, and how many of it for each game.
const ARRAYS = {
  states: [Uint8Array, STATE_SIZE],
  masks: [Int8Array, NUM_ACTIONS],
  observations: [Float32Array, OBSERVATION_SIZE],
  movers: [BigInt64Array, 1],
  rewards: [Float32Array, MAX_PLAYERS],
  terminated: [Uint8Array, 1],
  turnLimit: [Uint8Array, 1],
  returns: null,
  lengths: null,
  finalStates: null,
  finalReturns: [Float32Array, MAX_PLAYERS],
  finalLengths: [BigInt64Array, 1],
  actions: [BigInt64Array, 1],
};
const NAMES_OF_ARRAYS = Object.keys(ARRAYS);

export class Batch {
  constructor(game, size, struct, memory) {
    this.game = game;
    this.size = size;
    this._struct = struct;
    this._memory = memory;
  }

  // Views are made anew, since memory that grows leaves them without content.
  _array(name) {
    if (this._struct === 0)
      throw new GameError("the memory of this batch has been given back", -18);
    const buffer = this.game.memory.buffer;
    const place = new Uint32Array(
      buffer, this._struct + 16, NAMES_OF_ARRAYS.length)[NAMES_OF_ARRAYS.indexOf(name)];
    const [kind, each] = ARRAYS[name];
    return place === 0 ? null : new kind(buffer, place, this.size * each);
  }

  state(index) {
    if (!isInteger(index) || index < 0 || index >= this.size)
      throw new GameError(`there is no game ${shown(index)} in the batch`, -18);
    return this.game.fromBytes(this._array("states")
        .slice(index * STATE_SIZE, (index + 1) * STATE_SIZE));
  }

  sampleActions() {
    this._array("terminated");
    this.game._check(this.game.exports.batch_random(this._struct));
  }

  step() {
    this._array("terminated");
    this.game._check(this.game.exports.batch_step(this._struct));
  }

  free() {
    if (this._struct === 0) return;
    this.game.exports.give_back(this._struct);
    this.game.exports.give_back(this._memory);
    this._struct = 0;
  }
}

for (const name of NAMES_OF_ARRAYS) {
  if (ARRAYS[name] && name !== "states")
    Object.defineProperty(Batch.prototype, name, { get() { return this._array(name); } });
}

export class State {
  constructor(game, bytes) {
    this.game = game;
    this._own = bytes;
  }

  get bytes() {
    const { game } = this;
    if (game._resident !== this) return this._own.slice();
    if (game._maskView.length === 0) game._look();
    return game._slotView.slice();
  }

  copy() {
    return new State(this.game, this.bytes);
  }

  get toMove() {
    const { game } = this;
    if (game._resident === this && game._maskSeat >= 0) return game._mover;
    game._enter(this);
    return game._toMoveView[0];
  }

  get mustDecide() {
    const bits = this.game.exports.must_decide(this.game._enter(this));
    return Array.from({ length: MAX_PLAYERS }, (_, seat) => seat)
      .filter((seat) => bits & (1 << seat));
  }

  get over() {
    const { game } = this;
    if (game._resident === this && game._maskSeat >= 0) return game._mover < 0;
    game._enter(this);
    return game._overView[0] !== 0;
  }

  get numPlayers() {
    return this.read("num_players");
  }

  get phase() {
    return description.phases[this.read("phase")];
  }

  read(name) {
    const field = FIELDS.get(name);
    if (field === undefined)
      throw new GameError(`a state of ${NAME} has no field ${shown(name)}`, -18);
    const kind = KINDS[field.type];
    const length = field.shape.reduce((product, size) => product * size, 1);
    const place = this.game._enter(this) + field.offset;
    const values = new kind(
      this.game.memory.buffer.slice(place, place + length * kind.BYTES_PER_ELEMENT));
    return field.shape.length === 0 ? values[0] : values;
  }

  // Whether the mask of a seat in this position is in memory: a short way for what is called with
  // each action.
  _isMaskOf(seat) {
    return this.game._resident === this && this.game._maskSeat === seat && seat >= 0;
  }

  // Have the mask of a seat in memory, and its legal actions in `_listView`; computed once until
  // something changes.
  _maskOf(seat) {
    const { game } = this;
    seatOf(seat);
    const place = game._enter(this);
    if (game._maskSeat !== seat || seat < 0) {
      game._maskSeat = -1;
      game._count = game._legal(place, seat, game._mask, game._list);
      if (game._count < 0) game._check(game._count);
      if (game._maskView.length === 0) game._look();
      game._mover = game._toMoveView[0];
      game._maskSeat = seat;
    }
    if (game._maskView.length === 0) game._look();
    return game._maskView;
  }

  mask(seat = this.toMove) {
    return this._maskOf(seat).slice();
  }

  maskView(seat = this.toMove) {
    return this._maskOf(seat);
  }

  // `countLegal`, `legalAt` and `apply` are so short that the compiler of JavaScript makes one
  // piece of a loop with them: what is seldom done is in functions of its own.
  countLegal(seat = this.toMove) {
    return this._isMaskOf(seat) ? this.game._count : this._countAnew(seat);
  }

  _countAnew(seat) {
    if (seatOf(seat) < 0) return 0;
    this._maskOf(seat);
    return this.game._count;
  }

  legalAt(place, seat = this.toMove) {
    const count = this.countLegal(seat);
    if (!(isInteger(place) && place >= 0 && place < count)) this._noSuchPlace(place);
    if (this.game._listView.length === 0) this.game._look();
    return this.game._listView[place];
  }

  _noSuchPlace(place) {
    throw new GameError(`there is no legal action at place ${shown(place)}`, -18);
  }

  legal(seat = this.toMove) {
    const count = this.countLegal(seat);
    if (this.game._listView.length === 0) this.game._look();
    const list = this.game._listView;
    const found = new Array(count);
    for (let k = 0; k < count; k++) found[k] = list[k];
    return found;
  }

  apply(action, seat = this.toMove) {
    const { game } = this;
    if (!this._isMaskOf(seat)) this._prepare(action, seat);
    if (!isInteger(action)) this._refuse(action, seat);
    const count = game._play(game._slot, seat, action, game._mask, game._list);
    if (count <= 0) this._notGoingOn(count, action, seat);
    else if (game._maskView.length === 0) game._look();
    game._count = count;
    game._maskSeat = game._mover = count > 0 ? game._toMoveView[0] : -1;
    return this;
  }

  _prepare(action, seat) {
    if (seatOf(seat) < 0) this._refuse(action, seat);
    this._maskOf(seat);
  }

  // The game is over, or there was an error.
  _notGoingOn(count, action, seat) {
    const { game } = this;
    if (count === -1 || count === -3) this._refuse(action, seat);
    if (count < 0) game._maskSeat = -1;
    game._check(count);
    if (game._maskView.length === 0) game._look();
  }

  // Carry out a legal action so that what happens is told.
  _applyTelling(action, seat) {
    const { game } = this;
    if (seatOf(seat) < 0 || !isInteger(action) || this._maskOf(seat)[action] !== 1)
      this._refuse(action, seat);
    game._maskSeat = -1;
    game._check(game.exports.tell(game._listening, seat, action));
  }

  _refuse(action, seat) {
    const name = (isInteger(action) && description.actions[action]) || shown(action);
    throw new GameError(`${name}: the action is not legal for seat ${seat} now`, -1);
  }

  observe(seat = this.toMove) {
    seatOf(seat);
    const place = this.game._enter(this);
    this.game._check(this.game.exports.observe(place, seat, this.game._observation));
    return new Float32Array(this.game.memory.buffer, this.game._observation, OBSERVATION_SIZE)
      .slice();
  }

  get returns() {
    const place = this.game._enter(this);
    this.game._check(this.game.exports.returns(place, this.game._numbers));
    return new Float64Array(this.game.memory.buffer, this.game._numbers, MAX_PLAYERS)
      .slice(0, this.numPlayers);
  }

  get scores() {
    return this.read("scores").slice(0, this.numPlayers);
  }

  get winners() {
    return Array.from(this.read("winners").slice(0, this.numPlayers), (won) => won !== 0);
  }

  toJson() {
    return this.game._positions.toJson(this);
  }

  view(seat = null) {
    return this.game._positions.view(this, seat);
  }

  text(seat = null, settings = undefined) {
    return this.game.text(this, seat, settings);
  }

  picture(seat = null, settings = undefined) {
    return this.game.picture(this, seat, settings);
  }

  headline(seat = null, settings = undefined) {
    return this.game.headline(this, seat, settings);
  }

  label(action, settings) {
    const given = settingsOf(settings, { seat: this.toMove, viewer: null, names: undefined });
    const common = this.game.label(action, { ...given, numPlayers: this.numPlayers });
    const { seat, viewer, names } = given;
    if (viewer === null || viewer !== seat || !this.legal(seat).includes(action)) return common;
    return this.game._positions.ownLabel(this, action, seat, names);
  }

  touched(action, seat = this.toMove) {
    this.game._actionOf(action);
    return this.game._positions.touched(this, seat, action);
  }

  choices(settings) {
    const { seat, names } = settingsOf(settings, { seat: this.toMove, names: undefined });
    return seatOf(seat) < 0 ? [] : this.game._positions.choices(this, seat, names);
  }

  log(settings) {
    const { names } = settingsOf(settings, { names: undefined });
    return this.game._positions.log(this, names);
  }

  determinize(seat, seed) {
    const number = seedOf(seed);
    seatOf(seat);
    this.game._check(this.game.exports.determinize(this.game._enter(this), seat, number));
    this.game._maskSeat = -1;
    return this;
  }
}
