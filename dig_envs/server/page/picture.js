// The picture of a position, whose things can be clicked: each legal action belongs to one or several of them.

import { button, el } from "./dom.js";
import * as memory from "./memory.js";

const FORBIDDEN = "script, foreignObject, iframe, a, use[href^='http'], image";

/** The SVG of a text, or null if it is none. */
export function parsed(text) {
  if (!text) return null;
  const read = new DOMParser().parseFromString(text, "image/svg+xml");
  if (read.querySelector("parsererror") || read.documentElement.localName !== "svg") return null;
  for (const bad of read.querySelectorAll(FORBIDDEN)) bad.remove();
  for (const node of read.querySelectorAll("*")) {
    for (const { name } of [...node.attributes]) if (name.startsWith("on")) node.removeAttribute(name);
  }
  return document.importNode(read.documentElement, true);
}

/** What a thing is, in words: the title that it has itself. */
function words(thing) {
  const title = [...thing.children].find((child) => child.localName === "title");
  return title ? title.textContent.trim() : thing.dataset.thing;
}

const SMALLEST = 24; // of a mark, in units of the picture: what is smaller is hard to hit
const CORNER = 6;
const NOTHING = "title"; // the thing of actions that belong to none in particular: these are buttons beside the picture

/** An element of an SVG. */
function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** The rectangle around a thing in units of the picture, as wide and high as a finger needs. */
function around(thing, svg) {
  const { x, y, width, height } = thing.getBBox();
  const move = svg.getScreenCTM().inverse().multiply(thing.getScreenCTM());
  const corners = [[x, y], [x + width, y], [x, y + height], [x + width, y + height]].map(([a, b]) => new DOMPoint(a, b).matrixTransform(move));
  const [left, right] = [Math.min(...corners.map((at) => at.x)), Math.max(...corners.map((at) => at.x))];
  const [top, bottom] = [Math.min(...corners.map((at) => at.y)), Math.max(...corners.map((at) => at.y))];
  const [wide, high] = [Math.max(SMALLEST, right - left), Math.max(SMALLEST, bottom - top)];
  return { x: (left + right - wide) / 2, y: (top + bottom - high) / 2, width: wide, height: high };
}

/**
 * A picture to click at. `act(action)` is called with what was decided; `narrowed(actions)` with the actions that are left while
 * somebody decides step by step, null when nothing is chosen.
 *
 * What can be clicked are marks that lie over the picture, one for each thing that an action belongs to, small ones above large ones:
 * so each can be hit, whatever is drawn over its thing, and they look the same in every browser and on every colour.
 */
