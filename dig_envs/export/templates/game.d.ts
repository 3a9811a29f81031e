// @TITLE@ (@ENVIRONMENT@) in WebAssembly.

/** A number that a seed can be: an integer; of numbers, one that is exact. It is taken modulo
 * 2^64. */
export type Seed = number | bigint;

/** Options by name, in camelCase or with underscores; what is not given has its default. See
 * `description.options`. Names and values are checked as in Python: "3" is not 3. */
export type Options = Record<string, number | string | boolean | readonly (number | string)[]>;

export interface FieldDescription {
  name: string;
  /** "int8", "uint8", "int16", "int32", "int64" or "uint64". */
  type: string;
  /** Empty for a single number. */
  shape: number[];
  /** Bytes from the beginning of the state; numbers are little-endian. */
  offset: number;
}

export interface ObservationField {
  name: string;
  shape: number[];
  /** Where its numbers are in the observation: from `start` up to, not including, `stop`. */
  start: number;
  stop: number;
  low: number | null;
  high: number | null;
  meaning: string;
}

export interface OptionDescription {
  name: string;
  /** All values, or those from `least` to `most`. A state stores numbers and booleans as they are,
   * others by their place. */
  values: unknown[] | { least: number; most: number; step: number };
  default: unknown;
  meaning: string;
}

export interface Description {
  format: number;
  /** Such as "fossil_canyon_v0". */
  environment: string;
  name: string;
  title: string;
  version: number;
  package_version: string;
  /** Whether all seats win or lose together. */
  cooperative: boolean;
  max_players: number;
  /** Actions that an episode has at most. */
  max_length: number;
  layout_hash: string;
  actions_hash: string;
  phases: string[];
  options: OptionDescription[];
  /** The texts of the actions; an action is its index. */
  actions: string[];
  observation_size: number;
  observation: ObservationField[];
  /** Bytes. */
  state_size: number;
  state: FieldDescription[];
}

/** Everything there is to know of the game without playing it. */
export const description: Description;

/** What is refused, with a code of the C library's header; nothing has changed then. */
export class GameError extends Error {
  readonly code: number;
}

/**
 * Load the game.
 *
 * @param source where the file .wasm is, or its content, or the module compiled before (as a worker
 *   may be sent it: `game.module`). By default the file lies beside this module, to which
 *   other addresses are relative, too. What cannot be read or is another file throws a GameError.
 */
export function load(
  source?: string|URL|Response|Promise<Response>|ArrayBuffer|ArrayBufferView|WebAssembly.Module,
  ): Promise<Game>;

/** The rules and the players. One Game serves one thread; states of one Game are of no use to
 * another, but their bytes are. */
export class Game {
  private constructor();
  readonly name: string;
  readonly description: Description;
  readonly actions: readonly string[];
  /** The compiled module, which can be sent to a worker and loaded there. */
  readonly module: WebAssembly.Module;
  /** The functions of the C library, without the game's name in front, for those who want them. */
  readonly exports: Record<string, Function>;
  readonly memory: WebAssembly.Memory;

  /**
   * Deal a new game. The same options and seed give the same game as in Python. Without a seed it
   * is drawn.
   *
   * @param into a state that is used again for it, which is faster than a new one.
   */
  deal(options?: Options, seed?: Seed, into?: State): State;

  /**
   * A state from JSON: what `State.toJson` gives, or `snapshot()` in Python. It is checked as it is
   * there, with all rules of what can occur in a game; what is refused throws a GameError with the
   * code -20 and the key that is wrong. The seed of the episode is not in it.
   */
  fromJson(position: unknown): State;

  /** For reducers: a new position as `deal` deals it, and the one after an action, with what each
   * seat sees of it. The position given is checked as by `fromJson` and not changed; no state of this
   * Game changes, either. */
  first(options?: Options, seed?: Seed): Next;
  next(json: unknown, seat: number, action: number, options?: { names?: Names }): Next;

