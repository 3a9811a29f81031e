// What a thing in the picture is, in words: under the mouse, with the focus, or where a finger
// stays.

import { el } from "./dom.js";

const HOVER = 250; // milliseconds that the mouse rests on a thing, and …
const PRESS = 450; // … that a finger stays
// kind of pointer -> where it was last: where a mouse only rests, nobody has asked
const rests = new Map();
const place = ({ clientX, clientY }) => `${clientX} ${clientY}`;
for (const kind of ["pointermove", "pointerdown"]) {
  document.addEventListener(
    kind, (event) => { rests.set(event.pointerType, place(event)); }, { capture: true });
}

/** Things are known by their names, as the picture may be drawn again while somebody waits. */
export class Tip {
  /**
   * `find(name)` is the thing of a name in the picture as it is now, `words(thing)` says what it
   * is; `frame` is where the things are; `meant(thing, event)`: the name of the thing that a finger
   * means.
   */
  constructor(frame, find, words, meant) {
    this.find = find;
    this.words = words;
    this.name = null; // of the thing that is shown
    this.finger = false; // whether one is on the picture
    this.bubble = el("div", { class: "tip", id: "tip", role: "tooltip", "data-said": true, hidden: true });
    const thing = (event) => event.target.closest?.("[data-thing]");
    frame.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse" && ![...rests.values()].includes(place(event)))
        this.later(thing(event)?.dataset.thing, HOVER);
    });
    frame.addEventListener("pointerdown", (event) => {
      this.pressed = false; // a click need not follow when a finger that has stayed is lifted
      if (event.pointerType === "mouse") return;
      this.hide();
      this.later(meant(thing(event), event), PRESS);
      this.finger = true;
      // anywhere: what the finger was on may have been drawn again
      for (const end of ["pointerup", "pointercancel"]) {
        document.addEventListener(end, () => this.lifted(), { once: true });
      }
    });
    frame.addEventListener("scroll", () => clearTimeout(this.timer));
    frame.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.hide());
    frame.addEventListener("focusin",
      (event) => event.target.matches?.(":focus-visible")
        && this.show(thing(event)?.dataset.thing));
    frame.addEventListener("focusout", () => this.finger || this.hide());
    frame.addEventListener("contextmenu", (event) => !this.bubble.hidden && event.preventDefault());
    frame.addEventListener("click", (event) => {
      // the finger has asked what it is, and does nothing
      if (this.pressed) event.stopPropagation();
      this.pressed = false;
      this.hide();
    }, { capture: true });
  }

  later(name, wait) {
    clearTimeout(this.timer);
    if (!name) this.hide();
    else this.timer = setTimeout(() => { this.show(name); this.pressed = wait === PRESS; }, wait);
  }

  lifted() {
    clearTimeout(this.timer);
    this.finger = false;
  }

  show(name) {
    const thing = this.find(name);
    if (!thing) {
      this.hide();
      return;
    }
    this.name = name;
    this.bubble.textContent = this.words(thing);
    this.bubble.hidden = !this.bubble.textContent;
    const { left, right, top, bottom } = thing.getBoundingClientRect();
    const { width, height } = this.bubble.getBoundingClientRect();
    const across = Math.max(6, Math.min(innerWidth - width - 6, (left + right - width) / 2));
    const above = top - height - 8;
    this.bubble.style.left = `${across}px`;
    this.bubble.style.top = `${
      above > 4 ? above : Math.min(bottom + 8, innerHeight - height - 4)}px`;
  }

  /** The picture has been drawn again: a finger goes on asking about the thing of the same name,
   * and the mouse asks anew by itself. */
  redrawn() {
    if (!this.finger) this.hide();
    else if (!this.bubble.hidden) this.show(this.name);
  }

  hide() {
    clearTimeout(this.timer);
    this.name = null;
    this.bubble.hidden = true;
  }
}
