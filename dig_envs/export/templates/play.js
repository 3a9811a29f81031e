// The page of @TITLE@: one person plays against players that choose in a worker, without a server.

import { button, download, el, say } from "./dom.js";
import * as memory from "./memory.js";
import { Choices } from "./choices.js";
import { showGuide } from "./guide.js";
import { Log } from "./log.js";
import { outcome } from "./outcome.js";
import { NARROW, Picture, named } from "./picture.js";
import settings from "./settings.js";
import description from "../description.js";

const FILTER_FROM = 16; // legal actions, from which on there is a field to find one
const SIMULATIONS = [100, 500, 2000];
const main = document.getElementById("main");
const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const tell = (message) => worker.postMessage(message);

function applyTheme() {
  const theme = memory.theme();
  document.documentElement.dataset.theme = theme;
  const toggle = document.getElementById("theme");
  toggle.textContent = theme === "dark" ? "☀" : "☾";
  toggle.setAttribute("aria-label", theme === "dark" ? "light page" : "dark page");
}

/** The players that there are: what the worker calls them -> in words. */
function playersInWords() {
  return new Map([
    ...settings.policies.map(({ file, name }) => [`policy:${file}`, `trained policy ${name}`]),
    ["heuristic", "scripted player"],
    ...SIMULATIONS.map((count) => [`search:sims=${count}`, `search, ${count} simulations`]),
    ["random", "random player"],
  ]);
}

const field = (label, input, note) => el("div", { class: "field" }, el("label", { for: input.id }, label), input, note ? el("p", { class: "quiet" }, note) : null);

/** The form for a new game. */
class Setup {
  constructor(begin) {
    this.begin = begin;
    this.inputs = new Map(description.options.map((option) => [option.name, this.input(option)]));
    this.seat = el("select", { id: "seat" });
    this.player = el("select", { id: "player" }, [...playersInWords()].map(([value, words]) => el("option", { value }, words)));
    this.seed = el("input", { id: "seed", inputmode: "numeric", placeholder: "drawn by chance", pattern: "[0-9]{1,18}" });
    this.file = el("input", { type: "file", id: "file", accept: ".json,application/json" });
    const count = this.inputs.get("num_players");
    const others = description.options.filter(({ name }) => name !== "num_players");
    this.form = el("form", { class: "card", onsubmit: (event) => this.submit(event) },
      el("h1", {}, description.title),
      el("div", { class: "fields" }, field("Players", count), field("You sit", this.seat), this.opponents = field("The others", this.player)),
      el("button", { type: "submit", class: "main", id: "start" }, "Play"),
      el("details", {}, el("summary", {}, "Options, the deal, a saved position"),
        el("div", { class: "fields" }, ...others.map((option) => field(option.name.replaceAll("_", " "), this.inputs.get(option.name), option.meaning)),
          field("Seed of the deal", this.seed), field("Saved position", this.file))));
    count.addEventListener("change", () => this.countSeats());
    this.countSeats();
    this.element = el("div", { class: "setup" }, this.form);
  }

  input({ name, values, default: usual }) {
    const own = settings.options[name] ?? usual;
    if (!Array.isArray(values)) return el("input", { type: "number", id: name, min: values.least, max: values.most, step: values.step, value: own });
    const chosen = JSON.stringify(own);
    return el("select", { id: name }, values.map((value) => el("option", { value: JSON.stringify(value), selected: JSON.stringify(value) === chosen }, Array.isArray(value) ? value.join("-") : String(value))));
  }

  get count() {
    return Number(this.inputs.get("num_players").value);
  }

  countSeats() {
    const before = Number(this.seat.value || 0);
    this.seat.replaceChildren(...Array.from({ length: this.count }, (_, seat) => el("option", { value: seat, selected: seat === Math.min(before, this.count - 1) }, `as Player ${seat + 1}`)));
    this.opponents.hidden = this.count === 1;
  }

  /** What is played: options and seats. */
  get wanted() {
    const options = Object.fromEntries(description.options.map((option) => {
      const { value } = this.inputs.get(option.name);
      return [option.name, Array.isArray(option.values) ? JSON.parse(value) : Number(value)];
    }));
    const seat = Number(this.seat.value);
    const players = Array.from({ length: description.max_players }, (_, number) => (number === seat ? "human" : this.player.value));
    return { options, seat, players, names: [] };
  }

  async submit(event) {
    event.preventDefault();
    const [file] = this.file.files;
    if (!file) {
      const seed = this.seed.value ? BigInt(this.seed.value) : undefined;
      this.begin({ do: "new", seed, ...this.wanted });
      return;
    }
    try {
      this.begin({ do: "open", position: JSON.parse(await file.text()), ...this.wanted });
    } catch {
      say("This file has no JSON in it.", "error");
    }
  }
}

