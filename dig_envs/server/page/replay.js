// A finished game once more, move by move, on the main board: all hands open, or as a seat saw it;
// what a search thinks of it; the own largest mistakes.

import { button, el, said } from "./dom.js";

const PAUSE = 100; // milliseconds between two questions, however fast the slider moves
const STEP = 900; // milliseconds for a move, when it runs by itself
const SEARCH_MS = 1000; // for a move that is asked about
const OPEN = "open";

export class Replay {
  constructor(place, position, picture, log, send) {
    Object.assign(this, { place, position, picture, log, send });
    this.of = position.moves;
    this.at = this.of;
    this.timer = this.later = null;
    this.next = 0; // when the next question may be asked
    this.moved = false; // whether another position than the last one is shown
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
    this.mistakes = el("div", { id: "mistakes", role: "status" });
    this.mistakesButton = button("My largest mistakes", () => this.askMistakes(),
      { id: "mistaken", hidden: position.seat === null, title: "judged by what you could know" });
    this.playButton = button("Play", () => this.toggle(), { id: "play" });
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
          button("What would the search do here?", () => this.analyse(this.at), { id: "analyse" }),
          this.mistakesButton),
        this.advice, this.mistakes));
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
  }

  // ---------------------------------------------------------------- what a search thinks

  /** Ask for a search: one at a time, the last one that was wanted when an answer is there. */
  analyse(move) {
    if (move >= this.of) {
      this.advice.textContent = "The game is over here: go back a move.";
      return;
    }
    this.advice.textContent = "Searching …";
    this.wanted = move;
    if (!this.waiting) this.look();
  }

  look() {
    this.waiting = true;
    this.send({ type: "analyse", moves: this.wanted, ms: SEARCH_MS });
  }

  /** Something has been refused: no answer comes. */
  failed() {
    this.mistakesButton.disabled = false;
    if (!this.told) this.mistakes.replaceChildren();
    this.waiting = false;
    this.wanted = null;
    this.advice.textContent = "";
  }

  hearAnalysis(found) {
    this.waiting = false;
    if (this.wanted !== found.moves) {
      if (this.wanted !== null) this.look();
      return;
    }
    this.wanted = null;
    this.tell(found);
  }

  askMistakes() {
    this.mistakesButton.disabled = true;
    this.mistakes.replaceChildren(el("p", { class: "quiet" }, "Looking at each of your moves …"));
    this.send({ type: "mistakes" });
  }

  /** The own largest mistakes; a click goes to where one was made. */
  hearMistakes({ mistakes }) {
    this.told = true;
    const share = this.position.cooperative ? "that all win" : "of winning";
    const doubt = "None stands out from chance: these may have cost most. ";
    this.mistakes.replaceChildren(el("h3", {}, "Your largest mistakes"),
      mistakes.length
        ? el("ol", { class: "moves" },
            mistakes.map((one) => el("li", {},
              button(`Turn ${one.turn}, decision ${one.decision + 1}: ${one.played.label}`,
                () => this.go(one.moves),
                { class: "plain" }),
              el("p", {}, el("b", {}, one.played.worth),
                `. Better: ${one.better.label}, `, el("b", {}, one.better.worth),
                `. ${one.better.reason}`))))
        : "",
      el("p", { class: "quiet" },
        mistakes.length
          ? `${mistakes[0].sure ? "" : doubt}Per cent: the chance ${share} by what you could know then, on ${
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

  close() {
    this.stop();
    clearTimeout(this.later);
    this.place.replaceChildren();
  }
}
