// The page of @TITLE@: one person plays against players that choose in a worker, without a server.

import { button, download, el, said, say } from "./dom.js";
import { Board, look, startPage } from "./board.js";
import { face, inWords as playerInWords, opponents } from "./faces.js";
import { showGuide } from "./guide.js";
import * as memory from "./memory.js";
import { outcome } from "./outcome.js";
import { NARROW } from "./picture.js";
import { resultsPart } from "./results.js";
import { savedPosition } from "./saved.js";
import settings from "./settings.js";
import description from "../description.js";

const SIMULATIONS = [100, 500, 2000];
const GAMES = [{ ...description, env: description.environment }];
const main = document.getElementById("main");
const tell = (message) => worker.postMessage(message);

const LEVELS = ["easy", "medium", "hard", "best"];
const AGAINST = { several: "several levels", alone: "alone" };

/** A player in words. */
function inWords(name) {
  const [kind, setting] = name.split("=");
  if (kind === "search:sims") return `search, ${setting} simulations`;
  if (kind === "heuristic:style") return `scripted player, ${setting}`;
  if (name.includes("/")) return `trained policy ${name}`;
  if (Object.hasOwn(AGAINST, name)) return AGAINST[name];
  const words = playerInWords(name, description.cooperative);
  return words === name ? `${name} player` : words;
}

const field = (label, input, note) => el("div", { class: "field", "data-said": Boolean(note) }, el("label", { for: input.id
}, label), input, note ? el("p", { class: "quiet" }, note) : null);

/** The form for a new game. */
class Setup {
  constructor(begin) {
    this.begin = begin;
    this.inputs = new Map(description.options.map((option) => [option.name, this.input(option)]));
    this.seat = el("select", { id: "seat" });
    this.chosen = null; // who was chosen, rather than just the first
    this.player = el("select", { id: "player", onchange: () => this.choose(this.player.value) });
    this.seed = el("input",
      { id: "seed", inputmode: "numeric", placeholder: "drawn by chance", pattern: "[0-9]{1,18}" });
    this.file = el("input", { type: "file", id: "file", accept: ".json,application/json" });
    const count = this.inputs.get("num_players");
    const others = description.options.filter(({ name }) => name !== "num_players");
    this.form = el("form", { class: "card", onsubmit: (event) => this.submit(event) },
      el("h1", {}, description.title),
      el("div", { class: "fields" }, field("Players", count), field("You sit", this.seat),
        this.opponents = field("The others", this.player)),
      el("button", { type: "submit", class: "main", id: "start" }, "Play"),
      el("details", {}, el("summary", {}, "Options, the deal, a saved position"),
        el("div", { class: "fields" },
          ...others.map((option) => field(option.name.replaceAll("_", " "),
                          this.inputs.get(option.name), option.meaning)),
          field("Seed of the deal", this.seed), field("Saved position", this.file))));
    this.start = this.form.querySelector("#start");
    this.start.disabled = true; // until it is known who plays
    this.form.addEventListener("change", () => this.offer());
    this.offer();
    const kept = memory.game(description.environment);
    const goesOn = kept && !kept.over;
    this.element = el("div", { class: "setup", "data-game": description.environment },
      goesOn && button("Continue: your turn", () => resume(kept), { class: "main", id: "continue" }),
      this.form, resultsPart(inWords));
  }

  choose(name) {
    this.chosen = name;
    if (LEVELS.includes(name)) memory.keepLevel(name);
  }

  input({ name, values, default: usual }) {
    const own = settings.options[name] ?? usual;
    if (!Array.isArray(values))
      return el("input", {
        type: "number",
        id: name,
        min: values.least,
        max: values.most,
        step: values.step,
        value: own
      });
    const chosen = JSON.stringify(own);
    return el("select", { id: name },
      values.map((value) => el("option",
                   { value: JSON.stringify(value), selected: JSON.stringify(value) === chosen },
                   Array.isArray(value) ? value.join("-") : String(value))));
  }

  get count() {
    return Number(this.inputs.get("num_players").value);
  }