  /**
   * A state that agrees with what one seat sees (`State.view` of it, or `observation["view"]` and
   * the like in Python), for whom the complete position is unknown: every player chooses for this
   * seat, and every text and picture of its view is, as from the true position. What is hidden is
   * drawn as `State.determinize` draws it.
   *
   * A view that no position agrees with throws a GameError with the code -20 and the key that is
   * wrong; a complete position is no view.
   */
  fromView(view: unknown, seat: number, seed: Seed): State;

  /** What a view shows, without a state: as `State.text`, `picture`, `headline` and `choices` of
   * the same names. `view` is what `State.view(seat)` gives, here or on a server; with the seat null
   * what everybody may know. Its form is checked (a GameError with the code -20); `choices` needs a
   * view with which a position agrees, as `fromView` does. */
  text(view: unknown, seat: number | null, options?: { names?: Names }): string;
  picture(view: unknown, seat: number | null, options?: Look): string;
  headline(view: unknown, seat: number | null, options?: { names?: Names }): string;
  choices(view: unknown, seat: number, options?: { names?: Names }): Choice[];

  /** An action in plain English, of a seat (0) among so many players (as many as possible);
   * `viewer` is called "you". */
  label(action: number,
    options
    ?: { seat?: number; numPlayers?: number; viewer?: number | null; names?: Names }): string;

  /** The guide of the game, a page of Markdown, as far as it applies with these options: each
   * paragraph, item or row is one line. `page`: what guide.js exports by default. */
  guide(page: string, options?: Options): string[];

  /** A state from its bytes, which must come from `State.bytes` or from Python: what is in them is
   * trusted. */
  fromBytes(bytes: Uint8Array): State;

  /** Seed what players draw that are asked without a seed. */
  seedRandom(seed: Seed): void;

  /** The names of the players that are in this export and play with these options; settings may
   * follow a name, such as "search:sims=500". */
  players(options?: Options): string[];

  /**
   * The action that a player chooses for a seat (by default the one to move), which has to decide.
   *
   * @param given a state, or the view of the seat, which must be named then.
   * @param player a name as in Python: "random"; "heuristic", the game's scripted player, with
   *   ":style=greedy", ":careless=0.2"; "easy", "medium", "hard"; "best"; "search:sims=500",
   *   "search:ms=200" and other settings of a search, but for `threads`, `trees`, `reuse`, `noise`,
   *   `step` and `widening`; a policy such as "go_dig/policy", also with ":sample", or with
   *   "+search:sims=500" as the guide of a search; "best+search:sims=500"; a player that only this
   *   game has. "policy" is the policy that was loaded last. What a player needs has to be loaded
   *   before (`ready`); a policy is refused in games with options that it was not trained for.
   * @param options.seed of what the player draws; with the same seed it chooses as in Python.
   * @param options.memory of a player that remembers: "" at its first decision for a seat, later the
   *   `memory` of its last answer. With it, the result has a `memory`, "" of those that remember
   *   nothing; without it such a player is refused.
   * @param options.neverGrave holds any player back from grave mistakes, as the levels are.
   */
  choose(given: State | Json, player: string | undefined,
    options: { seat?: number; seed?: Seed; memory: string; neverGrave?: boolean },
    ): { action: number; memory: string };
  choose(given: State | Json, player?: string,
    options?: { seat?: number; seed?: Seed; neverGrave?: boolean }): number;

  /**
   * Let a player choose in a worker, while the program goes on; where none can be started, it is
   * done here, a few milliseconds at a time. Policies beside the module are loaded as needed.
   *
   * @param options.player as for `choose`; by default "search".
   * @param options.ms how long a search goes on, instead of its own limit.
   * @param options.signal ends it: the promise is rejected with the signal's reason.
   * @param options.progress is told now and then how much is done, from 0 to 1.
   */
  think(given: State | Json, options?: {
    player?: string; seat?: number; ms?: number; seed?: Seed; memory?: string; neverGrave?: boolean;
    signal?: AbortSignal; progress?: (share: number) => void;
  }): Promise<Thought>;

