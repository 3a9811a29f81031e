// Positions of @TITLE@ as JSON, as text and as pictures, and what happens in words: what dig_envs
// says and draws, translated.

import * as py from "./python.js";
import * as words from "./words.js";

const records = @RECORDS@;
const OVER_SEAT = null; // of a view that shows what everybody may know
const OPTION_NAMES = new Set(words.game.options.map((option) => option.name));

function snakeCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

// What an error of the translated code says, with the name that JavaScript has for nothing.
function wordsOf(error) {
  return error.message.replace(/(?<!['\w])None(Type)?(?!['\w])/g, "null");
}

/** States as the translated code knows them: an array of one record in memory of its own. */
class States {
  constructor(fields, bytes) {
    this.bytes = bytes;
    this.fields = fields;
    this.record = new py.Rec(fields, bytes);
  }
  _get(key) {
    return typeof key === "number" ? this.record : [this.record._get(key)];
  }
  copy() {
    return new States(this.fields, this.bytes.slice());
  }
}

function ownProperties(owner, values) {
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(owner, name, { value, configurable: true });
}

/** What GAME.js asks; one for each loaded game. */
export class Positions {
  constructor(game, description, refuse, shown) {
    this._game = game;
    this._refuse = refuse;
    this._shown = shown;
    this._fields = description.state;
    this._size = description.state_size;
    this._factsSize = records.facts_size;
    const told = Object.create(words.game);
    ownProperties(told, {
      painter: words.painter,
      view_schema: words.view_schema,
      is_simultaneous: records.is_simultaneous,
      rules: { derive: records.has_derived ? true : null },
      template: (options) => this._template(options),
      facts: (record) => this._facts(record),
      legal_actions: (states, seat) => this._legal(states, seat),
      kernels: {
        derive_one: (states) => this._run(states, (place) => game.exports.derive(place)),
        apply_one: (states, seat, action) => this._run(
          states, (place) => game.exports.apply_unchecked(place, seat, action)),
        // a game that is over is not dealt anew
        determinize_one: (states, seat, seed) => (states.record._get("over")
          ? null
          : this._run(states, (place) => game.exports.determinize(place, seat, BigInt(seed)))),
      },
    });
    this._told = told;
  }

  // Let compiled code work on a state.
  _run(states, use) {
    const game = this._game;
    game._leave();
    const slot = game._slot;
    new Uint8Array(game.memory.buffer, slot, this._size).set(states.bytes);
    game._check(use(slot));
    states.bytes.set(new Uint8Array(game.memory.buffer, slot, this._size));
    return null;
  }

  _template(options) {
    const states = new States(this._fields, new Uint8Array(this._size));
    states.record._put("version", words.game.version);
    for (const option of words.game.options)
      states.record._put(option.name, option.encode(py.get(options, option.name)));
    for (const option of words.game.fixed_options)
      states.record._put(option.name, option.encode(option.default));
    return states;
  }

  _facts(record) {
    if (this._factsSize === 0) return null;
    const game = this._game;
    this._factsPlace ??= game._take(this._factsSize);
    new Uint8Array(game.memory.buffer, this._factsPlace, this._factsSize).fill(0);
    const states = { bytes: record.bytes.slice() };
    this._run(states, (place) => game.exports.inspect(place, this._factsPlace));
    return new py.Rec(
      records.facts, new Uint8Array(game.memory.buffer, this._factsPlace, this._factsSize).slice());
  }

  _legal(states, seat) {
    const game = this._game;
    const found = [];
    this._run(
      { bytes: states.bytes.slice() }, (place) => game.exports.mask(place, seat, game._mask));
    const mask = new Int8Array(game.memory.buffer, game._mask, game.actions.length);
    for (let action = 0; action < mask.length; action++) if (mask[action]) found.push(action);
    return found;
  }

  // What a seat may know, or everybody, in the values of the translated code.
  _view(state, seat) {
    const snapshot = this._snapshot(state);
    if (seat === OVER_SEAT) return this._told.to_public(snapshot);
    return this._told.to_view(snapshot, this._seat(state, seat));
  }

  _seat(state, seat) {
    if (!Number.isInteger(seat) || seat < 0 || seat >= state.numPlayers)
      throw this._refuse(`there is no seat ${this._shown(seat)} in this game`, -2);
    return seat;
  }

  _snapshot(state) {
    return this._told.to_snapshot(new States(this._fields, state.bytes).record);
  }

  _names(given) {
    const names = given ?? [];
    if (!Array.isArray(names) || !names.every((name) => typeof name === "string"))
      throw this._refuse(`names are a list of texts, not ${this._shown(given)}`, -18);
    try {
      return new words.Names(py.tuple(names));
    } catch (error) {
      throw this._refuse(wordsOf(error), -18);
    }
  }

