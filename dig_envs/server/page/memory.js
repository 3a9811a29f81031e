// What this browser remembers: the theme, the size of pictures, the links of tables that were
// opened here, how games have ended, the level of opponents, whether sounds are wanted, and the game
// of the assistant.

const TABLES = "dig-envs:tables";
const THEME = "dig-envs:theme";
const GAME = "dig-envs:game:"; // and the name of an environment, on a page without a server
const ZOOM = "dig-envs:zoom";
const NAME = "dig-envs:name";
const ASSISTANT = "dig-envs:assistant";
const RESULTS = "dig-envs:results";
const RESULTS_NAME = "dig-envs:results-name";
const SAVED = "dig-envs:saved";
const LEVEL = "dig-envs:level";
const SOUND = "dig-envs:sound";
const LANGUAGE = "dig-envs:language";
const MOST = 12;
const MOST_RESULTS = 300;

function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // a browser that keeps nothing: the links are still on the page
  }
}

/** A list that was kept; what is no list is forgotten. */
function list(key) {
  const kept = read(key, []);
  return Array.isArray(kept) ? kept : [];
}

/** Tables that were opened here, the newest first: {game, title, when, links: [{seat, token}]}. One
 * that was looked at has `alone` (no other person plays) and `over`, a lesson `lesson`. */
export function tables() {
  return list(TABLES);
}

/** Add to what is known of the table of a secret. */
export function noteTable(token, note) {
  const table = tableOf(token);
  if (!table || Object.entries(note).every(([key, value]) => table[key] === value)) return;
  write(TABLES, tables().map((one) => (one.game === table.game ? { ...one, ...note } : one)));
}

/** How games have ended, the newest last: {game, env, title, level, won, when}. */
export function results() {
  return list(RESULTS);
}

/** Keep how a game has ended; once, however often it is looked at. */
export function keepResult(result) {
  const known = results().find(({ game }) => game === result.game);
  if (known && known.won === result.won) return;
  const others = results().filter((one) => one !== known && one.game !== result.game);
  write(RESULTS, [...others, { ...result, when: Date.now() }].slice(-MOST_RESULTS));
}

/** Add results that were kept elsewhere. */
export function addResults(others) {
  const own = new Set(results().map(({ game }) => game));
  const all = [...results(), ...others.filter(({ game }) => !own.has(game))];
  write(RESULTS, all.sort((one, other) => one.when - other.when).slice(-MOST_RESULTS));
}

/** The name under which a server keeps the results, too; empty: under none. */
export function resultsName() {
  const kept = read(RESULTS_NAME, "");
  return typeof kept === "string" ? kept : "";
}

export function keepResultsName(name) {
  write(RESULTS_NAME, name);
}

export function forgetResults() {
  write(RESULTS, []);
}

/** Remember who had the seats when a position was saved; `playersOf` finds them. */
export function keepPlayers(position, players) {
  write(SAVED, [{ key: keyOf(position), players }, ...list(SAVED)].slice(0, MOST));
}

/** Who had the seats when a position was saved in this browser; null: it was another one. */
export function playersOf(position) {
  return list(SAVED).find(({ key }) => key === keyOf(position))?.players ?? null;
}

function keyOf({ environment, rng, turn }) {
  return `${environment} ${rng} ${turn}`;
}

/** The level of opponents that was chosen last. */
export function level() {
  const kept = read(LEVEL, "easy");
  return typeof kept === "string" ? kept : "easy";
}

export function keepLevel(name) {
  write(LEVEL, name);
}

/** Whether sounds are wanted. */
export function sound() {
  return read(SOUND, true) !== false;
}

export function keepSound(on) {
  write(SOUND, on);
}

export function keepTable(table) {
  write(TABLES, [table, ...tables().filter((other) => other.game !== table.game)].slice(0, MOST));
}

export function forgetTable(game) {
  write(TABLES, tables().filter((other) => other.game !== game));
}

/** The table that a secret belongs to, if it was opened here. */
export function tableOf(token) {
  return tables().find((table) => table.links.some((link) => link.token === token));
}

/** The game that the assistant follows: as it is saved, or null. */
export function assistant() {
  return read(ASSISTANT, null);
}

export function keepAssistant(saved) {
  write(ASSISTANT, saved);
}

/** "light" or "dark": as chosen, else as the system has it. */
export function theme() {
  const kept = read(THEME, null);
  if (kept === "light" || kept === "dark") return kept;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function keepTheme(name) {
  write(THEME, name);
}

/** The language that somebody has chosen; null: none. */
export function language() {
  return read(LANGUAGE, null);
}

export function keepLanguage(name) {
  write(LANGUAGE, name);
}

/** The name that somebody has given themselves. */
export function myName() {
  const kept = read(NAME, "");
  return typeof kept === "string" ? kept : "";
}

export function keepMyName(name) {
  write(NAME, name);
}

/** Sizes of pictures, from all of it in sight to twice as large as usual. */
export const ZOOMS = ["fit", "usual", "large", "huge"];
const USUAL = 1;

/** The size of pictures: a place in ZOOMS. */
export function zoom() {
  const kept = read(ZOOM, USUAL);
  return Number.isInteger(kept) && kept >= 0 && kept < ZOOMS.length ? kept : USUAL;
}

export function keepZoom(at) {
  write(ZOOM, at);
}

/** The game on the page of an exported game: as it is kept there, or null. */
export function game(env) {
  return read(`${GAME}${env}`, null);
}

export function keepGame(env, kept) {
  write(`${GAME}${env}`, kept);
}
