// A finished game once more, move by move, on the main board: all hands open, or as a seat saw it;
// what a search thinks of it; the own largest mistakes.

import { button, el, said } from "./dom.js";

const PAUSE = 100; // milliseconds between two questions, however fast the slider moves
const STEP = 900; // milliseconds for a move, when it runs by itself
const SEARCH_MS = 150; // for each move of the curve
const LONG_MS = 1000; // for one move that is asked about
const OPEN = "open";
const [WIDE, HIGH, EDGE] = [600, 110, 3]; // of the curve, in its own units; EDGE is kept free
const SVG = "http://www.w3.org/2000/svg";

export class Replay {
  constructor(place, position, picture, log, send) {
    Object.assign(this, { place, position, picture, log, send });
    this.of = position.moves;
    this.at = this.of;
    this.timer = this.later = null;
    this.next = 0; // when the next question may be asked
    this.moved = false; // whether another position than the last one is shown
    this.found = new Map(); // move -> what a search found
    this.waiting = false; // for an answer of a search
    this.wanted = null; // the search that somebody has asked for, of one move
    this.slider = el("input", {
      type: "range",
      id: "move",
      min: 0,
      max: this.of,
      value: this.of,
      "aria-label": "which move",
      oninput: () => this.go(Number(this.slider.value))
    });
    const names = [
      [OPEN, "all hands open"], ["", "everybody"],
      ...position.seats.map(({ name }, seat) => [String(seat), name])
    ];
    this.seat = el("select",
      { id: "eyes", "aria-label": "as seen by", onchange: () => this.go(this.at) },
      names.map(([value, text]) => el("option", { value }, text)));
    this.done = el("p", { id: "replayed" });
    this.advice = el("p", { id: "analysis", role: "status", class: "quiet" });
    this.curve = el("div", { class: "curve", id: "curve", hidden: true });
    this.mistakes = el("div", { id: "mistakes", role: "status" });
    this.mistakesButton = button("My largest mistakes", () => this.askMistakes(),
      { id: "mistaken", hidden: position.seat === null, title: "judged by what you could know" });
    this.playButton = button("Play", () => this.toggle(), { id: "play" });
    this.curveButton = button("Chances at all moves", () => this.analyseAll(),
      { id: "values", title: "a short search before each move" });
    place.replaceChildren(
      el("section", { class: "card", "aria-label": "replay" }, el("h2", {}, "The game again"),
        el("div", { class: "tools" },
          button("|◀", () => this.go(0), { "aria-label": "first position" }),
          button("◀", () => this.go(this.at - 1), { "aria-label": "one move back", id: "before" }),
          this.playButton,
          button("▶", () => this.go(this.at + 1), { "aria-label": "one move on", id: "after" }),
          button("▶|", () => this.go(this.of), { "aria-label": "last position" }),
          el("label",
            { for: "eyes"
            },
            "as seen by"),
          this.seat),
        this.slider, this.done,
        el("div", { class: "tools" },
          button("What would the search do here?", () => this.analyse(this.at, LONG_MS),
            { id: "analyse" }),
          this.curveButton, this.mistakesButton),
        this.advice, this.mistakes, this.curve));
  }

  go(move) {
    this.moved = true;
    this.at = Math.max(0, Math.min(this.of, move));
    this.later ??= setTimeout(() => this.ask(), this.next - performance.now());
  }

  /** Ask for the position. */
  ask() {
    this.later = null;
    this.next = performance.now() + PAUSE;
    const open = this.seat.value === OPEN;
    this.send({
      type: "replay",
      moves: this.at,
      open,
      seat: open || this.seat.value === "" ? null : Number(this.seat.value)
    });
  }

  /** To the position after a decision of the log. */
  jump(decision) {
    const move = this.position.decisions[decision];
    if (move !== undefined) this.go(move);
  }

  /** The same position once more, in other colours. */
  again() {
    if (this.moved) this.go(this.at);
  }

  toggle() {
    if (this.timer) {
      this.stop();
      return;
    }
    if (this.at >= this.of) this.at = -1;
    this.playButton.textContent = "Stop";
    this.timer = setInterval(() => (this.at < this.of ? this.go(this.at + 1) : this.stop()), STEP);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.playButton.textContent = "Play";
  }

  hear({ moves, of, done, picture, text, scores, turn }) {
    this.slider.value = moves;
    this.done.replaceChildren(`${moves} of ${of} · turn ${turn} · scores ${scores.join(", ")}`,
      ...(done ? [" · ", said(done)] : []));
    const decision = Math.max(
      -1, ...Object.entries(this.position.decisions).filter(([, after]) => after <= moves).map(([
        number
      ]) => Number(number)));
    const moved =
      this.log.of(decision).map((line) => line.things).filter((things) => things.length);
    this.picture.show(
      picture, text, [], decision < 0 ? undefined : this.log.story(null, decision), moved);
    this.log.mark(decision);
    this.draw();
  }

  // ---------------------------------------------------------------- what a search thinks