  /** Load what a player needs in games with these options, such as "best"; rejected at once if there
   * is no such player, or if it is not in this export. */
  ready(player: string, options?: Options): Promise<void>;

  /** Load the weights of a policy that `dig-envs export --policy` has written: its name, if they lie
   * beside this module, where they are, or what is in them. Several can be loaded. */
  loadPolicy(source: string|URL|Response|Promise<Response>|ArrayBuffer|Uint8Array): Promise<void>;

  /** Whether the policy loaded last was trained for the options of a game. */
  policyFits(state: State): boolean;

  /** What the policy loaded last says of a decision: a logit for each action (0 for illegal ones) and
   * the value. It may have been trained for other options. `memory` as for `choose`. */
  evaluate(state: State, options?: { seat?: number; memory?: string }):
    { logits: Float32Array; value: number; memory: string };

  /** What the last search found at the root: visits and mean values, per action. */
  readonly found: Found;

  /** Many games at once, in memory of their own. */
  batch(size: number, options?: Options, seed?: Seed,
    settings?: { reward?: "win"|"score"; observations?: boolean }): Batch;
}

/** A position. `seen` has what each seat sees, and last what everybody may know. */
export interface Next {
  json: Json;
  seen: Seen[];
  toMove: number;
  mustDecide: number[];
  over: boolean;
}

/** What the client of a seat needs, or with the seat null somebody who only watches: the view, the
 * legal actions (none while the seat has nothing to decide), and what the seat was told. */
export interface Seen {
  seat: number | null;
  view: Json;
  legal: number[];
  told: GameEvent[];
}

/** What a search found at the root: visits and mean values, per action. */
export interface Found {
  visits: number[];
  values: Float64Array;
  simulations: number;
}

/** The choice of a player that has thought: with its full name, its memory ("" without one), and
 * what a search has found (null if it is none, or had no choice). */
export interface Thought {
  action: number;
  agent: string;
  memory: string;
  found: Found | null;
}

export interface Look {
  theme?: "light" | "dark";
  layout?: "wide" | "column";
  names?: Names;
}

/** A position. */
export class State {
  private constructor();
  readonly game: Game;

  /** A copy of the record, as Python has it: what is to be kept, sent, or read by
   * `description.state`. */
  readonly bytes: Uint8Array;
  copy(): State;

  /** The seat that is to decide, of several the lowest; -1 if the game is over. */
  readonly toMove: number;
  /** All seats that are still to decide, ascending. */
  readonly mustDecide: number[];
  readonly over: boolean;
  readonly numPlayers: number;
  /** The name of the phase. */
  readonly phase: string;

  /** A field of the state: a number (a bigint with 64 bits), or a fresh array in C order. */
  read(name: string): number | bigint | ArrayLike<number> | ArrayLike<bigint>;

  /** The legal actions of a seat, ascending; by default of the seat to move. None for a seat that
   * is not to decide. */
  legal(seat?: number): number[];
  /** 1 for each legal action of a seat, 0 for the others. */
  mask(seat?: number): Int8Array;
  /** How many legal actions a seat has, and one of them by its place in `legal()`: without a list,
   * which would have to be made. */
  countLegal(seat?: number): number;
  legalAt(place: number, seat?: number): number;
  /** The mask in WebAssembly's memory, not a copy: it holds until the next call of anything of this
   * Game. */
  maskView(seat?: number): Int8Array;
  /** Carry out an action; one that is not legal is refused. Returns the state itself. */
  apply(action: number, seat?: number): this;
  /** What a seat may know. */
  observe(seat?: number): Float32Array;

  /** Of a game that is over, per seat: winners share +1, the others -1. */
  readonly returns: Float64Array;
  readonly scores: Int32Array;
  readonly winners: boolean[];

  /** Deal anew what a seat cannot know. Returns the state itself. */
  determinize(seat: number, seed: Seed): this;