/** The game that is played. */
class Table {
  constructor() {
    this.position = null;
    this.left = null; // the actions that are left while somebody decides in the picture
    this.filter = "";
    this.fresh = []; // lines of the log that the picture does not show yet
    this.status = el("p", { id: "status", role: "status" }, "Dealing …");
    this.thinking = el("div", { class: "thinking", hidden: true });
    this.players = el("ul", { class: "players", id: "players" });
    this.picture = new Picture((legal) => this.act(legal), (left) => this.narrowed(left));
    this.log = new Log((names) => this.picture.light(names), () => {});
    this.choices = new Choices(this.picture, (legal) => this.act(legal));
    this.actions = this.choices.element;
    this.search = el("input", { type: "search", id: "filter", placeholder: "find an action", "aria-label": "find an action", hidden: true,
      oninput: () => { this.filter = this.search.value; this.listActions(); } });
    this.actionTitle = el("h2", {}, "What you can do");
    this.actionPart = el("section", { class: "card", id: "choices", "aria-label": "legal actions" }, this.actionTitle, this.search, this.actions);
    this.end = el("section", { class: "card end", id: "end", "aria-label": "the end of the game", hidden: true });
    this.advice = el("div", { class: "advice", id: "advice", role: "status", hidden: true });
    this.backButton = button("Take back", () => tell({ do: "back" }), { id: "back", title: "take back your last action (U)" });
    this.hintButton = button("Hint", () => tell({ do: "hint" }), { id: "hint", title: "what the scripted player would do (H)" });
    this.text = el("pre", { class: "drawing", id: "text", tabindex: "0" });
    const rules = button("Rules", () => showGuide(description.title, () => guideOf(this.position?.options ?? {})), { id: "rules", class: "aside" });
    this.element = el("div", { class: "table" },
      el("div", { class: "left" },
        el("div", { class: "state" }, this.status, this.thinking, rules, this.picture.sizes),
        this.log.said, this.end, this.picture.element,
        el("div", { class: "below" }, el("details", { class: "card", id: "astext" }, el("summary", {}, "The position as text"), this.text))),
      el("div", { class: "right" },
        el("section", { class: "card facing", "aria-label": "players" }, this.players),
        this.actionPart, this.advice,
        el("div", { class: "tools" }, this.backButton, this.hintButton,
          button("Save", () => tell({ do: "save" }), { id: "save", title: "keep the position as a file" }),
          button("New game", () => showSetup(), { id: "new", class: "plain" })),
        el("section", { class: "card past", "aria-label": "log" }, el("h2", {}, "What has happened"), this.log.list)));
  }

  hear(message) {
    const hearers = {
      position: () => this.show(message),
      log: () => this.fresh.push(...this.log.add(message.from, message.lines)),
      thinking: () => this.showThinking(message.seat),
      hint: () => this.showHint(message),
      saved: () => download(`${description.name}.json`, message.position),
    };
    hearers[message.type]?.();
  }

  show(position) {
    const focused = [this.actions, this.picture.element].find((place) => place.contains(document.activeElement)) ?? this.focusLater;
    const changed = this.position?.version !== position.version;
    this.position = position;
    this.left = null;
    if (changed) {
      this.filter = this.search.value = "";
      this.advice.hidden = true;
      this.choices.path = [];
    }
    document.title = `${position.legal.length ? "● " : ""}${position.title}`;
    Object.assign(document.body.dataset, { version: position.version, over: position.over ? "yes" : "no", asked: position.legal.length ? "yes" : "no", busy: "no" });
    this.status.textContent = position.headline.replace(/^You: (.)/, (_, letter) => letter.toUpperCase());
    this.status.classList.toggle("mine", position.legal.length > 0);
    this.thinking.hidden = true;
    this.showPlayers();
    this.picture.closeMenu();
    const moved = this.fresh.map((line) => line.things).filter((things) => things.length);
    this.fresh = [];
    this.picture.show(position.picture, position.text, position.legal, this.log.story(position.seat), moved);
    this.log.tell(position.seat);
    this.text.textContent = position.text;
    this.listActions();
    this.backButton.disabled = !position.back;
    this.hintButton.disabled = !position.legal.length;
    this.showEnd();
    this.refocus(focused);
  }

  // The focus goes back to where it was, as soon as there is something to do there.
  refocus(place) {
    this.focusLater = null;
    if (!place || place.contains(document.activeElement)) return;
    const next = this.position.legal.length ? place.querySelector("button:not(.plain), .open") : null;
    if (next) next.focus({ preventScroll: true });
    else this.focusLater = place;
  }

