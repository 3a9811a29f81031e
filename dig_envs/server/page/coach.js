// A guided first game: what to do next and why, at the place where to do it.

import { button, el, say } from "./dom.js";
import { face, teacher } from "./faces.js";

const GAP = 10; // pixels between the words and what they are about

export class Coach {
  /** `part` is the list of actions, for actions that belong to nothing in the picture; `skip()` is
   * called when somebody wants to be told no more. */
  constructor(picture, part, skip) {
    this.picture = picture;
    this.part = part;
    this.step = null;
    this.words = el("p", { id: "coached" });
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
  show({ coach, legal, over }) {
    const left = this.step && this.step.action !== null && legal?.length && !coach && !over;
    if (left && !this.skipped)
      say("You went your own way, so the lesson ends here. “Take back” returns to it.");
    if (coach || legal?.length || over || this.skipped)
      this.step = this.skipped ? null : coach;
    else return void (this.element.hidden = true); // others decide
    if (this.step) {
      this.words.textContent = this.step.words;
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
    const inPicture = [...this.picture.frame.querySelectorAll(".mark.open")].filter(is);
    const inMenu = [...this.picture.menu.querySelectorAll("button")].filter(is);
    const inList = [...this.part.querySelectorAll("button")].filter(is);
    const target = [...inMenu, ...inPicture, ...inList][0];
    for (const one of [...inMenu, ...inPicture, ...inList]) {
      one.classList.add("coach-mark");
      one.setAttribute("aria-describedby", "coached");
    }
    const beside = target && inList.includes(target);
    this.element.classList.toggle("beside", Boolean(beside));
    const home = beside ? this.part : this.picture.element;
    if (this.element.parentElement !== home) home.prepend(this.element);
    if (!beside) this.float(target);
    if (first) this.bringIntoSight(target ?? this.element);
  }

  /** Beside a thing of the picture, where there is more room; without one at the top. */
  float(target) {
    const board = this.picture.element.getBoundingClientRect();
    const { width, height } = this.element.getBoundingClientRect();
    const at = target?.getBoundingClientRect()
      ?? { left: board.left, width: board.width, top: board.top, bottom: board.top };
    const left = at.left + at.width / 2 - width / 2 - board.left;
    const below = at.bottom + GAP - board.top;
    const above = at.top - GAP - height - board.top;
    const fits = below + height <= board.height;
    Object.assign(this.element.style, {
      left: `${Math.max(4, Math.min(left, board.width - width - 4))}px`,
      top: `${Math.max(4, fits || above < 0 ? below : above)}px`,
    });
  }

  bringIntoSight(target) {
    const boxes = [target, this.element].map((one) => one.getBoundingClientRect());
    const inside = boxes.every(({ top, bottom }) => top >= 0 && bottom <= innerHeight);
    if (!inside) target.scrollIntoView({ block: "center", behavior: "instant" });
  }
}