  /** Offer the seats and the players that there are with these options. */
  offer() {
    const before = Number(this.seat.value || 0);
    this.seat.replaceChildren(...Array.from({ length: this.count },
      (_, seat) => el("option",
        { value: seat, selected: seat === Math.min(before, this.count - 1) },
        `as Player ${seat + 1}`)));
    this.opponents.hidden = this.count === 1;
    tell({ do: "players", options: this.options });
  }

  /** Show the players that there are with these options. */
  hearPlayers(names) {
    this.start.disabled = false;
    const all = names.flatMap((name) => (
      name === "search" ? SIMULATIONS.map((count) => `search:sims=${count}`) : [name]));
    const wanted = [this.chosen, memory.level(), "hard"].find((name) => all.includes(name));
    const offered = (some) => some.map(
      (name) => el("option", { value: name, selected: name === wanted }, inWords(name)));
    this.player.replaceChildren(...offered(LEVELS.filter((name) => all.includes(name))),
      el("optgroup", { label: "For researchers" },
        offered(all.filter((name) => !LEVELS.includes(name)))));
  }

  get options() {
    return Object.fromEntries(description.options.map((option) => {
      const { value } = this.inputs.get(option.name);
      return [option.name, Array.isArray(option.values) ? JSON.parse(value) : Number(value)];
    }));
  }

  /** What is played: options and seats. */
  get wanted() {
    const { options } = this;
    const seat = Number(this.seat.value);
    const players = Array.from({ length: description.max_players },
      (_, number) => (number === seat ? "human" : this.player.value));
    const friends = opponents(players.length);
    const names = players.map(
      (_, number) => (number !== seat && friends.shift()) || `Player ${number + 1}`);
    return { options, seat, players, names };
  }

  async submit(event) {
    event.preventDefault();
    this.busy(true);
    const [file] = this.file.files;
    if (!file) {
      const seed = this.seed.value ? BigInt(this.seed.value) : undefined;
      this.begin({ do: "new", seed, ...this.wanted });
      return;
    }
    try {
      const { position } = await savedPosition(file, GAMES);
      this.begin({ do: "open", position, ...this.wanted });
    } catch (error) {
      say(error.message, "error");
      this.busy(false);
    }
  }

  /** While a game is on its way. */
  busy(on) {
    this.start.disabled = on;
    this.start.textContent = on ? "Dealing …" : "Play";
  }
}

/** The game that is played. */
class Table extends Board {
  /** `loaded`: whether it began with a saved position; `id`: of the game, among the results. */
  constructor({ loaded, id = String(Date.now()) }) {
    super();
    Object.assign(this, { loaded, id });
    this.hearers = {
      position: (message) => this.show(message),
      log: (message) => this.showLog(message),
      thinking: (message) => this.showThinking(message),
      advice: (message) => this.showAdvice(message),
      saved: (message) => download(`${description.name}.json`, message.position),
    };
    this.end = el("section",
      { class: "card end", id: "end", "aria-label": "the end of the game", hidden: true });
    const rules = button("Rules",
      () => showGuide(description.title, () => guideOf(this.position?.options ?? {})),
      { id: "rules" });
    this.arrange([
      el("div", { class: "state" }, this.status, this.thinking,
        el("div", { class: "aside" }, rules, this.picture.sizes), this.log.said),
      this.end, this.picture.element,
      el("div", { class: "below" },
        el("details", { class: "card", id: "astext" }, el("summary", {}, "The position as text"),
          this.text))
    ],
      [
        el("section", { class: "card facing", "aria-label": "players" }, this.players),
        this.actionPart, this.advice,
        el("div", { class: "tools" }, this.backButton, this.hintButton,
          button(
            "Save", () => this.ask("save"), { id: "save", title: "keep the position as a file" }),
          button("New game", () => showSetup(), { id: "new", class: "plain" })),
        el("section", { class: "card past", "aria-label": "log" },
          el("h2", {}, "What has happened"), this.log.list)
      ],
      [["act", "Actions"], ["end", "Result"], ["log", "Log"], ["more", "Players"]]);
  }

  ask(what) {
    if (what === "hint") {
      this.advice.hidden = false;
      this.advice.replaceChildren(
        el("p", {}, "Looking ahead …"), el("progress", { "aria-label": "looking ahead" }));
    }
    tell({ do: what });
  }

  play(action) {
    tell({ do: "act", action });
  }