export class Picture {
  constructor(act, narrowed) {
    this.act = act;
    this.narrowed = narrowed;
    this.frame = el("div", { class: "picture" });
    this.menu = el("div", { class: "menu", id: "which", role: "group", "aria-label": "which of these" });
    this.menu.hidden = true;
    this.smaller = button("−", () => this.zoom(-1), { id: "smaller", "aria-label": "smaller picture" });
    this.larger = button("+", () => this.zoom(1), { id: "larger", "aria-label": "larger picture" });
    this.sizes = el("div", { class: "sizes", role: "group", "aria-label": "size of the picture" }, this.smaller, this.larger);
    this.besides = el("div", { class: "menu besides", role: "group", "aria-label": "belongs to nothing in the picture" });
    this.element = el("section", { class: "board", "aria-label": "the position" }, this.frame, this.besides, this.menu);
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.chosen.length) {
        event.preventDefault();
        this.back();
      }
    });
    this.legal = [];
    this.chosen = [];
    this.zoom(0);
  }

  /** Larger or smaller by some steps; a picture that is wider than its frame is moved within it. */
  zoom(steps) {
    const at = Math.max(0, Math.min(memory.ZOOMS.length - 1, memory.zoom() + steps));
    if (steps) memory.keepZoom(at);
    const { scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight } = this.frame;
    const [across, down] = [(scrollLeft + clientWidth / 2) / scrollWidth, (scrollTop + clientHeight / 2) / scrollHeight];
    this.frame.dataset.zoom = memory.ZOOMS[at];
    this.smaller.disabled = at === 0;
    this.larger.disabled = at === memory.ZOOMS.length - 1;
    if (!steps) return;
    this.frame.scrollLeft = across * this.frame.scrollWidth - clientWidth / 2; // what was in the middle stays there
    this.frame.scrollTop = down * this.frame.scrollHeight - clientHeight / 2;
  }

  /** Show a picture (SVG text; the text drawing where there is none) and what can be done in it. */
  show(svg, text, legal) {
    const focused = this.frame.contains(document.activeElement) ? document.activeElement.dataset.thing : null;
    const picture = parsed(svg);
    this.frame.replaceChildren(picture ?? el("pre", { class: "drawing", tabindex: "0" }, text));
    this.sizes.hidden = !picture;
    this.legal = picture ? legal : [];
    this.chosen = [];
    this.things = new Map([...this.frame.querySelectorAll("[data-thing]")].map((thing) => [thing.dataset.thing, thing]));
    this.marks = new Map();
    if (picture) this.prepare(picture);
    this.mark();
    this.showBesides();
    this.bringIntoSight();
    if (focused && this.frame.isConnected) this.focus(focused);
  }

  /** A mark for each thing that can be clicked, now or later in this decision; large ones below small ones, else in the order of the picture. */
  prepare(svg) {
    const names = new Set(this.legal.flatMap((legal) => legal.things).filter((name) => name !== NOTHING));
    const places = [...this.things].filter(([name]) => names.has(name)).map(([name, thing]) => ({ name, thing, box: around(thing, svg) }));
    const size = ({ box }) => Math.round(Math.log2(box.width * box.height));
    places.sort((one, other) => size(other) - size(one));
    for (const { name, thing, box } of places) {
      const edge = (kind) => drawn("rect", { class: kind, rx: CORNER, ...box });
      const mark = drawn("g", { class: "mark", "data-thing": name }, drawn("title", {}, words(thing)), edge("halo"), edge("edge"));
      mark.addEventListener("click", () => this.choose(name));
      mark.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.choose(name);
      });
      this.marks.set(name, mark);
    }
    svg.append(drawn("g", { class: "marks" }, ...this.marks.values()));
  }

  /** The actions that are left, all of whose chosen things were clicked. */
  get left() {
    return this.legal.filter((legal) => this.chosen.every((name) => legal.things.includes(name)));
  }

  /** Mark what can be clicked next: the things of the actions that are left. */
  mark() {
    const next = new Map(); // thing -> the actions that are left and belong to it
    for (const { action, things } of this.left) {
      for (const name of things) if (this.marks.has(name) && !this.chosen.includes(name)) next.set(name, [...(next.get(name) ?? []), action]);
    }
    for (const [name, mark] of this.marks) {
      const open = next.has(name);
      mark.classList.toggle("open", open);
      mark.classList.toggle("chosen", this.chosen.includes(name));
      const attributes = { "data-actions": next.get(name)?.join(" "), role: "button", tabindex: "0", "aria-label": words(this.things.get(name)) };
      for (const [key, value] of Object.entries(attributes)) {
        if (open) mark.setAttribute(key, value);
        else mark.removeAttribute(key);
      }
    }
  }

  /** Move the picture in its frame if none of what can be clicked is in sight. */
  bringIntoSight() {
    const frame = this.frame.getBoundingClientRect();
    const places = [...this.frame.querySelectorAll(".open")].map((mark) => mark.getBoundingClientRect());
    if (!places.length || places.some(({ left, right }) => left >= frame.left && right <= frame.right)) return;
    this.frame.scrollLeft += places[0].left + places[0].width / 2 - frame.left - frame.width / 2;
  }

  /** The actions that belong to nothing in the picture, such as passing. */
  showBesides() {
    const besides = this.legal.filter((legal) => !legal.things.some((name) => this.marks.has(name)));
    this.besides.hidden = !besides.length;
    this.besides.replaceChildren(...besides.map((legal) => button(legal.label, () => this.act(legal.action), { "data-action": legal.action })));
  }

  /** Show to which things an action belongs; null: to none. */
  point(action) {
    const things = this.legal.find((legal) => legal.action === action)?.things ?? [];
    for (const [name, mark] of this.marks ?? []) mark.classList.toggle("meant", things.includes(name));
  }

  /** A thing was clicked: do its action if there is one only, otherwise ask on. */
  choose(name) {
    this.chosen.push(name);
    const left = this.left;
    if (left.length === 1) this.decide(left[0].action);
    else this.askOn(left);
  }

  /** Take back the last click. */
  back() {
    const name = this.chosen.pop();
    if (this.chosen.length) {
      this.askOn(this.left);
    } else {
      this.mark();
      this.closeMenu();
      this.narrowed(null);
    }
    this.focus(name);
  }

  decide(action) {
    this.chosen = [];
    this.closeMenu();
    this.act(action);
  }

  /** Let somebody choose among the actions that are left, in the picture or in a menu. */
  askOn(left) {
    this.mark();
    this.bringIntoSight();
    this.openMenu(left);
    this.narrowed(left);
  }

  openMenu(left) {
    const what = this.chosen.map((name) => words(this.things.get(name))).join(" · ");
    this.besides.hidden = true;
    const further = this.element.querySelector(".open") !== null;
    this.menu.replaceChildren(
      el("p", {}, further ? `${what}: touch what is marked now, or choose here` : `${what}: what about it?`),
      ...left.map(({ action, label }) => button(label, () => this.decide(action), { "data-action": action, ...this.pointing(action) })),
      button("back (Esc)", () => this.back(), { class: "plain" }),
    );
    this.menu.hidden = false;
    this.menu.scrollTop = 0;
    this.menu.querySelector("button").focus({ preventScroll: true }); // it stays in sight by itself
  }

  /** Attributes of a button: while it is looked at, the picture shows to which things its action belongs. */
  pointing(action) {
    const [on, off] = [() => this.point(action), () => this.point(null)];
    const focus = (event) => event.target.matches(":focus-visible") && on();
    return { onpointerenter: on, onpointerleave: off, onfocus: focus, onblur: off };
  }

  closeMenu() {
    this.menu.hidden = true;
    this.menu.replaceChildren();
    this.besides.hidden = !this.besides.children.length;
  }

  focus(name) {
    const mark = this.marks.get(name);
    if (mark?.classList.contains("open")) mark.focus({ preventScroll: true });
  }
}
