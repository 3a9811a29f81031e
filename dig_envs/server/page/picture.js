// The picture of a position, whose things can be clicked: each legal action belongs to one or several of them.

import { button, el } from "./dom.js";

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

/**
 * A picture to click at. `act(action)` is called with what was decided; `narrowed(actions)` with the actions that are left while
 * somebody decides step by step, null when nothing is chosen.
 */
export class Picture {
  constructor(act, narrowed) {
    this.act = act;
    this.narrowed = narrowed;
    this.frame = el("div", { class: "picture" });
    this.menu = el("div", { class: "menu", role: "group", "aria-label": "which of these" });
    this.menu.hidden = true;
    this.element = el("section", { class: "board", "aria-label": "the position" }, this.frame, this.menu);
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.chosen.length) {
        event.preventDefault();
        this.back();
      }
    });
    this.legal = [];
    this.chosen = [];
  }

  /** Show a picture (SVG text; the text drawing where there is none) and what can be done in it. */
  show(svg, text, legal) {
    const focused = this.frame.contains(document.activeElement) ? document.activeElement.dataset.thing : null;
    const drawn = parsed(svg);
    this.frame.replaceChildren(drawn ?? el("pre", { class: "drawing", tabindex: "0" }, text));
    this.legal = drawn ? legal : [];
    this.chosen = [];
    this.things = new Map([...this.frame.querySelectorAll("[data-thing]")].map((thing) => [thing.dataset.thing, thing]));
    for (const thing of this.things.values()) this.prepare(thing);
    this.mark();
    if (focused && this.frame.isConnected) this.focus(focused);
  }

  prepare(thing) {
    thing.addEventListener("click", (event) => {
      if (!thing.classList.contains("open")) return; // a thing around it may be meant
      event.stopPropagation();
      this.choose(thing.dataset.thing);
    });
    thing.addEventListener("keydown", (event) => {
      if ((event.key !== "Enter" && event.key !== " ") || event.target !== thing || !thing.classList.contains("open")) return;
      event.preventDefault();
      this.choose(thing.dataset.thing);
    });
  }

  /** The actions that are left, all of whose chosen things were clicked. */
  get left() {
    return this.legal.filter((legal) => this.chosen.every((name) => legal.things.includes(name)));
  }

  /** Mark what can be clicked next: the things of the actions that are left. */
  mark() {
    const next = new Map(); // thing -> the actions that are left and belong to it
    for (const { action, things } of this.left) {
      for (const name of things) if (!this.chosen.includes(name)) next.set(name, [...(next.get(name) ?? []), action]);
    }
    for (const [name, thing] of this.things) {
      const open = next.has(name);
      thing.classList.toggle("open", open);
      thing.classList.toggle("chosen", this.chosen.includes(name));
      if (open) {
        thing.dataset.actions = next.get(name).join(" ");
        thing.setAttribute("role", "button");
        thing.setAttribute("tabindex", "0");
        thing.setAttribute("aria-label", words(thing));
      } else {
        thing.removeAttribute("data-actions");
        thing.removeAttribute("role");
        thing.removeAttribute("tabindex");
        thing.removeAttribute("aria-label");
      }
    }
    this.frame.classList.toggle("deciding", next.size > 0);
  }

  choose(name) {
    const left = this.left.filter((legal) => legal.things.includes(name));
    if (left.length === 1) {
      this.chosen = [];
      this.closeMenu();
      this.act(left[0].action);
      return;
    }
    this.chosen.push(name);
    this.mark();
    this.openMenu(left);
    this.narrowed(left);
  }

  back() {
    const name = this.chosen.pop();
    this.mark();
    if (this.chosen.length) {
      this.openMenu(this.left);
      this.narrowed(this.left);
    } else {
      this.closeMenu();
      this.narrowed(null);
    }
    this.focus(name);
  }

  openMenu(left) {
    const what = this.chosen.map((name) => words(this.things.get(name))).join(" · ");
    this.menu.replaceChildren(
      el("p", {}, `${what}: what about it?`),
      ...left.map((legal) => button(legal.text, () => {
        this.chosen = [];
        this.closeMenu();
        this.act(legal.action);
      }, { "data-action": legal.action })),
      button("back (Esc)", () => this.back(), { class: "plain" }),
    );
    this.menu.hidden = false;
    this.menu.querySelector("button").focus({ preventScroll: true });
    this.menu.scrollIntoView({ block: "nearest" });
  }

  closeMenu() {
    this.menu.hidden = true;
    this.menu.replaceChildren();
  }

  focus(name) {
    const thing = this.things.get(name);
    if (thing?.classList.contains("open")) thing.focus({ preventScroll: true });
  }
}
