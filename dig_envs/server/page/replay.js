// A finished game, move by move, as each seat saw it.

import { button, el } from "./dom.js";
import { parsed } from "./picture.js";

const STEP = 700; // milliseconds for a move, when it runs by itself

export class Replay {
  constructor(place, position, send) {
    this.place = place;
    this.send = send;
    this.of = position.moves;
    this.at = this.of;
    this.timer = null;
    this.slider = el("input", { type: "range", id: "move", min: 0, max: this.of, value: this.of, "aria-label": "move",
      oninput: () => this.go(Number(this.slider.value)) });
    const names = [["", "everybody"], ...position.seats.map((_, seat) => [String(seat), `player_${seat}`])];
    this.seat = el("select", { id: "eyes", "aria-label": "as seen by", onchange: () => this.go(this.at) },
      names.map(([value, text]) => el("option", { value, selected: value === String(position.seat ?? "") }, text)));
    this.done = el("p", { id: "replayed" });
    this.frame = el("div", { class: "picture" });
    this.playButton = button("Play", () => this.toggle(), { id: "play" });
    place.replaceChildren(el("section", { class: "card", "aria-label": "replay" },
      el("h2", {}, "The game again"),
      el("div", { class: "tools" },
        button("|◀", () => this.go(0), { "aria-label": "first position" }),
        button("◀", () => this.go(this.at - 1), { "aria-label": "one move back", id: "before" }),
        this.playButton,
        button("▶", () => this.go(this.at + 1), { "aria-label": "one move on", id: "after" }),
        button("▶|", () => this.go(this.of), { "aria-label": "last position" }),
        el("label", { for: "eyes" }, "as seen by"), this.seat),
      this.slider, this.done, this.frame));
  }

  go(move) {
    this.at = Math.max(0, Math.min(this.of, move));
    this.send({ type: "replay", moves: this.at, seat: this.seat.value === "" ? null : Number(this.seat.value) });
  }

  /** The same position once more, in other colours. */
  again() {
    if (this.frame.firstChild) this.go(this.at);
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
    this.done.textContent = `${moves} of ${of} · turn ${turn} · scores ${scores.join(", ")}${done ? ` · ${done}` : ""}`;
    this.frame.replaceChildren(parsed(picture) ?? el("pre", { class: "drawing" }, text));
  }

  close() {
    this.stop();
    this.place.replaceChildren();
  }
}
