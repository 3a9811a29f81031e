// What a thing in the picture is, in words: under the mouse, with the focus, or where a finger stays.

import { el } from "./dom.js";

const HOVER = 250; // milliseconds that the mouse rests on a thing, and …
const PRESS = 450; // … that a finger stays

export class Tip {
  /** `words(name)` says what a thing is; `frame` is where the things are; `meant(thing, event)`: the thing that a finger means. */
  constructor(frame, words, meant) {
    this.words = words;
    this.bubble = el("div", { class: "tip", id: "tip", role: "tooltip", hidden: true });
    const thing = (event) => event.target.closest?.("[data-thing]");
    frame.addEventListener("pointerover", (event) => event.pointerType === "mouse" && this.later(thing(event), HOVER));
    frame.addEventListener("pointerdown", (event) => event.pointerType !== "mouse" && this.later(meant(thing(event), event), PRESS));
    for (const end of ["pointerup", "pointercancel", "pointerleave", "scroll"]) frame.addEventListener(end, () => clearTimeout(this.timer));
    frame.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.hide());
    frame.addEventListener("focusin", (event) => event.target.matches?.(":focus-visible") && this.show(thing(event)));
    frame.addEventListener("focusout", () => this.hide());
    frame.addEventListener("contextmenu", (event) => !this.bubble.hidden && event.preventDefault());
    frame.addEventListener("click", (event) => {
      if (this.pressed) event.stopPropagation(); // the finger has asked what it is, and does nothing
      this.pressed = false;
      this.hide();
    }, { capture: true });
  }

  later(thing, wait) {
    clearTimeout(this.timer);
    if (!thing) this.hide();
    else this.timer = setTimeout(() => { this.show(thing); this.pressed = wait === PRESS; }, wait);
  }

  show(thing) {
    if (!thing?.isConnected) return;
    this.bubble.textContent = this.words(thing.dataset.thing);
    this.bubble.hidden = !this.bubble.textContent;
    const { left, right, top, bottom } = thing.getBoundingClientRect();
    const { width, height } = this.bubble.getBoundingClientRect();
    const across = Math.max(6, Math.min(innerWidth - width - 6, (left + right - width) / 2));
    const above = top - height - 8;
    this.bubble.style.left = `${across}px`;
    this.bubble.style.top = `${above > 4 ? above : Math.min(bottom + 8, innerHeight - height - 4)}px`;
  }

  hide() {
    clearTimeout(this.timer);
    this.bubble.hidden = true;
  }
}
