// The page in other languages. Every text is made in English, and translated where it comes onto
// the page, by a table: English text -> text in the language. Both may have gaps: `{n}`, `{n2}` … are
// numbers, `{what}` is a name or another text of the table, `{Who}`, with a capital, any text. An
// entry that begins with a small letter is for texts that begin with a capital, too. What a game says
// is in elements with `data-said` within one with its name, `data-game`; it stays English where the
// game has no table.

import * as memory from "./memory.js";

export const LANGUAGES = { en: "English", de: "Deutsch" };
const GAPS = /\{(\w+)\}/g;
const WORD = /\p{L}\p{Ll}/u; // what is no code of a card, or a unit
const CODE = /^\S+[/:=_]\S+$/; // of an agent
const USUAL = /^Player \d+$/; // how somebody is called who has no name
// what stands between texts that are translated by themselves
const BETWEEN = /( · |; |\n|(?<=[.!?…]["”]?) (?=["“]?[\p{Lu}\d…]))/u;
const HIDDEN = "\ue000";
// the title is the first line of a picture, which the page leaves out
const SKIPPED = "script, style, pre, code, [translate=no], [data-thing=title]";
let spoken = []; // the games that have a table
let skipped = SKIPPED; // and what is said by others
const ATTRIBUTES = ["aria-label", "title", "placeholder", "label", "data-empty"];

export const missing = new Set(); // texts that the table lacks, which stay English
const exact = new Map(); // English -> translated
const forms = []; // the entries with gaps, the longest first
const known = new Map(); // part of a text -> translated, or undefined: each is looked up once
const english = new Map(); // translated -> English
const names = new Set(); // which are never translated
const watcher = new MutationObserver((changes) => {
  for (const { type, target, attributeName, addedNodes } of changes) {
    if (type === "attributes" && !target.closest(skipped)) putAttribute(target, attributeName);
    else if (type === "characterData") walk(target);
    else addedNodes.forEach(walk);
  }
});
const pen = document.createElement("canvas").getContext("2d");

/** A text in the language of the page; it may be in it already. */
export function t(text) {
  if (names.has(text)) return text;
  const source = english.get(text) ?? text;
  if (!exact.size || names.has(source)) return source;
  const said = parts(source).map((part) => {
    const found = translated(part);
    if (found === undefined) missing.add(part);
    else missing.delete(part);
    return found ?? part;
  }).join("");
  if (said !== source) english.set(said, source);
  return said;
}

/** What a game says, in the language of the page if the game has a table. */
export function tOf(env, text) {
  return spoken.some((name) => env.startsWith(`${name}_v`)) ? t(text) : text;
}

/** Names of people, which may look like words of the page. */
export function keepNames(some) {
  const fresh = some.filter((one) => !names.has(one) && !USUAL.test(one));
  if (!fresh.length) return;
  for (const name of fresh) names.add(name);
  known.clear();
  if (exact.size) walk(document.documentElement); // lines may have come before the names in them
}

/** A text, or what is translated by itself in it, with what stands between. */
function parts(text) {
  const [before, inside, after] = text.match(/^(\s*)([^]*?)(\s*)$/).slice(1);
  if (whole(inside) || names.has(inside)) return [before, inside, after];
  // a name may look like several sentences: its spaces are hidden meanwhile
  const broken = [...names].filter((name) => BETWEEN.test(name));
  const hidden = broken.reduce(
    (so, name) => so.replaceAll(name, name.replaceAll(" ", HIDDEN)), inside);
  const between = hidden.split(BETWEEN).map((part) => part.replaceAll(HIDDEN, " "));
  return [before, ...between, after];
}

/** The entry without gaps for a text. */
function whole(text) {
  return exact.get(text) ?? exact.get(text.charAt(0).toLowerCase() + text.slice(1));
}

/** One part of a text; undefined if the table lacks it. */
function translated(part) {
  if (!WORD.test(part) || CODE.test(part) || names.has(part) || english.has(part)) return part;
  if (!known.has(part)) {
    const plain = part.replaceAll("\u00a0", " ");
    let said = whole(plain) ?? filled(plain);
    if (/^\p{Lu}/u.test(plain)) said &&= said.charAt(0).toUpperCase() + said.slice(1);
    if (plain !== part) said &&= said.replaceAll(" ", "\u00a0");
    known.set(part, said);
    if (said !== undefined && said !== part) english.set(said, part);
  }
  return known.get(part);
}

