// The picture of a position, whose things can be clicked: each legal action belongs to one or
// several of them.

import { button, el, said } from "./dom.js";
import { SEAT } from "./log.js";
import * as memory from "./memory.js";
import { Tip } from "./tip.js";
import { t, walk } from "./words.js";

const FORBIDDEN = "script, foreignObject, iframe, a, use[href^='http'], image";

/** The SVG of a text, or null if it is none. */
export function parsed(text) {
  if (!text) return null;
  const read = new DOMParser().parseFromString(text, "image/svg+xml");
  if (read.querySelector("parsererror") || read.documentElement.localName !== "svg") return null;
  for (const bad of read.querySelectorAll(FORBIDDEN)) bad.remove();
  // a search through all attributes takes long
  if (!/\son\w+\s*=/i.test(text)) return document.adoptNode(read.documentElement);
  const listeners = read.evaluate(
    "//@*[starts-with(name(), 'on')]", read, null, XPathResult.UNORDERED_NODE_SNAPSHOT_TYPE);
  for (let at = 0; at < listeners.snapshotLength; at += 1) {
    const found = listeners.snapshotItem(at);
    found.ownerElement.removeAttributeNode(found);
  }
  return document.adoptNode(read.documentElement);
}

/** What a thing is, in words: the title that it has itself, which becomes its name for those who
 * cannot see (and no second bubble). */
function words(thing) {
  const title = [...thing.children].find((child) => child.localName === "title");
  if (title) {
    thing.setAttribute("aria-label", title.textContent.trim());
    title.remove();
  }
  return thing.getAttribute("aria-label") ?? thing.dataset.thing;
}

/** Whether two lengths are those of the same thing. */
function alike(one, other) {
  return Math.abs(one - other) < 0.1 * Math.max(one, other);
}

const MOVING = 450; // milliseconds that a thing takes from where it was to where it is
const MANY = 40; // marks, from which on each is seen only under the pointer, or with the focus
export const NARROW = matchMedia("(max-width: 900px)"); // then pictures are narrow columns
const MANY_LISTED = 8; // actions that a menu lists although the picture leads on to them
const READABLE = 1.045; // scale of a picture at which its smallest letters have 12 pixels
const FINGER = 40; // pixels of what can be touched
// of what can be clicked, in units of the picture: what is smaller is hard to hit
const SMALLEST = 24;
const CORNER = 6;
const MARGIN = 40; // pixels that stay in sight above what can be clicked
// the thing of actions that belong to none in particular: these are in the list of choices only
const NOTHING = "title";
const faceDown = (said) => said.includes("face down") || said.includes(t("face down"));
export const STILL = matchMedia("(prefers-reduced-motion: reduce)"); // somebody wants no motion
const WITHIN = "[data-within]"; // what is there only while a thing is chosen

/** Actions, to be compared with others. */
export function actionsOf(legal) {
  return legal.map(({ action }) => action).join(" ");
}

/** An action in words, with its cost. */
export function named({ label, cost }) {
  return cost ? `${label} (${cost})` : label;
}

/** From where to where on the screen a part of the page is in sight: not behind what stays above
 * it. */
export function inSight(part) {
  const { scrollMarginTop, scrollMarginBottom } = getComputedStyle(part);
  return [parseFloat(scrollMarginTop), innerHeight - parseFloat(scrollMarginBottom)];
}

/** An element of an SVG. */
export function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const LAYERS = new WeakMap(); // an SVG -> its layers by their classes

/** The group of an SVG that lies over all of it, of a class; that of a thing. */
function layer(thing, name) {
  const svg = thing.ownerSVGElement;
  if (!LAYERS.has(svg)) LAYERS.set(svg, new Map());
  const layers = LAYERS.get(svg);
  if (!layers.has(name)) {
    layers.set(name, drawn("g", { class: name }));
    svg.append(layers.get(name));
  }
  return layers.get(name);
}

/** Leave out a picture's first lines, which the page has as its headline; `--tall`: the height that
 * is left. */
