// What this browser remembers: the theme, the size of pictures, the links of tables that were
// opened here, and the game of the assistant.

const TABLES = "dig-envs:tables";
const THEME = "dig-envs:theme";
const ZOOM = "dig-envs:zoom";
const NAME = "dig-envs:name";
const ASSISTANT = "dig-envs:assistant";
const MOST = 12;

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

/** Tables that were opened here, the newest first: {game, title, when, links: [{seat, token}]}. */
export function tables() {
  const kept = read(TABLES, []);
  return Array.isArray(kept) ? kept : [];
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
