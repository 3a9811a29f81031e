// The players of @TITLE@ by the names that they have in Python: what a name stands for, and how
// that player chooses.

import * as py from "./python.js";
import * as words from "./words.js";

// Levels, weights of styles, policies beside this file, guides of searches: as they were when the
// game was exported.
const table = @PLAYERS@;
const GAMES = ["@NAME@/", "@ENVIRONMENT@/"]; // may stand before a name
const SLICE = 5; // milliseconds that a search goes on between two looks at the clock, about
const MOST_NODES = 2 ** 17; // of the tree of a search that ends by the clock …
const PER_MS = 100; // … or so many per millisecond, which is more than any game simulates
const CHECKSUM = 32; // where it is in a file of weights
const UNNAMED = "policy"; // the policy that was loaded last, and one of other weights than the table's
const has = Object.hasOwn;

// ---------------------------------------------------------------- random numbers

const MASK = (1n << 128n) - 1n;
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;

/** The generator of `numpy.random.default_rng(seed)`: the same numbers in the same order. */
export class Generator {
  constructor(seed) {
    const words = [Number(seed & 0xffffffffn), Number(seed >> 32n)];
    let factor = 0x43b0d7e5;
    const hashed = (value, times) => {
      const mixed = value ^ factor;
      factor = Math.imul(factor, times);
      const product = Math.imul(mixed, factor);
      return product ^ (product >>> 16);
    };
    const pool = [0, 1, 2, 3].map((k) => hashed(words[k] ?? 0, 0x931e8875));
    for (let from = 0; from < 4; from++) {
      for (let to = 0; to < 4; to++) {
        if (from === to) continue;
        const mixed = Math.imul(0xca01f9dd, pool[to])
          - Math.imul(0x4973f715, hashed(pool[from], 0x931e8875));
        pool[to] = mixed ^ (mixed >>> 16);
      }
    }
    factor = 0x8b51f9dd;
    const drawn = Array.from(
      { length: 8 }, (_, k) => BigInt(hashed(pool[k % 4], 0x58f38ded) >>> 0));
    const [a, b, c, d] = [0, 2, 4, 6].map((k) => drawn[k] | (drawn[k + 1] << 32n));
    this._step = (((c << 64n | d) << 1n) | 1n) & MASK;
    this._state = this._next(this._next(0n) + (a << 64n | b));
  }

  _next(state) {
    return (state * MULTIPLIER + this._step) & MASK;
  }

  /** A number from 0 up to, not including, 1. */
  draw() {
    this._state = this._next(this._state);
    const word = BigInt.asUintN(64, this._state >> 64n ^ this._state);
    const turned = this._state >> 122n;
    return Number(BigInt.asUintN(64, word >> turned | word << (64n - turned)) >> 11n) / 2 ** 53;
  }

  gumbel() {
    for (;;) {
      const number = 1 - this.draw();
      if (number < 1) return -Math.log(-Math.log(number));
    }
  }
}

/** The action with the greatest number among those that a mask allows. */
function greatest(mask, numberOf) {
  let [best, most] = [-1, -Infinity];
  mask.forEach((legal, action) => {
    const number = numberOf(action);
    if (legal && (best < 0 || number > most)) [best, most] = [action, number];
  });
  return best;
}

function drawnAction(mask, generator) {
  return greatest(mask, () => generator.draw());
}

// ---------------------------------------------------------------- memories