function withoutHeader(picture) {
  // it lies at the top, behind the words
  const header = picture.querySelector(`[data-thing="${NOTHING}"] rect`);
  const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
  const top = header ? Number(header.getAttribute("height")) + 2 : 0;
  picture.setAttribute("viewBox", `0 ${top} ${width} ${height - top}`);
  picture.style.setProperty("--tall", `${Math.ceil((height - top) * READABLE)}px`);
  picture.removeAttribute("width");
  picture.removeAttribute("height");
}

/** The rectangle around a thing in units of its picture; `back` leads from the screen to these. */
function around(thing, back = thing.ownerSVGElement.getScreenCTM().inverse()) {
  const { x, y, width, height } = thing.getBBox();
  const move = back.multiply(thing.getScreenCTM());
  const corners = [[x, y], [x + width, y], [x, y + height], [x + width, y + height]].map(
    ([a, b]) => new DOMPoint(a, b).matrixTransform(move));
  const [left, right] = [
    Math.min(...corners.map((at) => at.x)), Math.max(...corners.map((at) => at.x))
  ];
  const [top, bottom] = [
    Math.min(...corners.map((at) => at.y)), Math.max(...corners.map((at) => at.y))
  ];
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The same place, as wide and high as a finger needs. */
function reach({ x, y, width, height }, least) {
  const [wide, high] = [Math.max(least, width), Math.max(least, height)];
  return { x: x - (wide - width) / 2, y: y - (high - height) / 2, width: wide, height: high };
}

/** A rectangle with its attributes, somewhat larger (or smaller) on each side. */
function frame(kind, { x, y, width, height }, by) {
  const [wide, high] = [Math.max(2, width + 2 * by), Math.max(2, height + 2 * by)];
  return drawn(
    "rect", { class: kind, rx: CORNER, x: x - by, y: y - by, width: wide, height: high });
}

/**
 * A picture to click at. `act(action)` is called with what was decided; `narrowed(actions)` with
 * the actions that are left while somebody decides step by step, null when nothing is chosen.
 *
 * What can be clicked are marks that lie over the picture, one for each thing that an action
 * belongs to, small ones above large ones: so each can be hit, whatever is drawn over its thing,
 * and they look the same in every browser and on every colour.
 */
export class Picture {
  constructor(act, narrowed) {
    this.act = act;
    this.narrowed = narrowed;
    this.frame = el("div", { class: "picture", "data-said": true });
    this.menu = el(
      "div", { class: "menu", id: "which", role: "group", "aria-label": "which of these" });
    this.menu.hidden = true;
    this.smaller = button(
      "−", () => this.zoom(-1), { id: "smaller", "aria-label": "smaller picture" });
    this.larger = button("+", () => this.zoom(1), { id: "larger", "aria-label": "larger picture" });
    this.sizes = el("div", { class: "sizes", role: "group", "aria-label": "size of the picture" },
      this.smaller, this.larger);
    this.element = el("section", { class: "board", "aria-label": "the position", tabindex: "-1" },
      this.frame, this.menu);
    this.tip = new Tip(this.frame, (name) => this.things.get(name), words,
      (thing, event) => (
        thing?.matches(".mark") ? this.nearest(thing.dataset.thing, event) : thing?.dataset.thing));
    this.element.append(this.tip.bubble);
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.chosen.length) {
        event.preventDefault();
        this.back();
      }
    });
    this.legal = [];
    this.chosen = [];
    this.ways = []; // the actions that are left, where the picture shows what each would lead to
    this.zoom(0);
    const again = () => this.shown && this.frame.isConnected && this.show(...this.shown);
    // letters are wider now, and so are frames around them
    document.fonts.addEventListener("loadingdone", again);
  }

  /** Larger or smaller by some steps; a picture that is wider than its frame is moved within it. */
  zoom(steps) {
    const at = Math.max(0, Math.min(memory.ZOOMS.length - 1, memory.zoom() + steps));
    if (steps) memory.keepZoom(at);
    const { scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight } =
      this.frame;
    const [across, down] = [
      (scrollLeft + clientWidth / 2) / scrollWidth, (scrollTop + clientHeight / 2) / scrollHeight
    ];
    this.frame.dataset.zoom = memory.ZOOMS[at];
    this.smaller.disabled = at === 0;
    this.larger.disabled = at === memory.ZOOMS.length - 1;
    if (!steps) return;
    // what was in the middle stays there
    this.frame.scrollLeft = across * this.frame.scrollWidth - clientWidth / 2;
    this.frame.scrollTop = down * this.frame.scrollHeight - clientHeight / 2;
  }

  /**
   * Show a picture (SVG text; the text drawing where there is none), what can be done in it, and
   * what has just happened: the things of the last decision and of those before it that are still
   * to be noticed (`story`), and from where to where things have gone (`moved`, lists of names, the
   * first two from and to). What somebody has chosen stays so, if it leads to the same actions.
   */
  show(svg, text, legal, story = { last: new Set(), earlier: new Set() }, moved = []) {
    this.shown = [svg, text, legal, story];
    const [chosen, ways, left] = [this.chosen, this.ways, actionsOf(this.left)];
    const inMenu = this.menu.contains(document.activeElement);
    const before = moved.length ? this.places() : new Map();
    const said = new Map([...(this.things ?? [])].map(([name, thing]) => [name, words(thing)]));
    const focused = this.frame.contains(document.activeElement)
      ? document.activeElement.dataset.thing
      : null;
    const picture = parsed(svg);
    if (picture) withoutHeader(picture);
    this.frame.replaceChildren(picture ?? el("pre", { class: "drawing", tabindex: "0" }, text));
    if (picture) walk(picture); // before it is laid out
    this.sizes.hidden = !picture;
    this.legal = picture ? legal : [];
    this.forget();
    this.things = new Map([...this.frame.querySelectorAll("[data-thing]")].map(
      (thing) => [thing.dataset.thing, thing]));
    this.marks = new Map();
    this.things.forEach(words);
    this.tip.redrawn();
    if (picture) this.prepare(story);
    this.animate(before, moved);
    this.flip(said);
    this.chosen = chosen;
    const same = chosen.every((name) => this.marks.has(name)) && actionsOf(this.left) === left;
    if (chosen.length && same) {
      const order = ways.map(({ action }) => action); // the way that is shown comes first
      const at = ({ action }) => order.indexOf(action);
      this.askOn(this.left.sort((one, other) => at(one) - at(other)), inMenu);
    } else {
      this.chosen = [];
      this.mark();
    }
    if (focused && this.frame.isConnected) this.focus(focused);
  }

  /** Nothing is chosen any more. */
  forget() {
    this.chosen = [];
    this.ways = [];
    this.closeMenu();
  }

  /**
   * A mark for each thing that can be clicked, now or later in this decision; large ones below
   * small ones, else in the order of the picture. All is measured before anything is drawn, so that
   * the browser lays out the picture once.
   */
  prepare(story) {
    const names = new Set(
      this.legal.flatMap((legal) => legal.things).filter((name) => name !== NOTHING));
    const coarse = matchMedia("(pointer: coarse)").matches;
    const scale = this.frame.querySelector("svg").getScreenCTM();
    const [back, least] = [scale.inverse(), coarse ? FINGER / scale.a : SMALLEST];
    const traces = [...this.things].filter(([, thing]) => !thing.closest(WITHIN))
                     .filter(([name]) => story.last.has(name) || story.earlier.has(name))
                     .map(([name, thing]) => [name, thing, around(thing, back)]);
    const places = [...this.things].filter(([name]) => names.has(name)).map(([name,
      thing]) => ({ name, thing, box: around(thing, back) }));
    for (const [name, thing, box] of traces)
      layer(thing, "traces")
        .append(frame(story.last.has(name) ? "trace" : "trace earlier", box, 1.5));
    const size = ({ box }) => Math.round(Math.log2(box.width * box.height));
    places.sort((one, other) => size(other) - size(one));
    for (const { name, thing, box } of places) {
      const mark = drawn("g", { class: "mark", "data-thing": name },
        frame("reach", reach(box, least), 0), frame("halo", box, 1), frame("edge", box, 1));
      mark.addEventListener("click", (event) => this.choose(this.nearest(name, event)));
      mark.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.choose(name);
      });
      this.marks.set(name, mark);
      layer(thing, "marks").append(mark);
    }
  }

  /** The mark that a click is meant for: what fingers need around small things lies over their
   * neighbours, so the nearest one counts. */
  nearest(name, { clientX, clientY }) {
    const far = (mark) => {
      const { left, right, top, bottom } = mark.querySelector(".edge").getBoundingClientRect();
      return Math.hypot(
        Math.max(left - clientX, 0, clientX - right), Math.max(top - clientY, 0, clientY - bottom));
    };
    let [found, least] = [name, far(this.marks.get(name))];
    for (const [other, mark] of this.marks) {
      if (!mark.classList.contains("open") || far(mark) >= least) continue;
      [found, least] = [other, far(mark)];
    }
    return found;
  }

  /** Where each thing is on the screen. */
  places() {
    return new Map(
      [...(this.things ?? [])].map(([name, thing]) => [name, thing.getBoundingClientRect()]));
  }

  /** Let things go from where they were to where they are, unless somebody wants no motion; what is
   * new comes from where it was taken. */
  animate(before, moved) {
    if (!before.size || STILL.matches || document.hidden) return;
    const came = new Map();
    for (const [from, ...to] of moved)
      for (const name of to)
        if (!before.has(name) && before.has(from)) came.set(name, from);
    const wanted = new Set(moved.flat().filter((name) => !name.startsWith(SEAT)));
    for (const [name, thing] of this.things) {
      const same = before.get(name);
      const was = same ?? before.get(came.get(name));
      if (!was || !wanted.has(name)) continue;
      const is = thing.getBoundingClientRect();
      // it stays, and has only grown
      if (same && !(alike(was.width, is.width) && alike(was.height, is.height))) continue;
      const scale = thing.ownerSVGElement.getScreenCTM().a;
      const [across, down] = [
        (was.left + was.width / 2 - is.left - is.width / 2) / scale,
        (was.top + was.height / 2 - is.top - is.height / 2) / scale
      ];
      if (Math.hypot(across, down) < 2) continue;
      thing.animate([{ transform: `translate(${across}px, ${down}px)` }, { transform: "none" }],
        { duration: MOVING, easing: "ease-in-out" });
    }
  }

  /** Let cards that are turned over flip; `said`: what each thing was before, in words. */
  flip(said) {
    if (STILL.matches || document.hidden) return;
    for (const [name, thing] of this.things) {
      if (!said.has(name) || faceDown(said.get(name)) === faceDown(words(thing)))
        continue;
      Object.assign(thing.style, { transformBox: "fill-box", transformOrigin: "center" });
      thing.animate([{ transform: "scaleX(0.05)" }, { transform: "none" }],
        { duration: MOVING, easing: "ease-out" });
    }
  }

  /** Light up things while a line of the log about them is looked at; null: none. */
  light(names) {
    for (const light of this.frame.querySelectorAll(".light")) light.remove();
    for (const name of names ?? []) {
      const thing = this.things?.get(name);
      if (thing) layer(thing, "lights").append(frame("light", around(thing), 2));
    }
  }

  /** The actions that are left, all of whose chosen things were clicked. */
  get left() {
    return this.legal.filter((legal) => this.chosen.every((name) => legal.things.includes(name)));
  }

  /** Mark what can be clicked next: the things of the actions that are left. */
  mark() {
    for (const part of this.frame.querySelectorAll(WITHIN)) {
      const here = this.chosen.includes(part.dataset.within);
      part.setAttribute("visibility", here ? "visible" : "hidden");
      part.setAttribute("opacity", here ? 1 : 0);
    }
    const next = new Map(); // thing -> the actions that are left and belong to it
    const opened = [...this.frame.querySelectorAll(`${WITHIN}[visibility=visible]`)].map(
      (part) => part.getBoundingClientRect()); // what lies below them cannot be touched
    const away = new Set([...this.marks.keys()].filter((name) => {
      const thing = this.things.get(name);
      const within = thing.closest(WITHIN);
      if (within) return within.getAttribute("visibility") === "hidden";
      if (!opened.length) return false;
      const { left, top, width, height } = thing.getBoundingClientRect();
      const [across, down] = [left + width / 2, top + height / 2];
      return opened.some((box) => box.left <= across && across <= box.right && box.top <= down
        && down <= box.bottom);
    }));
    for (const { action, things } of this.left) {
      for (const name of things)
        if (this.marks.has(name) && !this.chosen.includes(name) && !away.has(name))
          next.set(name, [...(next.get(name) ?? []), action]);
    }
    this.frame.querySelector(".marks")?.classList.toggle("thin", next.size > MANY);
    const does = (actions, what) => { // what pressing it does, where that is one thing
      const [one, ...others] = this.left.filter(({ action }) => actions?.includes(action));
      return one && !others.length ? `${named(one)}. ${what}` : what;
    };
    for (const [name, mark] of this.marks) {
      const chosen = this.chosen.includes(name);
      const open = next.has(name) || (chosen && this.ways.length > 1); // each click turns it
      mark.classList.toggle("open", open);
      mark.classList.toggle("chosen", chosen);
      const attributes = {
        "data-actions": next.get(name)?.join(" ") ?? "",
        role: "button",
        tabindex: "0",
        "aria-label": does(next.get(name), words(this.things.get(name)))
      };
      for (const [key, value] of Object.entries(attributes)) {
        if (open) mark.setAttribute(key, value);
        else mark.removeAttribute(key);
      }
    }
  }

  /** Move the picture in its frame if nothing of what can be clicked is in sight, or less than half
   * of what has room there; or where the whole page moves, that. */
  bringIntoSight() {
    const { clientWidth, clientHeight, scrollWidth, scrollHeight } = this.frame;
    if (scrollWidth <= clientWidth && scrollHeight <= clientHeight) {
      const [from, to] = inSight(this.frame);
      const marks = [...this.frame.querySelectorAll(".open")];
      const seen = marks.some((mark) => {
        const { top, bottom } = mark.getBoundingClientRect();
        return top >= from && bottom <= to;
      });
      if (!seen) marks[0]?.scrollIntoView({ block: "nearest" });
      return;
    }
    const frame = this.frame.getBoundingClientRect();
    const places = [...this.frame.querySelectorAll(".open")].map(
      (mark) => mark.getBoundingClientRect());
    const seen = places.filter(({ left, right, top, bottom }) => left >= frame.left
      && right <= frame.right && top >= frame.top && bottom <= frame.bottom);
    const top = Math.min(...places.map((place) => place.top));
    const bottom = Math.max(...places.map((place) => place.bottom));
    const roomy = bottom - top + MARGIN < frame.height;
    if (!places.length || 2 * seen.length >= places.length || (seen.length && !roomy)) return;
    const [first] = places;
    this.frame.scrollLeft += first.left + first.width / 2 - frame.left - frame.width / 2;
    this.frame.scrollTop += top - frame.top - MARGIN;
  }

  /** Whether an action can be done by touching something in the picture. */
  has({ things }) {
    return things.some((name) => this.marks.has(name));
  }

  /** Show to which things an action belongs, or several; null: to none. */
  point(...actions) {
    const things =
      this.legal.filter((legal) => actions.includes(legal.action)).flatMap((legal) => legal.things);
    for (const [name, mark] of this.marks ?? [])
      mark.classList.toggle("meant", things.includes(name));
    for (const ghost of this.frame.querySelectorAll("[data-ghost]")) {
      const of = this.legal.find((legal) => legal.text === ghost.dataset.ghost);
      ghost.setAttribute(
        "display", of && actions.length === 1 && of.action === actions[0] ? "inline" : "none");
    }
  }

  /** Whether the picture shows beforehand what an action would lead to. */
  previews(legal) {
    return this.frame.querySelector(`[data-ghost="${legal.text}"]`) !== null;
  }

  /** A thing was clicked: do its action if there is one only, otherwise ask on. */
  choose(name) {
    if (this.chosen.includes(name)) {
      this.turn();
      return;
    }
    this.chosen.push(name);
    const left = this.left;
    if (left.length === 1 && !left[0].warning && !this.previews(left[0])) this.decide(left[0]);
    else this.askOn(left);
  }

  /** Show the next of the ways in which an action can be done. */
  turn() {
    this.ways.push(this.ways.shift());
    this.openMenu(this.ways);
  }

  /** Take back the last click. */
  back() {
    const name = this.chosen.pop();
    this.ways = [];
    if (this.chosen.length) {
      this.askOn(this.left);
    } else {
      this.mark();
      this.closeMenu();
      this.narrowed(null);
    }
    this.focus(name);
  }

  decide(legal) {
    const name = this.chosen[0];
    this.forget();
    this.mark();
    if (name) this.focus(name);
    this.act(legal);
  }

  /** Let somebody choose among the actions that are left, in the picture or in a menu, which takes
   * the focus. */
  askOn(left, focus = true) {
    this.ways = left.every((one) => this.previews(one)) ? [...left] : [];
    this.mark();
    this.bringIntoSight();
    this.openMenu(left, focus);
    this.narrowed(left);
  }

  openMenu(left, focus = true) {
    const what = this.chosen.map((name) => `${words(this.things.get(name))}.`)
                   .join(" ").replaceAll(/([.!?])\./g, "$1");
    const preview = this.ways.length > 0;
    const open = (name) => this.marks.get(name)?.classList.contains("open");
    // many are not listed again if the picture leads on to them
    const listed = left.filter(({ things }) => left.length <= MANY_LISTED || !things.some(open));
    const asked = preview                  ? "Like this?"
      : !this.frame.querySelector(".open") ? "What will you do?"
      : listed.length                      ? "Touch what is marked now, or choose here."
                                           : "Touch what is marked now.";
    const first = listed.filter((one) => !one.warning); // what cannot be undone comes last
    const choices = preview ? this.ways.slice(0, 1)
                            : [...first, ...listed.filter((one) => one.warning)];
    this.menu.replaceChildren(
      el("p", {}, ...(preview ? [] : [said(what), " "]), asked),
      ...choices.map((one) => button(preview ? "✓ Keep it" : named(one), () => this.decide(one), {
        "data-action": one.action,
        "aria-label": named(one),
        title: one.text,
        "data-said": !preview,
        ...(preview ? {} : this.pointing(one.action))
      })),
      this.ways.length > 1 ? button("↻ Turn it", () => this.turn(), { id: "turn" }) : "",
      button(matchMedia("(pointer: coarse)").matches ? "back" : "back (Esc)", () => this.back(),
        { class: "plain" }),
    );
    this.menu.hidden = false;
    this.menu.scrollTop = 0;
    // it stays in sight by itself
    if (focus) (first.length ? this.menu.querySelector("button")
      : (!choices.length && this.frame.querySelector(".open")) || this.menu.lastChild)
      .focus({ preventScroll: true });
    this.point(...(preview ? [this.ways[0].action] : []));
  }

  /** Attributes of a button: while it is looked at, the picture shows to which things its action
   * belongs. */
  pointing(...actions) {
    const [on, off] = [() => this.point(...actions), () => this.point()];
    const focus = (event) => event.target.matches(":focus-visible") && on();
    return { onpointerenter: on, onpointerleave: off, onfocus: focus, onblur: off };
  }

  closeMenu() {
    this.menu.hidden = true;
    this.menu.replaceChildren();
    this.point();
  }

  focus(name) {
    const mark = this.marks.get(name);
    if (mark?.classList.contains("open")) mark.focus({ preventScroll: true });
  }
}
