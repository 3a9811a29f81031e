// The assistant for a real table: somebody says what one seat sees and is told, and gets the
// picture of it and advice. The server keeps nothing: this page has the views of the seat, one
// after each action, in the browser.

import { Board, look } from "./board.js";
import { button, download, el, said } from "./dom.js";
import * as memory from "./memory.js";
import { rpc } from "./net.js";
import { jsonOf } from "./saved.js";
import { field, gamesFor, optionField, optionsOf } from "./setup.js";
import { t } from "./words.js";

const MOST_BYTES = 10_000_000; // of a saved game
const SHOWN = 40; // events in a list at once
const CALLS = ["best", "heuristic"]; // who advises; the second where the first cannot

/** Show the game that is kept in this browser, or ask for a new one. */
export class Assistant {
  constructor(main) {
    this.main = main;
    this.start();
  }

  async start() {
    this.games = await gamesFor(this.main);
    const kept = memory.assistant();
    if (kept) this.open(kept).catch(() => this.begin());
    else this.begin();
  }

  /** Ask for a new game. */
  begin() {
    this.leave();
    this.main.replaceChildren(
      new Opening(this.games, (saved) => this.open(saved)).element);
  }

  /** Go on with a saved game, in the form of `Seat.to_json` in Python; throws an Error that says
   * what is wrong. */
  async open(saved) {
    const { view: first, seat, told } = saved ?? {};
    if (!Number.isInteger(seat) || !Array.isArray(told))
      throw new Error('A saved game of the assistant is an object with "view", "seat" and "told".');
    const game = this.games.find(({ env }) => env === first?.environment);
    if (!game) throw new Error("The file is of no game that can be played here.");
    const follow = async (view, events) => (
      await rpc("follow", { environment: game.env, view, seat, events })).view;
    const views = [await follow(first, [])];
    for (const one of told) views.push(one?.view ?? await follow(views.at(-1), one?.events));
    await follow(views.at(-1), []);
    this.leave();
    this.page = new Following(this.main, game, { seat, views }, () => {
      memory.keepAssistant(null);
      this.begin();
    });
  }

  leave() {
    this.page?.leave();
    this.page = null;
  }

  themeChanged() {
    this.page?.doing(() => this.page.refresh());
  }
}

// ---------------------------------------------------------------- how it begins

/** The form for a game, and then for what the own seat sees first. */
class Opening {
  constructor(games, open) {
    this.games = games;
    this.open = open;
    this.game = el("select", { id: "game", onchange: () => this.gameChanged() },
      games.map((game) => el("option", { value: game.env }, game.title)));
    this.options = el("div", { class: "fields" });
    this.seat = el("select", { id: "seat", onchange: () => this.changed() });
    this.keys = el("div", { class: "fields", id: "opening" });
    this.trouble = el("p", { class: "trouble", id: "trouble", hidden: true });
    const file = el("input", {
      type: "file",
      id: "file",
      accept: ".json,application/json",
      onchange: () => file.value
        && this.tell(async () => this.open(await jsonOf(file.files[0], MOST_BYTES, "game")))
          .then(() => { file.value = ""; })
    });
    this.element = el("div", { class: "setup" },
      el("form", { class: "card", onsubmit: (event) => this.submit(event) },
        el("h1", {}, "Assistant for a real table"),
        el("p", {}, "You play somewhere else, with people and cards. Tap here what you see and "
          + "what happens: you get the picture of it, and advice at your decisions."),
        field("Game", this.game), field("You are", this.seat),
        el("details", { id: "more" }, el("summary", {}, "Options of the game"), this.options),
        el("h2", {}, "What you see at the beginning"), this.keys, this.trouble,
        el("button", { type: "submit", class: "main", id: "start" }, "Begin"),
        el("h2", {}, "Or go on with a saved game"), field("File", file)));
    this.gameChanged();
  }

  get chosen() {
    return this.games.find((game) => game.env === this.game.value);
  }

  gameChanged() {
    this.options.replaceChildren(...this.chosen.options.map((option) => optionField(option)));
    this.element.dataset.game = this.game.value;
    this.options.onchange = () => this.changed();
    this.changed();
  }

