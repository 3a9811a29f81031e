// A game on a page: the picture, what can be done, what has happened; with a server (table.js) or
// without one (an exported game).

import { button, el } from "./dom.js";
import * as memory from "./memory.js";
import { Choices } from "./choices.js";
import { Joy, soundButton } from "./joy.js";
import { Log } from "./log.js";
import { NARROW, Picture, actionsOf, named } from "./picture.js";
import { keepNames, languageChoice, tOf } from "./words.js";

const FILTER_FROM = 16; // legal actions, from which on there is a field to find one

/** The theme and the layout that pictures shall have. */
export function look() {
  return { theme: memory.theme(), layout: NARROW.matches ? "column" : "wide" };
}

/** Set up what every page has: the language, the button for the theme, the link to the main part,
 * the fonts.
 * `changed()`: there is another theme. */
export function startPage(main, changed) {
  const toggle = document.getElementById("theme");
  toggle.before(languageChoice());
  const apply = () => {
    const theme = memory.theme();
    document.documentElement.dataset.theme = theme;
    toggle.textContent = theme === "dark" ? "☀" : "☾";
    toggle.setAttribute("aria-label", theme === "dark" ? "light page" : "dark page");
  };
  toggle.before(soundButton());
  toggle.addEventListener("click", () => {
    memory.keepTheme(memory.theme() === "dark" ? "light" : "dark");
    apply();
    changed();
  });
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the fragment may be a seat
    main.focus();
  });
  apply();
  for (const family of ["DigSans", "DigSansBold", "DigSansMono"])
    document.fonts.load(`12px ${family}`);
}

/** What pages have in common. A page adds `ask(what)`, `play(action)`, `fill(changed)` and the
 * `hearers` of its messages. */
export class Board {
  constructor() {
    this.position = null;
    this.left = null; // the actions that are left while somebody decides in the picture
    this.filter = "";
    this.fresh = []; // lines of the log that the picture does not show yet
    this.focusLater = null; // where the focus shall be when there is something to do
    this.status = el("p", { id: "status", role: "status" }, "Dealing …");
    this.players = el("ul", { class: "players", id: "players" });
    this.thinking = el("div", { class: "thinking", hidden: true });
    this.picture = new Picture((legal) => this.act(legal), (left) => this.narrowed(left));
    this.joy = new Joy(this.picture);
    this.log = new Log((names) => this.picture.light(names), (decision) => this.jump(decision));
    this.choices = new Choices(this.picture, (legal) => this.act(legal));
    this.actions = this.choices.element;
    this.search = el("input", {
      type: "search",
      id: "filter",
      placeholder: "find an action",
      "aria-label": "find an action",
      hidden: true,
      oninput: () => {
        this.filter = this.search.value;
        this.listActions();
      },
      onkeydown: (event) => this.filterKey(event)
    });
    this.actionTitle = el("h2", { class: "unseen" }, "What you can do");
    this.actionPart = el("section", { class: "card", id: "choices", "aria-label": "legal actions" },
      this.actionTitle, this.search, this.actions);
    this.hintButton = button("Hint", () => this.ask("hint"),
      { id: "hint", title: "the best actions, with your chances (H)" });
    this.backButton = button(
      "Take back", () => this.ask("back"), { id: "back", title: "take back your last action (U)" });
    this.advice = el("div", { class: "advice", id: "advice", role: "status", hidden: true });
    this.text = el("pre", { class: "drawing", id: "text", tabindex: "0" });
  }

  /** Lay out the page: `left` is beside `right`, on a small screen above it. There, one of `tabs`
   * (`[name, words]`) says which part is shown; style.css knows the parts of each. */
  arrange(left, right, tabs) {
    this.tabs = tabs.map(
      ([name, words]) => button(words, () => this.toTab(name), { "data-tab": name }));
    this.element = el("div", { class: "table" }, el("div", { class: "left" }, ...left),
      el("div", { class: "right" }, ...right),
      el("nav", { class: "tabs", "aria-label": "parts of the page" }, ...this.tabs));
    this.toTab("act");
    return this.element;
  }