export function signs(bytes) {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

export function toText(numbers) {
  return btoa(signs(new Uint8Array(numbers.buffer)));
}

// ---------------------------------------------------------------- names

const cut = (text, sign) => {
  const place = text.indexOf(sign);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
};

export class Players {
  constructor(game, refuse, shown) {
    this._game = game;
    this._refuse = refuse;
    this._shown = shown;
    this._loaded = new Map(); // policies by full name
    this._last = null; // the name of the one that was loaded last
    this.seed(0n);
  }

  /** Seed the generator of what is drawn without a seed of its own. */
  seed(number) {
    this._draws = new Generator(number);
  }

  // ------------------------------------------------------------ policies

  /** The file of a policy beside this module, if it is the name of one. */
  fileOf(name) {
    return table.policies.find((policy) => policy.name === this._full(name))?.file;
  }

  _full(name) {
    const own = GAMES.find((prefix) => name.startsWith(prefix));
    return `@NAME@/${own ? name.slice(own.length) : name}`;
  }

  /** Take a policy whose weights are in memory; returns the one that it replaces, if any. */
  take(policy, content) {
    const checksum = String(
      new DataView(content.buffer, content.byteOffset).getBigUint64(CHECKSUM, true));
    const name = table.policies.find((one) => one.checksum === checksum)?.name ?? UNNAMED;
    const old = this._loaded.get(name);
    this._loaded.set(name, policy);
    this._last = name;
    return old;
  }

  /** The loaded policies by their names, the last one last. */
  get loaded() {
    const all = [...this._loaded];
    return [...all.filter(([name]) => name !== this._last),
      ...all.filter(([name]) => name === this._last)];
  }

  /** A policy that has been loaded, by its full name; "policy": the last one. */
  policy(name) {
    const policy = this._loaded.get(name === UNNAMED ? this._last : name);
    if (policy === undefined) {
      const [what, which] = name === UNNAMED ? ["no policy has", "..."]
        : [`${name} has not`, JSON.stringify(name)];
      throw this._refuse(`${what} been loaded: @LOADING@`, -10);
    }
    return policy;
  }

  // Whether a policy of the table was trained for options.
  _fits({ num_players: players, games }, options) {
    const plain = py.to_json(options);
    const same = (one) => Object.keys(one).every(
      (name) => JSON.stringify(one[name]) === JSON.stringify(plain[name]));
    return (!players.length || players.includes(plain.num_players))
      && (!games.length || games.some(same));
  }

  // ------------------------------------------------------------ who there is

  /** The names of the players that there are in games with these options, as `choose` takes
   * them. */
  names(options) {
    const fitting = table.policies.filter((policy) => this._fits(policy, options));
    let best = ["best"];
    try {
      this._best(options);
    } catch {
      best = []; // not exported
    }
    return [
      "random", "heuristic", ...Object.keys(table.levels), "search", ...best,
      ...Object.keys(table.memories), ...fitting.map((policy) => policy.name),
      ...Object.keys(table.styles).map((style) => `heuristic:style=${style}`),
    ];
  }

  // The strongest player that plays games with these options.
  _best(options) {
    for (const name of words.ranking.names(options)) {
      const policy = table.policies.find((one) => one.name === name);
      if (policy && !this._fits(policy, options)) continue;
      if (!policy && table.known.includes(name)) throw this._lacking(name, "best");
      return name;
    }
    return table.otherwise;
  }

  _lacking(name, asked = name) {
    const who = asked === name ? name : `${asked} is ${name} with these options, which`;
    const command = `dig-envs export @ENVIRONMENT@ --to @FORM@ --policy ${asked}`;
    return this._refuse(`${who} is not in this export: ${command}`, -18);
  }

  /** What a name stands for: `kind`, `name` in full, and what that player needs.
   *
   * @param options a function that returns the options of the game, which few names need. */
  parse(text, options) {
    if (typeof text !== "string")
      throw this._refuse(`a player is a name such as "heuristic", not ${this._shown(text)}`, -18);
    const [given, settings] = cut(text, ":");
    const prefix = GAMES.find((own) => given.startsWith(own)) ?? "";
    const name = given.slice(prefix.length);
    const bare = () => {
      if (settings) throw this._refuse(`${name} has no settings, such as ${settings}`, -18);
    };
    if (has(table.levels, name)) {
      bare();
      return { ...this.parse(table.levels[name], options), neverGrave: true };
    }
    if (name === "random") {
      bare();
      return { kind: "random", name };
    }
    if (name === "heuristic" || name === "scripted" || has(table.memories, name))
      return this._scripted(name === "scripted" ? "heuristic" : name, settings);
    if (name === "best") {
      bare();
      return this.parse(this._best(options()), options);
    }
    if (name === "search") return this._search(settings, "", options);
    const guide = name.endsWith("+search") ? name.slice(0, -"+search".length) : null;
    if (guide === "best") {
      const best = this._best(options());
      const policy = table.policies.find((one) => one.name === best);
      return this._search(settings, policy && !policy.remembers ? best : "", options);
    }
    const policy = this._policyName(prefix + (guide ?? name), text);
    if (guide !== null) return this._search(settings, policy, options);
    if (settings && settings !== "sample")
      throw this._refuse(`${name} has the setting :sample, not ${this._shown(settings)}`, -18);
    return {
      kind: "policy",
      policy,
      sample: settings !== "",
      name: [policy, settings].filter(Boolean).join(":"),
    };
  }

  // The full name of a policy of the table; of "policy" alone, that of the last one if it has one.
  _policyName(name, asked) {
    if (name === UNNAMED) return this._last ?? UNNAMED;
    const full = this._full(name);
    if (this.fileOf(name)) return full;
    if (table.known.includes(full)) throw this._lacking(full);
    const all = [
      "random", "heuristic", ...Object.keys(table.levels), "best", "best+search", "search:sims=500",
      ...Object.keys(table.memories), "policy", ...table.policies.map((policy) => policy.name),
    ];
    const own = full.slice("@NAME@/".length);
    const lacking = table.players.includes(own)
      ? `${own} plays in Python only`
      : `no player ${this._shown(asked)}`;
    throw this._refuse(`${lacking}; there are ${all.join(", ")}`, -18);
  }

  _scripted(who, settings) {
    try {
      const [style, careless] = words.scripted_settings(settings, who, words.game);
      const full = settings ? `${who}:${settings}` : who;
      return { kind: "scripted", who, style, careless, neverGrave: careless !== null, name: full };
    } catch (error) {
      throw this._refuse(error.message, -18);
    }
  }

  // A search with the settings of a text, without its guide, seed and time, which are apart.
  _search(settings, guide, options) {
    const [kept, found] = [[], { guide, seed: undefined, ms: undefined }];
    for (const part of settings.split(":").filter(Boolean)) {
      const [key, value] = /^\d+ms$/.test(part) ? ["ms", part.slice(0, -2)] : cut(part, "=");
      if (key === "guide" && !guide) {
        found.guide = value === "none" ? null : this._policyName(value, value);
      } else if (key === "ms") {
        const ms = Number(value);
        if (!/^\d+$/.test(value) || ms < 1 || ms > 24 * 3600 * 1000)
          throw this._refuse(`search: ms is a whole number of milliseconds, not ${value}`, -9);
        found.ms = ms;
      } else kept.push(part);
      if (key === "seed") found.seed = value;
    }
    if (found.guide === "") {
      // the usual guide, if it is here and was trained for such games
      const own = options();
      const usual = table.guides[String(py.get(own, "num_players"))];
      const policy = table.policies.find((one) => one.name === usual);
      found.guide = policy && this._fits(policy, own) ? usual : null;
    }
    if (found.ms !== undefined && kept.some((part) => part.startsWith("sims=")))
      throw this._refuse("search: give either sims or ms", -9);
    return { kind: "search", name: "search", settings: kept.join(":"), ...found };
  }

  // The full name of a search, as Python gives it: its budget, its guide, and what is not as usual.
  _nameOf({ settings, guide, ms }, sims) {
    const usual = Object.entries(table.settings[guide ? 1 : 0]);
    const given = Object.fromEntries(
      settings.split(":").map((part) => cut(part, "=")).map(
        ([key, value]) => [key, Number.isNaN(Number(value)) ? value : Number(value)]));
    const others = usual.map(([key, value]) => (
      key === "guide" ? [key, guide ?? "none"] : [key, given[key] ?? value, value]));
    const parts = others.filter(
      ([key, value, common]) => !["sims", "ms", "seed"].includes(key) && value !== common);
    const budget = ms === undefined ? `sims=${sims}` : `ms=${ms}`;
    return ["search", budget, ...parts.map(([key, value]) => `${key}=${value}`)].join(":");
  }

  /** The name of a player with a limit of time in the place of its simulations, if it searches. */
  withMs(text, ms) {
    const [name, settings] = cut(text, ":");
    if (ms === undefined || !/(^|\/|\+)search$/.test(name)) return text;
    const others = settings.split(":").filter((part) => part && !/^(sims|ms)=|^\d+ms$/.test(part));
    return [name, `ms=${ms}`, ...others].join(":");
  }

  /** The policies that a player needs and that have not been loaded. */
  needs(player) {
    const name = player.policy ?? player.guide;
    return name && name !== UNNAMED && !this._loaded.has(name) ? [name] : [];
  }

  // ------------------------------------------------------------ choosing

  /** Ask a player. It yields now and then how much of a search is done, 0 to 1, and returns its
   * `action`, its full name as `agent`, its `memory` afterwards, and what a search has `found`. */
  * asked(state, player, seat, seed, memory) {
    const draws = () => (seed === undefined ? this._draws : new Generator(seed));
    const chosen = yield* this._chosen(state, player, seat, seed, memory, draws);
    if (!player.neverGrave) return chosen;
    const [generator, share] = [draws(), player.careless ?? 0];
    const [mistaken, draw] = share ? [generator.draw() < share, generator.draw()] : [false, 0];
    const action = this._game._settled(state, seat, chosen.action, mistaken, draw);
    return { ...chosen, action };
  }

  // The choice of a player.
  * _chosen(state, player, seat, seed, memory, draws) {
    const game = this._game;
    const mask = game._maskOfMover(state, seat).slice();
    const answer = (action, more) => (
      { action, agent: player.name, memory: "", found: null, ...more });
    if (player.kind === "search")
      return answer(...(yield* this._searching(state, player, seat, seed)));
    if (player.kind === "random") return answer(drawnAction(mask, draws()));
    if (player.kind === "policy") {
      const policy = this.policy(player.policy);
      const numbers = this.remembered(player.policy, policy.remembers, memory);
      const before = numbers.slice();
      const best = game._policyChoice(state, seat, policy, numbers);
      const kept = { memory: toText(numbers) };
      if (!player.sample) return answer(best, kept);
      const { logits } = game._evaluate(state, seat, policy, before);
      const generator = draws();
      const noisy = Array.from(
        logits, (logit) => (Number.isNaN(logit) ? 0 : logit) + generator.gumbel());
      return answer(greatest(mask, (action) => noisy[action]), kept);
    }
    const [action, after] = this._scriptedChoice(state, player, seat, memory);
    return answer(action, { memory: after });
  }

  _scriptedChoice(state, { who, style }, seat, memory) {
    const game = this._game;
    if (who === "heuristic")
      return [style ? game._styled(state, seat, table.styles[style]) : game._scripted(state, seat),
        ""];
    const numbers = this.remembered(who, table.memories[who], memory);
    return [game._fromMemory(state, seat, numbers), toText(numbers)];
  }

  /** The player that gives hints to people, and what it remembers that has seen what a seat was
   * shown up to now, from what it remembered before. */
  hinting(state, seat, memory) {
    const who = table.otherwise.slice(table.otherwise.indexOf("/") + 1);
    const size = this.memoryOf(who);
    if (!size) return [who, ""];
    const numbers = this.remembered(who, size, memory);
    this._game._remembered(state, seat, numbers);
    return [who, toText(numbers)];
  }

  /** How many numbers one of the scripted players remembers. */
  memoryOf(who) {
    return has(table.memories, who) ? table.memories[who] : 0;
  }

  /** The numbers that a player remembers, so many, from its text. */
  remembered(who, count, text) {
    const numbers = new Float32Array(count);
    if (count === 0) return numbers;
    if (text === undefined)
      throw this._refuse(
        `${who} plays from memory: give memory, "" at its first decision for the seat, and later `
          + "that of its last answer", -18);
    if (text === "") return numbers;
    try {
      const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
      if (bytes.length === 4 * numbers.length)
        new Uint8Array(numbers.buffer).set(bytes);
      else text = null;
    } catch {
      text = null;
    }
    if (text === null || !numbers.every(Number.isFinite))
      throw this._refuse(`memory is not that of ${who}: give that of its last answer`, -18);
    return numbers;
  }

  // A search in memory of its own, so that others may go on beside it.
  * _searching(state, player, seat, seed) {
    const game = this._game;
    const { guide, ms } = player;
    const policy = guide ? this.policy(guide).struct : 0;
    const parts = player.settings ? [player.settings] : [];
    if (guide) parts.push("guide=policy");
    if (ms !== undefined) parts.push(`sims=${Math.min(MOST_NODES, ms * PER_MS)}`);
    if (seed !== undefined && player.seed === undefined) parts.push(`seed=${seed}`);
    const own = state.copy(); // another one may be played on before this is done
    const tree = game._tree(["search", ...parts].join(":"), policy);
    try {
      const mask = game._maskOfMover(own, seat);
      game._found = null;
      const agent = this._nameOf(player, tree.sims);
      if (own.countLegal(seat) === 1) return [mask.indexOf(1), { agent }]; // nothing to search
      if (tree.halving && ms === undefined)
        return [tree.whole(own, seat), { agent, found: tree.found() }];
      tree.begin();
      const began = performance.now();
      let [slice, told] = [1, began];
      for (let done = 0; done < tree.sims || ms !== undefined;) {
        const size = Math.min(slice, ms === undefined ? tree.sims - done : slice);
        const before = performance.now();
        tree.more(own, seat, size);
        done += size;
        const now = performance.now();
        if (ms !== undefined && now - began >= ms) break;
        if (now - before < SLICE) slice *= 2;
        else if (now - before > 2 * SLICE) slice = Math.max(1, slice >> 1);
        if (now - told < SLICE) continue;
        yield ms === undefined ? done / tree.sims : (now - began) / ms;
        told = now;
      }
      return [tree.choice(own, seat), { agent, found: tree.found() }];
    } finally {
      tree.free();
    }
  }
}
