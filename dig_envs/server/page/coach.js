// A guided first game: what to do next and why, at the place where to do it.

import { button, el, say } from "./dom.js";
import { face, teacher } from "./faces.js";
import { inSight } from "./picture.js";
import { tOf } from "./words.js";

const GAP = 10; // pixels between the words and what they are about
const LARGE = 0.08; // of the board: a larger thing is a panel, which may be covered
const FAR = 12; // square pixels that it rather covers than to be a pixel further away

export class Coach {
  /** `part` is the list of actions, for actions that belong to nothing in the picture; `skip()` is
   * called when somebody wants to be told no more. */
  constructor(picture, part, skip) {
    this.picture = picture;
    this.part = part;
    this.step = null;
    this.words = el("p", { id: "coached", "data-said": true });
    this.count = el("span", { class: "quiet" });
    this.end = button("Skip the lesson", () => {
      this.skipped = true;
      this.show({ coach: null });
      skip();
    }, { id: "skiplesson", class: "plain small" });
    this.element = el("div", { class: "coach", id: "coach", role: "status", hidden: true },
      face(teacher()),
      el("div", {}, this.words, el("div", { class: "tools" }, this.count, this.end)));
    const again = new MutationObserver(() => this.place());
    for (const place of [picture.frame, picture.menu, part.querySelector(".list")])
      again.observe(place, { childList: true, subtree: place !== picture.frame });
    new ResizeObserver(() => this.place()).observe(picture.frame);
    picture.frame.addEventListener("scroll", () => this.place());
  }

  /** Say what there is to be said about a position. */
  show({ env, coach, legal, over }) {
    const left = this.step && this.step.action !== null && legal?.length && !coach && !over;
    if (left && !this.skipped)
      say("You went your own way, so the lesson ends here. “Take back” returns to it.");
    if (coach || legal?.length || over || this.skipped)
      this.step = this.skipped ? null : coach;
    else return void (this.element.hidden = true); // others decide
    if (this.step) {
      this.words.textContent = tOf(env, this.step.words);
      const ended = this.step.action === null;
      this.count.textContent = ended ? "" : `${this.step.step} of ${this.step.of}`;
      this.end.textContent = ended ? "Play on" : "Skip the lesson";
    }
    this.element.hidden = !this.step;
    this.place(true);
  }

  /** Go to what is to be touched next, and mark it. */
  place(first = false) {
    for (const marked of document.querySelectorAll(".coach-mark")) {
      marked.classList.remove("coach-mark");
      marked.removeAttribute("aria-describedby");
    }
    if (!this.step || this.element.hidden) return;
    const { action } = this.step;
    const is = (one) =>
      (one.dataset.action ?? one.dataset.actions ?? "").split(" ").includes(String(action));
    const { frame, menu } = this.picture;
    const of = (place, kind) => [...place.querySelectorAll(kind)].filter(is);
    const inMenu = of(menu, "button");
    // another way is shown than the one that is meant
    if (!inMenu.length) inMenu.push(...menu.querySelectorAll("#turn"));
    const inPicture = of(frame, ".mark.open");
    const inList = of(this.part, "button");
    const [target] = [...inMenu, ...inPicture, ...inList];
    for (const one of [...inMenu, ...inPicture, ...inList]) {
      one.classList.add("coach-mark");
      one.setAttribute("aria-describedby", "coached");
    }
    const home = inMenu.length ? menu : target && inList.includes(target) ? this.part : null;
    this.element.classList.toggle("beside", home !== null);
    if (home && this.element.parentElement !== home) home.prepend(this.element);
    if (!home && this.element.nextElementSibling !== menu) menu.before(this.element);
    if (first) this.bringIntoSight(target ?? this.element);
    if (!home) this.float(target);
    if (first) this.element.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  /** Beside a thing of the picture, where it covers the least of others; without one at the
   * top. */
  float(target) {
    const board = this.picture.element.getBoundingClientRect();
    const { width, height } = this.element.getBoundingClientRect();
    const at = target?.getBoundingClientRect()
      ?? { left: board.left, right: board.right, top: board.top, bottom: board.top };
    const [across, down] = [(at.left + at.right - width) / 2, (at.top + at.bottom - height) / 2];
    const inside = (x, y) => [
      Math.max(4, Math.min(x - board.left, board.width - width - 4)),
      Math.max(4, Math.min(y, inSight(this.picture.frame)[1] - height - 4) - board.top)
    ];
    const places = [
      [across, at.bottom + GAP], [across, at.top - GAP - height], [at.right + GAP, down],
      [at.left - GAP - width, down], [at.left, at.bottom + GAP], [across, board.bottom + GAP]
    ].map(([x, y]) => inside(x, y));
    const things = [target, ...this.picture.frame.querySelectorAll("[data-thing]")]
                     .filter(Boolean)
                     .map((one) => [one, one.getBoundingClientRect()])
                     .filter(([, box]) => box.width * box.height < LARGE * board.width * board.height);
    const covers = ([x, y]) => things.reduce((sum, [one, box]) => {
      const wide = Math.min(x + width, box.right - board.left) - Math.max(x, box.left - board.left);
      const tall = Math.min(y + height, box.bottom - board.top) - Math.max(y, box.top - board.top);
      return sum + Math.max(0, wide) * Math.max(0, tall) * (one === target ? 9 : 1);
    }, FAR * Math.hypot(x + board.left - across, y + board.top - down));
    const costs = places.map(covers);
    const [left, top] = places[costs.indexOf(Math.min(...costs))];
    Object.assign(this.element.style, { left: `${left}px`, top: `${top}px` });
  }

  bringIntoSight(target) {
    const { top, bottom } = target.getBoundingClientRect();
    let [from, to] = [0, innerHeight];
    if (this.picture.frame.contains(target)) {
      const frame = this.picture.frame.getBoundingClientRect();
      [from, to] = inSight(this.picture.frame);
      [from, to] = [Math.max(from, frame.top), Math.min(to, frame.bottom)];
    }
    if (top < from || bottom > to)
      target.scrollIntoView({ block: "center", behavior: "instant" });
  }
}
