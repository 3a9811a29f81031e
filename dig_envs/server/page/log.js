// The log: what has happened, in sentences, grouped by turn; each line knows the things in the
// picture that it is about.

import { el } from "./dom.js";

// things that stand for a player: lit up by a line about nothing else, but not marked as what has
// just happened
export const SEAT = "seat:";

/**
 * `light(names)` is called with the things of the line that is looked at, null when none is any
 * more; `go(decision)` when a line is clicked, while a finished game is looked at.
 */
export class Log {
  constructor(light, go) {
    this.light = light;
    this.go = go;
    this.lines = [];
    this.list = el("ol", {
      class: "log",
      id: "log",
      tabindex: "0",
      "aria-label": "what has happened; arrows go from line to line",
      "data-empty": "Nothing yet."
    });
    this.list.addEventListener("keydown", (event) => this.key(event));
    // whether the newest line is in sight, and stays so when the list gets smaller
    this.atEnd = true;
    this.list.addEventListener("scroll", () => {
      const { scrollHeight, scrollTop, clientHeight } = this.list;
      // somebody has moved it, not a new size
      if (clientHeight === this.height) this.atEnd = scrollHeight - scrollTop - clientHeight < 40;
    });
    new ResizeObserver(() => {
      this.height = this.list.clientHeight;
      if (this.atEnd) this.showNewest();
    }).observe(this.list);
    this.said = el("div", {
      id: "just",
      class: "just",
      role: "log",
      "aria-live": "polite",
      "aria-label": "what has just happened"
    });
  }

  /** Lines that follow after so many; returns those that nobody has seen yet, none where all of the
   * log is told anew. */
  add(from, lines) {
    const anew = from === 0 && this.lines.length > 0;
    this.lines = [...this.lines.slice(0, from), ...lines];
    while (this.list.children.length > from) this.list.lastChild.remove();
    this.list.append(...lines.map((line) => this.row(line)));
    this.showNewest();
    return anew ? [] : lines;
  }

  row(line) {
    const { seat, words, things, turn, decision } = line;
    if (turn) return el("li", { class: "turn", tabindex: "-1", "data-said": true }, `${turn} · ${words}`);
    const [on, off] = [() => this.light(things), () => this.light(null)];
    return el("li", {
      tabindex: "-1",
      "data-said": true,
      "data-decision": decision,
      onpointerenter: on,
      onpointerleave: off,
      onfocus: on,
      onblur: off,
      onclick: () => this.go(decision)
    },
      el("span", { class: `dot seat${seat}` }), ` ${words}`);
  }

  showNewest() {
    this.atEnd = true;
    this.list.scrollTop = this.list.scrollHeight;
  }

  /** Arrows, Home and End go from line to line. */
  key(event) {
    const rows = [...this.list.children];
    const at = rows.indexOf(document.activeElement);
    const to = {
      ArrowUp: at < 0 ? rows.length - 1 : at - 1,
      ArrowDown: at + 1,
      Home: 0,
      End: rows.length - 1
    }[event.key];
    if (event.key === "Enter" && at >= 0) rows[at].click();
    else if (to === undefined || !rows[to]) return;
    else rows[to].focus();
    event.preventDefault();
  }

  get last() {
    return this.lines.length ? this.lines.at(-1).decision : -1;
  }

  /** The lines of a decision. */
  of(decision) {
    return this.lines.filter((line) => line.decision === decision && !line.turn);
  }

  /** The first decision that a seat has not made itself, after the last one that it has; for who
   * watches the last of all. */
  since(seat) {
    const decisions = [...new Set(this.lines.map((line) => line.decision))];
    let at = decisions.length - 1;
    const own = (place) => this.of(decisions[place])[0]?.seat === seat;
    while (seat !== null && at > 0 && !own(at) && !own(at - 1)) at -= 1;
    return decisions[at] ?? -1;
  }

  /** The things of what has happened up to a decision: in it, and before it since the seat's own
   * last decision. */
  story(seat, decision = this.last) {
    const things = (lines) =>
      lines.flatMap((line) => line.things).filter((name) => !name.startsWith(SEAT));
    const last = things(this.of(decision));
    const first = decision === this.last ? this.since(seat) : decision;
    const earlier = things(this.lines.filter(
      (line) => line.decision >= first && line.decision < decision && !line.turn));
    return {
      last: new Set(last),
      earlier: new Set(earlier.filter((name) => !last.includes(name)))
    };
  }

  /** Say the last sentences, at most so many, where they are read out, and on a phone above the
   * picture. */
  tell(seat, most) {
    const lines = this.lines.filter((line) => line.decision >= this.since(seat) && !line.turn);
    this.said.replaceChildren(...lines.slice(-most).map(({ seat: about,
      words }) => el("p", { "data-said": true },
      el("span", { class: `dot seat${about}` }), ` ${words}`)));
  }

  mark(decision) {
    for (const row of this.list.children)
      row.classList.toggle("here", Number(row.dataset.decision) === decision);
    this.list.querySelector(".here")?.scrollIntoView({ block: "nearest" });
  }
}
