// A file with a saved position. What it says about the game is checked here, before anything is made
// of it; the position itself is checked by the rules, before it is played.

const MOST_BYTES = 200_000; // the positions of all games have less than a tenth
const MOST_DEEP = 12; // lists and objects within each other
const MOST_SHOWN = 60; // characters of what a file says, in a message

/** The position in a file, and which game it is of.
 *
 * @param games of which it may be: `{ env, title, options }`, each option with its `name` and
 *   `values`: a list, or `{ least, most, step }`.
 * @returns `{ position, game }`; throws an Error that says what is wrong, and what would be right.
 */
export async function savedPosition(file, games) {
  const position = await jsonOf(file, MOST_BYTES, "position");
  if (!isObject(position)) throw new Error("A saved position is an object of JSON.");
  checkParts(position);
  const env = position.environment
    ?? (typeof position.game === "string" ? `${position.game}_v0` : undefined); // as of 0.1.0
  const game = games.find((other) => other.env === env);
  if (!game) {
    throw new Error(`The file is a position of ${shown(env)}, which cannot be played here; `
      + `it must be of ${games.map((other) => other.env).join(", ")}.`);
  }
  checkOptions(game, position.options);
  return { position, game };
}

/** The JSON of a file that somebody has chosen. */
export async function jsonOf(file, most, what) {
  if (file.size > most)
    throw new Error(`The file has ${file.size} bytes; a saved ${what} has at most ${most}.`);
  const text = await file.text().catch(() => { throw new Error("The file cannot be read."); });
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The file is not JSON, as a saved ${what} is.`);
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as it is shown in a message. */
function shown(value) {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** Refuse what is nested too deep, and numbers that are none of a position. One level after the
 * other: however deep it is, nothing calls itself. */
function checkParts(position) {
  let level = [position];
  for (let depth = 0; level.length; depth++) {
    if (depth > MOST_DEEP)
      throw new Error(`Lists and objects of a position are at most ${MOST_DEEP} deep.`);
    const wrong = level.find((one) => typeof one === "number" && !Number.isSafeInteger(one));
    if (wrong !== undefined)
      throw new Error(`The numbers of a position are integers below 2^53, not ${wrong}.`);
    level = level.flatMap(
      (one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
}

function checkOptions(game, options) {
  if (!isObject(options) || !Object.hasOwn(options, "num_players")) {
    throw new Error(
      'A position has "options", an object with "num_players" and the other options of its game.');
  }
  for (const [name, value] of Object.entries(options)) {
    const option = game.options.find((other) => other.name === name);
    if (!option) {
      throw new Error(`${game.title} has no option ${shown(name)}; its options are ${
        game.options.map((other) => other.name).join(", ")}.`);
    }
    if (!isOneOf(value, option.values)) {
      throw new Error(`The option ${name} must be ${inWords(option.values)}, not ${shown(value)}.`);
    }
  }
}

function isOneOf(value, values) {
  if (!Array.isArray(values)) {
    const { least, most, step } = values;
    return Number.isInteger(value) && value >= least && value <= most
      && (value - least) % step === 0;
  }
  return values.some((one) => ordered(one) === ordered(value));
}

/** Of a list the order does not matter here. */
function ordered(value) {
  return JSON.stringify(
    Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value);
}

function inWords(values) {
  if (!Array.isArray(values)) return `an integer from ${values.least} to ${values.most}`;
  const few = values.slice(0, 8).map((one) => JSON.stringify(one)).join(", ");
  return `one of ${few}${values.length > 8 ? ", …" : ""}`;
}