  fill() {
    const { position } = this;
    this.status.replaceChildren(said(position.headline.replace(
      /^You: (.)/, (_, letter) => letter.toUpperCase())));
    this.showThinking(null);
    this.showPlayers();
    this.picture.show(position.picture, position.text, position.legal, ...this.story());
    this.log.tell(position.seat);
    this.backButton.disabled = !position.back;
    this.hintButton.disabled = !position.legal.length;
    this.showEnd();
    const { loaded, id } = this;
    memory.keepGame(description.environment, { ...position.kept, over: position.over, loaded, id });
  }

  showPlayers() {
    const { seats, seat, won, over, turn, phase } = this.position;
    this.players.replaceChildren(
      ...seats.map(
        (one, number) => el("li", { class: one.asked && !over ? "asked" : "" },
          el("span", { class: `dot seat${number}` }), number === seat ? null : face(one.name),
          el("span", { class: "name", title: one.name }, one.name),
          el("span", { class: "quiet" },
            number === seat ? "you" : inWords(one.player)),
          over && won.includes(number) ? el("span", { class: "badge" }, "won") : null,
          el("span", { class: "score", title: "score" }, String(one.score)))),
      el("li", { class: "facts quiet" },
        `turn ${turn} · ${over ? "over" : phase.replaceAll("_", " ")}`));
  }

  showEnd() {
    const { over } = this.position;
    this.end.hidden = !over;
    this.actionPart.hidden = over;
    if (!over) return;
    const { won, seat, seats, title } = this.position;
    const others = seats.flatMap(({ player }, number) => (number === seat ? [] : [player]));
    const level = new Set(others).size === 1 ? others[0] : others.length ? "several" : "alone";
    if (!this.loaded)
      memory.keepResult(
        { game: this.id, env: description.environment, title, level, won: won.includes(seat) });
    this.end.replaceChildren(el("h2", { class: "outcome", id: "outcome" }, outcome(this.position)),
      el("p", {}, said(this.position.headline)),
      el("div", { class: "tools" },
        button("Another game", () => showSetup(), { class: "main", id: "again" })));
  }
}

NARROW.addEventListener("change", () => table?.position && tell({ do: "look", look: look() }));

let worker = null; // of one game: what another one has still to say is never heard
let setup = null; // the form, also while the game that it asked for is on its way
let table = null;
let hearGuide = null;

function guideOf(options) {
  tell({ do: "guide", options, language: document.documentElement.lang });
  return new Promise((done) => { hearGuide = done; });
}

function showSetup() {
  start();
  main.replaceChildren(setup.element);
}

/** The worker and the form of a new game. */
function start() {
  table = null;
  worker?.terminate();
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = hear;
  worker.onerror = (event) => showTrouble(event.message || "The worker has stopped.");
  Object.assign(document.body.dataset, { over: "no", asked: "no" });
  setup = new Setup((wanted) => {
    table = new Table({ loaded: wanted.do === "open" });
    tell({ ...wanted, look: look() });
  });
}

/** Go on with the game that this browser has kept. */
function resume(kept) {
  table = new Table(kept);
  tell({ ...kept, do: "resume", look: look() });
}

function showTrouble(message) {
  say(message, "error");
  if (table?.position) {
    table.busy(false);
    table.showThinking(null);
  } else {
    table = null;
    if (!setup.element.isConnected) { // the game that was kept cannot be played on
      memory.keepGame(description.environment, null);
      showSetup();
    }
    setup.busy(false); // with all that was chosen
  }
}

function hear({ data }) {
  if (data.type === "guide") hearGuide?.({ lines: data.lines });
  else if (data.type === "players") setup.hearPlayers(data.names);
  else if (data.type === "error") showTrouble(data.message);
  else if (table) {
    if (data.type === "position" && !table.position) main.replaceChildren(table.element);
    table.hear(data);
  }
}

addEventListener("keydown", (event) => table?.position && table.key(event));
startPage(main, () => table?.position && tell({ do: "look", look: look() }));
const kept = memory.game(description.environment);
if (kept) {
  start();
  resume(kept);
} else showSetup();
// so that the page works without a network; where that is not allowed, it needs one
navigator.serviceWorker?.register(new URL("../sw.js", import.meta.url)).catch(() => {});