/** What an entry with gaps has for a part; the table has what is in the gaps, too. */
function filled(part) {
  for (const { form, gaps, words } of forms) {
    const values = form.exec(part)?.slice(1).map((value, at) => filling(gaps[at], value));
    if (values && !values.includes(undefined))
      return words.replace(GAPS, (_, gap) => values[gaps.indexOf(gap)]);
  }
  return undefined;
}

function filling(gap, value) {
  if (/^[n\p{Lu}]/u.test(gap)) return value;
  const inside = parts(value).map(translated);
  return inside.includes(undefined) ? undefined : inside.join("");
}

/** Take the words of a language, and show all in it. */
export async function speak(language) {
  const file = new URL(`${language}.json`, import.meta.url);
  const { games, words: table } = language === "en" ? { games: [], words: {} }
                                                    : await (await fetch(file)).json();
  watcher.disconnect();
  exact.clear();
  forms.length = 0;
  known.clear();
  skipped = SKIPPED;
  walk(document.documentElement); // all of it is English again
  for (const one of document.querySelectorAll("[data-said][lang]")) one.removeAttribute("lang");
  spoken = games;
  const others = games.map((name) => `:not([data-game^="${name}_v"])`).join("");
  if (games.length) skipped = `${SKIPPED}, [data-game]${others} [data-said]`;
  for (const [text, words] of Object.entries(table)) {
    const gaps = [...text.matchAll(GAPS)].map(([, gap]) => gap);
    if (!gaps.length) exact.set(text, words);
    else forms.push({ gaps, words, text, form: formOf(text) });
  }
  const length = ({ text }) => text.replace(GAPS, "").length;
  forms.sort((one, other) => length(other) - length(one));
  document.documentElement.lang = language;
  walk(document.documentElement);
  if (exact.size)
    watcher.observe(document.documentElement, {
      childList: true, subtree: true, characterData: true, attributes: true,
      attributeFilter: ATTRIBUTES,
    });
}

function formOf(text) {
  const parts = text.split(GAPS);
  const form = parts.map((part, at) => {
    if (at % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    if (part.startsWith("n")) return "([-+−]?\\d[\\d.]*)";
    return parts[at + 1] === " " ? "([^]+)" : "([^]+?)"; // names of several words before a gap
  }).join("").replace(/^[a-z]/, (letter) => `[${letter}${letter.toUpperCase()}]`);
  return new RegExp(`^${form}$`);
}

/** Whether an element is skipped, with all in it; what a game says in English is marked so. */
function stays(element) {
  if (element?.matches("[data-said]")) element.lang = "en";
  return Boolean(element);
}

/** Translate a part of the page. */
export function walk(root) {
  const element = root.nodeType === Node.ELEMENT_NODE ? root : root.parentElement;
  if (stays(element?.closest(skipped))) return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) => (node.nodeType === Node.ELEMENT_NODE && node.matches(skipped) && stays(node)
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT));
  for (let node = root; node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) putText(node);
    else for (const name of ATTRIBUTES) if (node.hasAttribute(name)) putAttribute(node, name);
  }
}

function putAttribute(element, name) {
  const is = element.getAttribute(name);
  // the notation of an action, which is for programs
  if (is === null || (name === "title" && element.dataset.action)) return;
  const said = t(is);
  if (said !== is) element.setAttribute(name, said);
}

function putText(node) {
  const is = node.data;
  const said = t(is);
  if (said === is) return;
  node.data = said;
  const line = node.parentElement;
  if (line?.localName !== "text") return;
  // a picture has no more room than the English words take
  pen.font = `${line.getAttribute("font-size")}px ${line.getAttribute("font-family")}`;
  const [room, width] = [english.get(said) ?? said, said].map((one) => pen.measureText(one).width);
  line.removeAttribute("textLength");
  if (width <= room) return;
  line.setAttribute("textLength", room.toFixed(1));
  line.setAttribute("lengthAdjust", "spacingAndGlyphs");
}

/** The choice of the language. */
export function languageChoice() {
  const choice = document.createElement("select");
  choice.id = "language";
  choice.ariaLabel = "language";
  choice.append(...Object.entries(LANGUAGES).map(([language, name]) => {
    const one = new Option(name, language, false, language === document.documentElement.lang);
    one.translate = false;
    return one;
  }));
  choice.addEventListener("change", () => {
    memory.keepLanguage(choice.value);
    speak(choice.value);
  });
  return choice;
}

const wanted = [memory.language(), ...navigator.languages.map((one) => one.slice(0, 2)), "en"];
await speak(wanted.find((one) => Object.hasOwn(LANGUAGES, one))).catch(() => speak("en"));