  /** The whole position as JSON: a snapshot as Python writes it, hidden parts included.
   * `Game.fromJson` takes it. */
  toJson(): Json;
  /** What a seat may know of it, in the same form; for null what everybody may know. */
  view(seat?: number | null): Json;
  /** What a seat may know, as text. */
  text(seat?: number | null, options?: { names?: Names }): string;
  /** What a seat may know, as SVG in the fonts DigSans, DigSansBold and DigSansMono, which lie
   * beside `page/style.css`. `layout`: 960 pixels wide, or a column of 360. */
  picture(seat?: number | null, options?: Look): string;
  /** Who is to decide what; of a finished game how it has ended. */
  headline(seat?: number | null, options?: { names?: Names }): string;
  /** An action in plain English; `viewer` is called "you", and is told of a legal action of its own
   * what it alone may know. */
  label(action: number, options?: { seat?: number; viewer?: number | null; names?: Names }): string;
  /** The legal actions of a seat in words, with the things of its picture that they belong to
   * (elements with `data-thing`). */
  choices(options?: { seat?: number; names?: Names }): Choice[];
  /** The things of a seat's picture that an action belongs to (elements with `data-thing`). */
  touched(action: number, seat?: number): string[];
  /** Follow what happens from here on: the actions are to be played by the log then. */
  log(options?: { names?: Names }): Log;
}

/** Names of the seats in texts; seats without one are called "Player 1" and so on. A name has 1 to
 * 40 characters, shows something, and does not look like "you", "nobody" or another name. */
export type Names = readonly string[];

export type Json = { [key: string]: unknown };

export interface Choice {
  action: number;
  /** The notation, as in `description.actions`. */
  text: string;
  label: string;
  /** The first action of its kind. */
  group: number;
  /** What is chosen one after the other by who chooses in small steps. */
  steps: string[];
  /** What it costs, in words, and what is to be asked before it is done; both may be empty. */
  cost: string;
  warning: string;
  things: string[];
}

/** Something that has happened, as one viewer may know it. What a part of it is called depends on
 * the kind. */
export interface GameEvent {
  kind: string;
  seat: number | null;
  text: string;
  things: string[];
  [part: string]: unknown;
}

/** What happens in a game, as each seat may know it. */
export class Log {
  private constructor();
  readonly state: State;
  /** How many events there have been. */
  readonly length: number;
  /** Carry out an action of the state, and note what happens. */
  play(action: number, seat?: number): this;
  /** The events from one on that a viewer is told of; null: what everybody is told. */
  told(viewer?: number | null, first?: number): GameEvent[];
  /** What to send to the client of a viewer: the view now, and the events from one on. */
  seen(viewer?: number | null, first?: number): Seen;
  /** Go back to an earlier state, after so many events. */
  goBack(state: State, length: number): this;
}

/** Games that are stepped together; one that is over is dealt anew within the same step. The arrays
 * are filled anew by each step. */
export class Batch {
  private constructor();
  readonly game: Game;
  readonly size: number;
  /** (size, number of actions): 1 for each legal action of the mover. */
  readonly masks: Int8Array;
  /** (size, observation size): what the mover sees; null without observations. */
  readonly observations: Float32Array | null;
  readonly movers: BigInt64Array;
  /** (size, max_players). */
  readonly rewards: Float32Array;
  readonly terminated: Uint8Array;
  readonly turnLimit: Uint8Array;
  /** Of the episode that ended last, (size, max_players) and (size). */
  readonly finalReturns: Float32Array;
  readonly finalLengths: BigInt64Array;
  /** The actions of the next step, to be filled in. */
  readonly actions: BigInt64Array;
  /** The position of a game, a copy. */
  state(index: number): State;
  /** Fill in `actions` with random legal ones. */
  sampleActions(): void;
  /** Carry out `actions`. With an illegal one nothing changes. */
  step(): void;
  /** Give the memory back; the batch cannot be used any more. */
  free(): void;
}
