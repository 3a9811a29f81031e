// Who plays, as the page says and shows it: agents in words, opponents with a name and a face, and the
// professor who teaches.

import { drawn } from "./picture.js";

const PLAYERS = {
  human: "a person",
  heuristic: "scripted player",
  random: "random player",
  easy: "easy opponent",
  medium: "medium opponent",
  hard: "hard opponent",
  best: "strongest opponent",
};
const TEACHER = "Professor Stone";
const FACES = {
  Fern: { skin: "#f0c8a0", hair: "#7a3b1d", shirt: "#4f8a5b", long: true },
  Clay: { skin: "#8d5a3a", hair: "#2b211b", shirt: "#d08a3e", hat: "#b98d58" },
  Amber: { skin: "#e5b184", hair: "#d9962f", shirt: "#9c4f6b", bun: true },
  Rocky: { skin: "#f3d2b3", hair: "#5a5048", shirt: "#4a6d94", beard: true },
  Sandy: { skin: "#b9804f", hair: "#1f1a17", shirt: "#5d8f96", glasses: true },
  [TEACHER]: { skin: "#eec6a3", hair: "#d8d4cc", shirt: "#6d5236", beard: true, glasses: true,
    hat: "#8a6b45" },
};

/** A player in words, by its name; `together`: all win or lose together, so it is a partner. */
export function inWords(name, together = false) {
  const [, kind, ms] = /^(.+):(\d+)ms$/.exec(name) ?? [name, name];
  const who = PLAYERS[kind.replace(/^best\+search$/, "best")] ?? kind;
  return (together ? who.replace("opponent", "partner") : who)
    + (ms ? `, ${Number(ms) / 1000} s a move` : "");
}

/** Names of opponents, so many; none that somebody has already. */
export function opponents(count, taken = "") {
  const free = Object.keys(FACES).filter(
    (name) => name !== TEACHER && name.toLowerCase() !== taken.toLowerCase());
  return free.slice(0, count);
}

export function teacher() {
  return TEACHER;
}

/** The face of a name, an SVG that says nothing to those who cannot see; null for another name. */
export function face(name) {
  const one = Object.hasOwn(FACES, name) ? FACES[name] : null;
  if (!one) return null;
  const parts = [
    ["circle", { cx: 20, cy: 20, r: 20, fill: "#e9dcc3" }],
    one.long && ["path", { d: "M9 34V19a11 12 0 0 1 22 0v15z", fill: one.hair }],
    one.bun && ["circle", { cx: 20, cy: 6.5, r: 4.5, fill: one.hair }],
    ["path", { d: "M6 40a14 11 0 0 1 28 0z", fill: one.shirt }],
    ["path", { d: "M16.5 24h7v7a3.5 3 0 0 1-7 0z", fill: one.skin }],
    ["path", { d: "M10.5 19a9.5 10.5 0 0 1 19 0z", fill: one.hair }],
    one.beard && ["path", { d: "M11.5 19h17v4a8.5 8 0 0 1-17 0z", fill: one.hair }],
    ["ellipse", { cx: 20, cy: 19.5, rx: 7.5, ry: one.beard ? 6.5 : 8.5, fill: one.skin }],
    one.hat && ["path", { d: "M6 14q14-5 28 0l-6-2.5a8 8 0 0 0-16 0z", fill: one.hat }],
    ["circle", { cx: 17, cy: 19, r: 1.1, fill: "#2a2622" }],
    ["circle", { cx: 23, cy: 19, r: 1.1, fill: "#2a2622" }],
    one.glasses && ["path", { d: "M13.8 19a3 3 0 1 0 6 0a3 3 0 1 0 6 0", fill: "none",
      stroke: "#2a2622", "stroke-width": 0.8 }],
    ["path", { d: "M17.5 23q2.5 2 5 0", fill: "none", stroke: "#8a4a3a", "stroke-width": 1,
      "stroke-linecap": "round" }],
  ];
  return drawn("svg", { class: "face", viewBox: "0 0 40 40", "aria-hidden": "true" },
    ...parts.filter(Boolean).map(([tag, attributes]) => drawn(tag, attributes)));
}