  /** Show the part of a tab; that of the tab that is pressed already makes room for the board. */
  toTab(name) {
    const tab = this.element.dataset.tab === name ? "" : name;
    this.element.dataset.tab = tab;
    for (const one of this.tabs) one.setAttribute("aria-pressed", String(one.dataset.tab === tab));
  }

  /** The parts of a game and those of its end are never there together. */
  tabOfEnd(over) {
    if (this.ended === over) return;
    this.ended = over;
    this.element.dataset.tab = "";
    this.toTab(over ? "end" : "act");
  }

  hear(message) {
    this.hearers[message.type]?.(message);
  }

  /** To the position after a decision of the log, where that can be seen. */
  jump() {}

  show(position) {
    const focus = this.focused() ?? this.focusLater;
    const changed = this.position?.version !== position.version;
    // what somebody has chosen so far stays, whatever others do
    const same = this.position && actionsOf(this.position.legal) === actionsOf(position.legal);
    this.position = position;
    this.element.dataset.game = position.env;
    keepNames(position.seats?.map(({ name }) => name) ?? []);
    this.left = null;
    if (changed) this.advice.hidden = true;
    if (!same) this.forget();
    document.title = `${position.legal.length ? "● " : ""}${position.title}`;
    Object.assign(document.body.dataset, {
      version: position.version,
      over: position.over ? "yes" : "no",
      asked: position.legal.length ? "yes" : "no"
    });
    this.status.classList.toggle("mine", position.legal.length > 0);
    this.text.textContent = position.text;
    this.tabOfEnd(position.over);
    const fresh = this.fresh; // the picture takes them from here
    const ends = changed && position.over && fresh.length > 0;
    this.fill(changed);
    this.fresh = [];
    this.joy.cheer(fresh);
    if (ends) this.joy.end(position.won.length > 0
      && (position.seat === null || position.won.includes(position.seat)));
    this.listActions();
    // the list has taken its room by now; the page stays where it is while others play
    if (!same && position.legal.length > 0) this.picture.bringIntoSight();
    this.busy(false);
    this.refocus(focus);
  }

  /** Nothing of the next action is chosen any more. */
  forget() {
    this.filter = this.search.value = "";
    this.choices.path = [];
    this.choices.list.scrollTop = 0;
    this.picture.forget();
  }

  /** While an action is on its way nothing else can be clicked. */
  busy(on) {
    document.body.dataset.busy = on ? "yes" : "no";
    for (const one of this.actions.querySelectorAll("button")) one.disabled = on;
  }

  /** What has just happened, for the picture: the things to be marked, and those that have
   * moved. */
  story() {
    const moved = this.fresh.map((line) => line.things).filter((things) => things.length);
    this.fresh = [];
    return [this.log.story(this.position.seat), moved];
  }

  showLog({ from, lines }) {
    const added = this.log.add(from, lines);
    if (this.position) this.fresh.push(...added); // else they are of before somebody came
  }

  showThinking(thinking) {
    clearInterval(this.clock);
    this.thinking.hidden = !thinking;
    if (!thinking) return;
    const bar = el("progress", { "aria-label": "thinking" });
    this.thinking.replaceChildren(
      el("span", {}, `${this.position.seats[thinking.seat].name} is thinking`), bar);
    if (!thinking.seconds) return;
    const began = performance.now();
    bar.max = thinking.seconds;
    bar.value = 0;
    this.clock = setInterval(() => {
      const passed = (performance.now() - began) / 1000;
      if (passed < thinking.seconds) bar.value = passed;
      else bar.removeAttribute("value"); // later than it should be: others may be in its way
    }, 100);
  }

  /** The best actions, each with the chance of winning and a reason where there are some. */
  showAdvice({ moves, at, agent }) {
    if (at !== this.position.version) return;
    const [best] = moves;
    this.advice.hidden = false;
    this.advice.dataset.action = best.action;
    const rows = moves.map((move) => el("li", {}, this.actionButton(move),
      "worth" in move ? el("b", { class: "chance" }, move.worth) : null,
      move.choice ? el("span", { class: "its quiet" }, "its choice") : null,
      move.reason ? el("p", { class: "quiet", "data-said": true }, move.reason) : null));
    const who = /^search|\+search/.test(agent) ? "A search"
      : agent?.includes("/")                   ? "A trained agent"
                                               : "The scripted player";
    this.advice.replaceChildren(el("h2", {}, `${who} advises`), el("ol", { class: "moves" }, rows));
    if ("chance" in best)
      this.advice.append(el("p", { class: "quiet" },
        `Its choice comes first, unless another is better by more than chance. Per cent: ${
          this.position.cooperative ? "that all win" : "your chance of winning"
        } if scripted players go on, on ${
          best.games} deals of what you cannot know.`));
    this.picture.point(best.action);
    this.advice.scrollIntoView({ block: "nearest" });
  }