  /** Ask for what differs between deals of this game with these options. */
  changed() {
    const options = optionsOf(this.options), seats = options.num_players;
    const seat = Math.min(Number(this.seat.value), seats - 1);
    this.seat.replaceChildren(...[...Array(seats).keys()].map(
      (p) => el("option", { value: p, selected: p === seat }, `Player ${p + 1}`)));
    const asked = this.asked = { environment: this.chosen.env, seat, options };
    this.waiting(true); // what is entered now would be lost
    this.loading = this.tell(async () => {
      const [{ keys, view }, { view: schema }] = await Promise.all(
        [rpc("opening", asked), rpc("schema", { environment: asked.environment })]);
      if (asked !== this.asked) return;
      this.waiting(false);
      this.answers = keys.map((key) => entry(
        key.replaceAll("_", " "), view[key], schema.properties[key], { seat, seats }));
      this.names = keys;
      this.keys.replaceChildren(...this.answers.map((answer) => answer.element));
      if (!keys.length) this.keys.append(el("p", { class: "quiet" }, "What everybody sees."));
    });
  }

  waiting(yes) {
    this.keys.inert = yes;
    this.keys.ariaBusy = yes;
  }

  submit(event) {
    event.preventDefault();
    this.tell(async () => {
      await this.loading;
      const opening = Object.fromEntries(
        this.names.map((name, at) => [name, this.answers[at].value()]));
      const { view } = await rpc("opening", { ...this.asked, opening });
      await this.open({ view, seat: this.asked.seat, told: [] });
    });
  }

  /** Do something, and say what goes wrong. */
  async tell(act) {
    this.trouble.hidden = true;
    await act().catch((error) => {
      this.trouble.textContent = error.message;
      this.trouble.hidden = false;
    });
  }
}

/** What somebody enters for a value that is such as an example: `{ element, value() }`. */
function entry(name, example, schema, table) {
  const forms = schema.anyOf ?? [schema];
  const names = forms.map((form) => form.items?.enum).find(Boolean);
  if (Array.isArray(example) && names?.some((one) => typeof one === "string"))
    return cards(name, example, names);
  if (Array.isArray(example) && schema.description === "one entry per seat") {
    const parts = example.map((one, p) => entry(
      `${name}, ${p === table.seat ? "yours" : `Player ${p + 1}`}`, one, schema.items, table));
    return {
      element: el("div", { class: "fields" }, parts.map((part) => part.element)),
      value: () => parts.map((part) => part.value())
    };
  }
  if (schema.properties) {
    const parts = Object.entries(example).map(
      ([key, one]) => [key, entry(`${name} ${key}`, one, schema.properties[key], table)]);
    return {
      element: el("div", { class: "fields" }, parts.map(([, part]) => part.element)),
      value: () => Object.fromEntries(parts.map(([key, part]) => [key, part.value()]))
    };
  }
  const covered = schema.items?.anyOf?.find((form) => form.enum)?.enum;
  if (covered && example.length) { // a pile, of which only the top card may be seen
    const top = choice(name, [null, ...covered], null, "face down");
    return { ...top, value: () => [...example.slice(1).fill(null), top.value()] };
  }
  if (schema.enum) return choice(name, schema.enum, example, "none");
  const input = el("input", { id: `opening-${name}`, value: JSON.stringify(example) });
  const value = () => {
    try {
      return JSON.parse(input.value);
    } catch {
      throw new Error(`${name} is written as JSON, such as ${JSON.stringify(example)}`);
    }
  };
  return { element: field(name, input), value };
}

/** One of some values, of which null is called something. */
function choice(name, values, chosen, nothing) {
  const input = el("select", { id: `opening-${name}` }, values.map(
    (one, at) => el("option", { value: at, selected: one === chosen }, String(one ?? nothing))));
  return { element: field(name, input), value: () => values[input.value] };
}

/** A list of cards, tapped one by one; a card that is chosen goes away by another tap. */
function cards(name, example, names) {
  const chosen = [], shown = el("p", { class: "kind", "aria-live": "polite" });
  const show = () => {
    shown.replaceChildren(...chosen.map((card, at) => button(`${card} ×`,
      () => show(chosen.splice(at, 1)),
      { class: "action", "aria-label": `${card}: not this one` })));
    if (!chosen.length) shown.textContent = `none (such as ${example.join(" ") || "none"})`;
  };
  show();
  const all = names.map((card) => button(card, () => show(chosen.push(card)),
    { class: "action", "data-card": card }));
  const element = el("details", { "data-cards": name }, el("summary", {}, name, shown),
    el("div", { class: "kind" }, all));
  return { element, value: () => [...chosen] };
}