  // Run with names for the seats that texts and pictures call them by.
  _named(given, use) {
    const names = this._names(given);
    const within = words.named(names);
    py.enter(within);
    try {
      return use(names);
    } finally {
      py.leave(within);
    }
  }

  toJson(state) {
    return py.to_json(this._snapshot(state));
  }

  fromJson(json) {
    try {
      return this._checked(() => this._told.from_snapshot(py.from_json(json))).bytes;
    } catch (error) {
      if (this._isView(json)) throw this._refuse("this is a view, not a complete position", -20);
      throw error;
    }
  }

  _isView(json) {
    return [OVER_SEAT, ...Array(words.game.max_players).keys()].some((seat) => {
      try {
        return Boolean(this._read(json, seat));
      } catch {
        return false;
      }
    });
  }

  fromView(json, seat, seed) {
    return this._checked(
      () => words.complete(this._told, words.fill, py.from_json(json), seat, seed)).bytes;
  }

  // What is made of what comes from outside.
  _checked(make) {
    try {
      return make();
    } catch (error) {
      if (typeof error.code === "number") throw error; // such as of names
      if (error instanceof words.SnapshotError) throw this._refuse(wordsOf(error), -20);
      if (error instanceof py.Exception) throw this._refuse(wordsOf(error), -2); // the seat
      throw this._refuse(`this is no position: ${error.message}`, -20);
    }
  }

  view(state, seat) {
    return py.to_json(this._view(state, seat));
  }

  _isState(given) {
    return given?.game === this._game && given.bytes instanceof Uint8Array;
  }

  // The view of a state, or one from outside, whose form is checked.
  _seen(given, seat) {
    if (this._isState(given)) return this._view(given, seat);
    return this._checked(() => this._read(given, seat).snapshot);
  }

  _read(json, seat) {
    return words.read_view(this._told, py.from_json(json), seat === OVER_SEAT ? -1 : seat);
  }

  // What a seat sees, a state or its view, in words, and as a picture.

  text(given, seat, names) {
    const view = this._seen(given, seat);
    return this._checked(() => this._named(names, () => words.game.draw(view)));
  }

  picture(given, seat, theme, layout, names) {
    if (theme !== "light" && theme !== "dark")
      throw this._refuse(`theme is light or dark, not ${this._shown(theme)}`, -18);
    if (layout !== "wide" && layout !== "column")
      throw this._refuse(`layout is wide or column, not ${this._shown(layout)}`, -18);
    const view = this._seen(given, seat);
    return this._checked(() => this._named(
      names, () => words.sheet_of(this._told, view, seat, theme, null, layout).svg(false)));
  }

  headline(given, seat, names) {
    const view = this._seen(given, seat);
    const together = records.is_simultaneous && seat !== OVER_SEAT && given.phase !== "over";
    // who decides beside the seat to move, the rules say
    const state = this._isState(given) ? given : together && this._game.fromView(given, seat, 0);
    const deciding = state ? state.mustDecide : [];
    return this._checked(() => this._named(names,
      (own) => words.headline(this._told, view, seat, own, deciding.length ? deciding : null)));
  }

  label(action, seat, numPlayers, viewer, names) {
    return words.game.action_list.label(action, seat, numPlayers, viewer, this._names(names));
  }

  // The same, said by who sees what the seat sees.
  ownLabel(state, action, seat, names) {
    return words.game.label(this._view(state, seat), action, seat, seat, this._names(names));
  }

  touched(state, seat, action) {
    return Array.from(words.touched(this._told, this._view(state, seat), seat, action));
  }

  // The legal actions of a seat in words, and how they are chosen and where they are in the
  // picture.
  choices(state, seat, names) {
    const own = this._names(names);
    const view = this._view(state, seat);
    const { action_list: list, actions } = words.game;
    const legal = state.legal(seat);
    const grave = legal.length ? this._game._grave(state, seat) : [];
    return legal.map((action) => {
      const group = list.group(action);
      return {
        action,
        text: actions[action],
        label: words.game.label(view, action, seat, seat, own),
        group: group.first,
        steps: Array.from(list.steps(action, seat, state.numPlayers, own)),
        cost: group.cost,
        warning: grave[action] ? words.warning_of(grave[action], group.warning) : "",
        things: Array.from(words.touched(this._told, view, seat, action)),
      };
    });
  }

  _entries(options) {
    if (options === null || typeof options !== "object" || Array.isArray(options))
      throw this._refuse(wordsOf({
        message: `options are an object such as { numPlayers: 2 }, not ${
          words.shown_in_message(options)}`
      }), -6);
    return Object.entries(options);
  }