  showPlayers() {
    const { seats, seat, won, over, turn, phase } = this.position;
    const words = playersInWords();
    this.players.replaceChildren(
      ...seats.map((one, number) => el("li", { class: one.asked && !over ? "asked" : "" },
        el("span", { class: `dot seat${number}` }), el("span", { class: "name" }, one.name),
        el("span", { class: "quiet" }, number === seat ? "you" : words.get(one.player) ?? one.player),
        over && won.includes(number) ? el("span", { class: "badge" }, "won") : null,
        el("span", { class: "score", title: "score" }, String(one.score)))),
      el("li", { class: "facts quiet" }, `turn ${turn} · ${over ? "over" : phase.replaceAll("_", " ")}`));
  }

  showThinking(seat) {
    this.thinking.hidden = false;
    this.thinking.replaceChildren(el("span", {}, `${this.position.seats[seat].name} is thinking`), el("progress", { "aria-label": "thinking" }));
  }

  showHint({ action, text, at }) {
    const legal = this.position.legal.find((one) => one.action === action);
    if (at !== this.position.version || !legal) return;
    this.advice.hidden = false;
    this.advice.replaceChildren(el("p", {}, "The scripted player would: ", button(text, () => this.act(legal), { class: "action" })));
    this.picture.point(action);
  }

  showEnd() {
    const { over } = this.position;
    this.end.hidden = this.actionPart.hidden = false;
    this.end.hidden = !over;
    this.actionPart.hidden = over;
    if (!over) return;
    this.end.replaceChildren(el("h2", { class: "outcome", id: "outcome" }, outcome(this.position)), el("p", {}, this.position.headline),
      el("div", { class: "tools" }, button("Another game", () => showSetup(), { class: "main", id: "again" })));
  }

  act(legal) {
    if (document.body.dataset.busy === "yes" || (legal.warning && !confirm(legal.warning))) return;
    document.body.dataset.busy = "yes";
    this.focusLater = [this.actions, this.picture.element].find((place) => place.contains(document.activeElement)) ?? null;
    tell({ do: "act", action: legal.action });
  }

  narrowed(left) {
    this.left = left;
    this.listActions();
  }

  listActions() {
    const { legal, over } = this.position;
    this.search.hidden = legal.length < FILTER_FROM;
    this.actionTitle.textContent = legal.length || over ? "What you can do" : "Wait for the others";
    this.choices.show(this.left ?? legal, this.filter.trim().toLowerCase());
  }

  /** H: hint, U: take back, /: find an action; arrows in the list of actions. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("#actions") && /^Arrow/.test(event.key)) {
      const buttons = [...this.actions.querySelectorAll("button")];
      const step = event.key === "ArrowDown" || event.key === "ArrowRight" ? 1 : -1;
      buttons.at((buttons.indexOf(event.target) + step) % buttons.length).focus();
      event.preventDefault();
      return;
    }
    if (event.target.closest?.("input, select, textarea")) return;
    const does = { h: this.hintButton, u: this.backButton }[event.key.toLowerCase()];
    if (does && !does.disabled) does.click();
    else if (event.key === "/" && !this.search.hidden) {
      event.preventDefault();
      this.search.focus();
    }
  }
}

/** The theme and the layout that pictures shall have. */
function look() {
  return { theme: memory.theme(), layout: NARROW.matches ? "column" : "wide" };
}

NARROW.addEventListener("change", () => table?.position && tell({ do: "look", look: look() }));

let table = null;
let hearGuide = null;

function guideOf(options) {
  tell({ do: "guide", options });
  return new Promise((done) => { hearGuide = done; });
}

function showSetup() {
  table = null;
  Object.assign(document.body.dataset, { over: "no", asked: "no" });
  const setup = new Setup((wanted) => {
    table = new Table();
    main.replaceChildren(table.element);
    tell({ ...wanted, look: look() });
  });
  main.replaceChildren(setup.element);
}

worker.onmessage = ({ data }) => {
  if (data.type === "guide") hearGuide?.({ lines: data.lines });
  else if (data.type === "error") {
    say(data.message, "error");
    document.body.dataset.busy = "no";
    if (table && !table.position) showSetup();
  } else table?.hear(data);
};
worker.onerror = (event) => say(event.message || "The worker has stopped.", "error");
addEventListener("keydown", (event) => table?.key(event));
document.getElementById("theme").addEventListener("click", () => {
  memory.keepTheme(memory.theme() === "dark" ? "light" : "dark");
  applyTheme();
  if (table?.position) tell({ do: "look", look: look() });
});
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
applyTheme();
for (const family of ["DigSans", "DigSansBold", "DigSansMono"]) document.fonts.load(`12px ${family}`);
showSetup();