// ---------------------------------------------------------------- what happens

/** A game that is followed for one seat. */
class Following extends Board {
  constructor(main, game, { seat, views }, begin) {
    super();
    Object.assign(this, { game, seat, views, said: [] });
    this.who = null; // who has done what is said next
    this.seats = el("div", { class: "tools who", role: "group", "aria-label": "who has acted" });
    this.line = el("input", {
      id: "line",
      placeholder: "find, or type what was told",
      "aria-label": "find, or type what was told",
      oninput: () => this.listEvents(),
      onkeydown: (event) => event.key === "Enter" && this.typed()
    });
    this.soFar = el("ol", { class: "log", id: "sofar" });
    this.events = el("div", { class: "kind", id: "events" });
    this.trouble = el("p", { class: "trouble", id: "trouble", hidden: true });
    this.told = el("details", { class: "card told", id: "told" },
      el("summary", {}, "What was told"), this.soFar, this.trouble, this.line, this.events);
    const textPart = el("details", { class: "card" }, el("summary", {}, "The position as text"),
      this.text);
    const save = button("Save", () => download(`${game.env}-assistant.json`, this.saved),
      { id: "save" });
    const anew = button("New game", () => confirm(t("Leave this game?")) && begin(), { id: "new" });
    main.replaceChildren(this.arrange([
      el("div", { class: "state" }, this.status,
        el("div", { class: "aside" }, this.picture.sizes)),
      this.picture.element, el("div", { class: "below" }, textPart)
    ],
      [
        this.seats, this.told, this.actionPart, this.advice,
        el("div", { class: "tools" }, this.backButton, save, anew)
      ],
      [["act", "Actions"], ["more", "More"]]));
    document.getElementById("where").textContent = game.title;
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
    this.doing(() => this.refresh());
  }

  leave() {
    removeEventListener("keydown", this.keys);
  }

  get saved() {
    const [view, ...later] = this.views;
    return { view, seat: this.seat, seed: 0, told: later.map((one) => ({ view: one })) };
  }

  call(method, more) {
    const about = { environment: this.game.env, view: this.views.at(-1), seat: this.seat, ...more };
    about.events = about.events?.map((event) => event.line ?? event); // as the server reads them
    return rpc(method, about);
  }

  /** Show the position, and what may come next. */
  async refresh() {
    memory.keepAssistant(this.saved);
    this.said = [];
    const views = this.views.length, view = this.views.at(-1);
    const [{ text, headline }, { svg }, may] = await Promise.all([
      this.call("follow", { events: [] }),
      this.call("picture", { fonts: false, ...look() }).catch(() => ({ svg: null })),
      this.call("possible")
    ]);
    if (views !== this.views.length) return;
    this.may = may;
    this.found = { text, headline, svg, view };
    const asked = [...new Set(may.actions.map((one) => one.seat))];
    this.who = asked.includes(this.seat) ? this.seat : asked[0] ?? null;
    this.seats.replaceChildren(...asked.length < 2 ? [] : asked.map(
      (p) => button(this.nameOf(p), () => this.choose(p), { "data-seat": p })));
    this.choose(this.who);
    if (asked.includes(this.seat)) this.advise();
  }

  nameOf(p) {
    return p === this.seat ? "You" : `Player ${p + 1}`;
  }

  /** Show what a seat may do. */
  choose(p) {
    const { text, headline, svg, view } = this.found;
    this.who = p;
    const legal = this.may.actions.filter((one) => one.seat === p);
    for (const one of this.seats.children)
      one.classList.toggle("main", one.dataset.seat === String(p));
    this.show({
      env: this.game.env, version: `${this.views.length}-${p}`, title: this.game.title, over: view.phase === "over",
      cooperative: this.game.cooperative, seat: p, legal, text, headline, picture: svg
    });
    this.actionTitle.classList.remove("unseen");
    this.actionTitle.textContent = p === null ? "The game is over"
      : p === this.seat                       ? "What do you do?"
                                              : `What did ${this.nameOf(p)} do?`;
    // several actions of others tell the same, such as choices in secret
    this.told.open = p !== this.seat && this.may.events.length < legal.length;
    this.showTold(this.may);
    this.actionPart.hidden ||= this.told.open;
  }