  // ---------------------------------------------------------------- doing something

  act(legal) {
    if (document.body.dataset.busy === "yes" || (legal.warning
      && !confirm(tOf(this.position.env, legal.warning))))
      return;
    this.focusLater = this.focused();
    this.forget();
    this.busy(true);
    this.play(legal.action);
  }

  narrowed(left) {
    this.left = left;
    this.listActions();
  }

  listActions() {
    const { legal, seat } = this.position;
    this.search.hidden = legal.length < FILTER_FROM;
    this.actionTitle.textContent = seat === null ? "You watch"
      : legal.length                             ? "What you can do"
                                                 : "Nothing to do now";
    if (legal.length) this.choices.show(this.left ?? legal, this.filter.trim().toLowerCase());
    else this.choices.fill([el("p", { class: "quiet", id: "idle" }, this.waitingFor())]);
    this.search.hidden ||= this.choices.isFolded;
  }

  /** Why there is nothing to do, in words. */
  waitingFor() {
    const names = this.position.seats.filter((one) => one.asked).map(({ name }) => name);
    return names.length ? `Waiting for ${names.join(", ")}.` : "Nothing to do now.";
  }

  /** A button that does an action; while it is looked at, the picture shows to which things the
   * action belongs. */
  actionButton({ action, text }) {
    const legal = this.position.legal.find((one) => one.action === action);
    return button(legal ? named(legal) : text, () => legal && this.act(legal),
      { "data-action": action, class: "action", "data-said": true, ...this.picture.pointing(action) });
  }

  filterKey(event) {
    const first = this.actions.querySelector("button");
    if (event.key === "Enter" && first) {
      event.preventDefault();
      first.click();
    } else if (event.key === "Escape" && this.filter) {
      event.stopPropagation();
      this.filter = this.search.value = "";
      this.listActions();
    }
  }

  /** H: hint, U: take back, /: find an action; arrows in the list of actions. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inList = event.target.closest?.("#actions");
    if (inList && ["ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft"].includes(event.key)) {
      const buttons = [...this.actions.querySelectorAll("button")];
      const step = event.key === "ArrowDown" || event.key === "ArrowRight" ? 1 : -1;
      buttons.at((buttons.indexOf(event.target) + step) % buttons.length).focus();
      event.preventDefault();
      return;
    }
    if (event.target.closest?.("input, select, textarea")) return;
    const does = { h: this.hintButton, u: this.backButton };
    const key = event.key.toLowerCase();
    if (does[key] && !does[key].disabled && !does[key].hidden) does[key].click();
    else if (key === "/" && !this.search.hidden) {
      event.preventDefault();
      this.search.focus();
    }
  }

  /** Where the focus is, so that it can be there again in the next position. */
  focused() {
    const at = document.activeElement;
    if (at === this.search) return "filter";
    if (this.picture.element.contains(at)) return "picture";
    // of a hint and of taking back, too, which are not there or cannot be pressed afterwards
    return this.element.contains(at) ? "actions" : null;
  }

  /** The focus as it was, as soon as there is something to do there again. */
  refocus(focus) {
    const at = document.activeElement;
    if (!focus || ![document.body, this.picture.element, null].includes(at)
      && !at.disabled && at.checkVisibility())
      return;
    const places = {
      actions: () => this.actions.querySelector("summary, button"),
      filter: () => (this.search.hidden ? this.actions.querySelector("button") : this.search),
      picture: () => this.picture.frame.querySelector(".open"),
    };
    const place = this.position.legal.length ? places[focus]() : null;
    // never lost: it waits at the picture
    (place ?? this.picture.element).focus({ preventScroll: true });
    this.focusLater = place ? null : focus;
  }
}