  // All options of a state, as Python has them.
  optionsOf(state) {
    const { record } = new States(this._fields, state.bytes);
    return py.dict(words.game.options.map(
      (option) => [option.name, option.decode(record._get(option.name))]));
  }

  complete(options) {
    return this._complete(this._entries(options));
  }

  // All options, by their names with underscores; checked as Python checks them.
  _complete(entries) {
    const given = new Map();
    for (const [written, value] of entries) {
      const name = OPTION_NAMES.has(written) ? written : snakeCase(written);
      if (given.has(name)) throw this._refuse(`option ${name} is given twice`, -6);
      // 3n is 3; what is beyond numbers is no value of an option
      given.set(name, typeof value === "bigint" ? Number(value) : value);
    }
    let code = [...given.keys()].every((name) => OPTION_NAMES.has(name)) ? -6 : -5;
    try {
      const { options: known, check_options: check, name } = words.game;
      const values = [...given].map(([key, value]) => [key, py.from_json(value)]);
      const complete = words.complete_options(known, py.dict(values), name);
      code = -7;
      if (check) check(complete);
      return complete;
    } catch (error) {
      throw this._refuse(wordsOf(error), code);
    }
  }

  // The numbers that stand for options, in the order of the description. Those of the last call are
  // kept, since many games with the same options are dealt one after the other.
  stored(options) {
    const entries = this._entries(options);
    const isLast = this._last?.entries.length === entries.length
      && entries.every(([name, value], k) => typeof value !== "object"
        && name === this._last.entries[k][0] && Object.is(value, this._last.entries[k][1]));
    if (isLast) return this._last.stored;
    const complete = this._complete(entries);
    const stored = words.game.options.map(
      (option) => option.encode(py.get(complete, option.name)));
    this._last = { entries, stored };
    return stored;
  }

  guide(page, options) {
    if (typeof page !== "string")
      throw this._refuse(`the guide is the text of guide.js, not ${this._shown(page)}`, -18);
    const complete = this.complete(options);
    const said = py.dict(complete.items().map(([name, value]) => [name, words.said(value)]));
    return words.applied(page, words.game, said).split("\n").filter(Boolean);
  }

  log(state, names) {
    return new Log(this, state, this._names(names));
  }
}

/** What happens in a game, as each seat may know it. */
export class Log {
  constructor(positions, state, names) {
    this.state = state;
    this._positions = positions;
    this._names = names;
    this._told = py.instance(words.EventLog);
    Object.assign(this._told, { game: positions._told, _rows: [], actions: 0 });
    this._follow();
  }

  _follow() {
    this._told.states = new States(this._positions._fields, this.state.bytes);
  }

  get length() {
    return this._told._rows.length;
  }

  play(action, seat = this.state.toMove) {
    const game = this.state.game;
    this.state._applyTelling(action, seat);
    const buffer = game.memory.buffer;
    const count = Number(new BigInt64Array(buffer, game._listening, 1)[0]);
    if (count > records.most_events)
      throw this._positions._refuse(`the action has caused ${count} events`, -18);
    const numbers = new Int32Array(buffer, game._listening + 8, count * records.numbers_of_event);
    const rows = Array.from({ length: count },
      (_, k) => Array.from(
        numbers.subarray(k * records.numbers_of_event, (k + 1) * records.numbers_of_event)));
    this._follow();
    this._told._add(rows);
    return this;
  }

  told(viewer = OVER_SEAT, first = 0) {
    if (viewer !== OVER_SEAT) this._positions._seat(this.state, viewer);
    this._eventsOf(first, Infinity);
    return this._told.told(viewer, first).map((event) => ({
      ...py.to_json(event.to_json(this._names)),
      things: Array.from(words.about(this._positions._told, event)),
    }));
  }

  seen(viewer = OVER_SEAT, first = 0) {
    const { state } = this;
    const told = this.told(viewer, first);
    const legal = viewer === OVER_SEAT ? [] : state.legal(viewer);
    return { seat: viewer, view: state.view(viewer), legal, told };
  }

  // The same as the log of people has them, which does not keep what they are to remember.
  _lines(viewer) {
    const events = this._told.told(viewer, 0);
    return this.told(viewer).map((row, k) => {
      const text = words.line_for_people(this._positions._told, events[k], this._names);
      return text === null ? row : { ...row, text, things: [] };
    });
  }

  _eventsOf(count, most) {
    if (!Number.isInteger(count) || count < 0 || count > most)
      throw this._positions._refuse(`the log has no ${this._positions._shown(count)} events`, -18);
  }

  goBack(state, length) {
    this._eventsOf(length, this.length);
    this.state = this._positions._game._stateOf(state);
    this._told._rows.length = length;
    this._follow();
    return this;
  }
}