  fill() {
    const { picture, text, legal, headline } = this.position;
    this.status.replaceChildren(said(headline));
    this.picture.show(picture, text, legal);
  }

  async advise() {
    const views = this.views.length;
    let found = null;
    for (const agent of CALLS) found ??= await this.call("advise", { agent }).catch(() => null);
    if (found && views === this.views.length && this.who === this.seat && !this.said.length)
      this.showAdvice({ ...found, at: this.position.version, agent: this.listed(found.agent) });
  }

  /** An agent's name as the game lists it: a player of the game alone has no game before it. */
  listed(agent) {
    const own = agent.slice(agent.indexOf("/") + 1);
    return this.game.agents.includes(own) ? own : agent;
  }

  // ---------------------------------------------------------------- one action, and its events

  ask(what) {
    return what === "back" ? this.back() : this.advise();
  }

  play(action) {
    this.add({ kind: "action", seat: this.who, action });
  }

  /** Something more was told of the action; what can only follow is taken at once. */
  add(event) {
    return this.doing(async () => {
      const said = [...this.said, event];
      let may = await this.call("possible", { events: said });
      while (may.sure && may.events.length === 1 && !may.ends) {
        said.push(may.events[0]);
        may = await this.call("possible", { events: said });
      }
      this.said = said;
      this.showTold(may);
      if (may.sure && !may.events.length && may.ends) await this.follow();
    });
  }

  /** All that was told of the action was said. */
  async follow() {
    const { view } = await this.call("follow", { events: this.said });
    this.views.push(view);
    await this.refresh();
  }

  /** Take back what was said of an action that is not complete, or else the last action. */
  back() {
    return this.doing(() => {
      if (!this.said.length) this.views.pop();
      return this.refresh();
    });
  }

  /** While something is done nothing else can be; what goes wrong is said. */
  async doing(act) {
    this.busy(true);
    await act().catch((error) => this.showTrouble(error.message));
    this.busy(false);
  }

  showTrouble(words) {
    this.told.open = true;
    this.trouble.textContent = words;
    this.trouble.hidden = false;
  }

  /** What was told so far, and what may be told next. */
  showTold(may) {
    const begun = this.said.length > 0;
    this.trouble.hidden = true;
    this.next = may;
    this.line.value = "";
    this.soFar.replaceChildren(...this.said.map(
      (one) => el("li", { class: one.action === undefined ? "event" : "", "data-said": true },
        this.words(one))));
    this.soFar.hidden = !begun;
    this.told.open ||= begun;
    this.told.hidden = this.found.view.phase === "over";
    this.actionPart.hidden = begun || this.told.hidden;
    this.advice.hidden ||= begun;
    this.backButton.disabled = !begun && this.views.length < 2;
    this.listEvents();
  }

  words(one) {
    if (typeof one === "string" || one.text) return one.text ?? one;
    const played = this.may.actions.find(
      ({ seat, action }) => seat === one.seat && action === one.action);
    return `${this.nameOf(one.seat)}: ${played.label}`;
  }

  /** The events that may be told next and have in them what is typed. */
  listEvents() {
    const wanted = this.line.value.trim().toLowerCase();
    const found = this.next.events.filter(
      ({ text, line }) => `${t(text)}\n${line}`.toLowerCase().includes(wanted));
    const buttons = found.slice(0, SHOWN).map((one) => button(
      one.text, () => this.add(one), { class: "action", "data-said": true, "data-line": one.line }));
    if (this.said.length)
      buttons.unshift(button("Nothing more", () => this.doing(() => this.follow()),
        { id: "nomore", class: this.next.ends ? "main" : "plain" }));
    else if (this.told.open)
      buttons.push(button("Say which action …", () => { this.actionPart.hidden = false; },
        { class: "plain", id: "which-action" }));
    if (found.length > SHOWN)
      buttons.push(el("p", { class: "quiet" }, `and ${found.length - SHOWN} more: type to find`));
    this.events.replaceChildren(...buttons);
  }

  /** Enter: the only event that has in it what is typed, or else this line. */
  typed() {
    const [first, second] = this.events.querySelectorAll("[data-line]");
    if (first && !second) first.click();
    else if (this.line.value.trim()) this.add(this.line.value.trim());
  }
}