  analyse(move, ms) {
    if (move >= this.of) {
      this.advice.textContent = "The game is over here: go back a move.";
      return;
    }
    this.advice.textContent = "Searching …";
    this.wanted = { move, ms };
    if (!this.waiting) this.look(move, ms);
  }

  /** A short search before each move, one after the other; the curve grows with them. */
  analyseAll() {
    this.all = !this.all;
    this.curveButton.textContent = this.all ? "Stop the search" : "Chances at all moves";
    if (this.all && !this.waiting) this.analyseNext();
  }

  /** Ask for a search: one at a time, the next when the answer is there. */
  look(move, ms) {
    this.waiting = true;
    this.send({ type: "analyse", moves: move, ms });
  }

  /** Something has been refused: no answer comes. */
  failed() {
    this.mistakesButton.disabled = false;
    if (!this.told) this.mistakes.replaceChildren();
    this.waiting = this.all = false;
    this.wanted = null;
    this.advice.textContent = "";
    this.curveButton.textContent = "Chances at all moves";
  }

  analyseNext() {
    const next = [...Array(this.of).keys()].find((move) => !this.found.has(move));
    if (!this.all || next === undefined) {
      this.all = false;
      this.curveButton.textContent = "Chances at all moves";
      return;
    }
    this.look(next, SEARCH_MS);
  }

  hearAnalysis(found) {
    this.waiting = false;
    this.found.set(found.moves, found);
    if (this.wanted?.move === found.moves) {
      this.wanted = null;
      this.tell(found);
    }
    this.draw();
    if (this.wanted) this.look(this.wanted.move, this.wanted.ms);
    else if (this.all) this.analyseNext();
  }

  askMistakes() {
    this.mistakesButton.disabled = true;
    this.mistakes.replaceChildren(el("p", { class: "quiet" }, "Looking at each of your moves …"));
    this.send({ type: "mistakes" });
  }

  /** The own largest mistakes; a click goes to where one was made. */
  hearMistakes({ mistakes }) {
    this.told = true;
    const worth = (one, { played, better }) => `${Math.round(one.chance)} %${
      better.chance - played.chance < 1 ? `, score ${one.score.toFixed(1)}` : ""}`;
    const share = this.position.cooperative ? "that all win" : "of winning";
    this.mistakes.replaceChildren(el("h3", {}, "Your largest mistakes"),
      mistakes.length
        ? el("ol", { class: "moves" },
            mistakes.map((one) => el("li", {},
              button(`Turn ${one.turn}, decision ${one.decision + 1}: ${one.played.label}`,
                () => this.go(one.moves),
                { class: "plain" }),
              el("p", {}, el("b", {}, worth(one.played, one)),
                `. Better: ${one.better.label}, `, el("b", {}, worth(one.better, one)),
                `. ${one.better.reason}`))))
        : "",
      el("p", { class: "quiet" },
        mistakes.length
          ? `Per cent: the chance ${share} by what you could know then, on ${
              mistakes[0].played.games} deals, if scripted players go on.`
          : "None that stands out from chance."));
  }

  /** What was played, and what the search would have done. */
  tell(found) {
    const name = this.position.seats[found.seat].name;
    const { played, best, reason, same } = found;
    const per = (chance) => `${Math.round(chance)} %`;
    this.advice.textContent = same
      ? `${name} did what the search would do: ${best} (chance of winning ${
          per(found.best_chance)}). ${reason}`
      : `${name}: ${played} (chance of winning ${per(found.played_chance)}). The search would do: ${
          best} (${per(found.best_chance)}). ${reason}`;
  }

  /** A line for each seat: the chance of its best action before each of its moves. */
  draw() {
    const points = [...this.found.values()].sort((one, other) => one.moves - other.moves);
    this.curve.hidden = points.length < 2;
    if (this.curve.hidden) return;
    const svg = node("svg", {
      viewBox: `0 0 ${WIDE} ${HIGH}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": "the chances over the game"
    });
    const [x, y] = [
      (move) => EDGE + (move / Math.max(1, this.of)) * (WIDE - 2 * EDGE), (chance) => EDGE + (HIGH - 2 * EDGE) * (1 - chance / 100)
    ];
    svg.append(node("line", { x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2, class: "zero" }),
      node("line", { x1: x(this.at), x2: x(this.at), y1: 0, y2: HIGH, class: "now" }));
    this.position.seats.forEach((_, seat) => {
      const own = points.filter((one) => one.seat === seat)
                    .map((one) => `${x(one.moves).toFixed(1)},${y(one.best_chance).toFixed(1)}`);
      svg.append(node("polyline", { points: own.join(" "), class: `line${seat}` }));
    });
    svg.addEventListener("click", (event) => {
      const { left, width } = svg.getBoundingClientRect();
      this.go(Math.round(((event.clientX - left) / width) * this.of));
    });
    this.curve.replaceChildren(svg,
      el("p", { class: "quiet" },
        "The chance of winning before each move, for who moved; the line is 50 %. "
          + "A click goes there."));
  }

  close() {
    this.stop();
    clearTimeout(this.later);
    this.all = false;
    this.place.replaceChildren();
  }
}

function node(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
