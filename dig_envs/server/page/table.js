// A table: the picture, whose turn it is, what can be done, what has happened.

import { button, download, el, say } from "./dom.js";
import * as memory from "./memory.js";
import { Choices } from "./choices.js";
import { End } from "./end.js";
import { showGuide } from "./guide.js";
import { Log } from "./log.js";
import { Connection, guideOf } from "./net.js";
import { NARROW, Picture, named } from "./picture.js";
import { Replay } from "./replay.js";

const FILTER_FROM = 16; // legal actions, from which on there is a field to find one
const SEARCH_MS = 1000;
export const PLAYERS = {
  human: "a person", heuristic: "scripted player", random: "random player",
  easy: "easy opponent", medium: "medium opponent", hard: "hard opponent", best: "the strongest without search",
};

/** The theme and the layout that pictures shall have. */
function look() {
  return { theme: memory.theme(), layout: NARROW.matches ? "column" : "wide" };
}

export class TablePage {
  constructor(main, token) {
    this.token = token;
    this.position = null;
    this.left = null; // the actions that are left while somebody decides in the picture
    this.filter = "";
    this.fresh = []; // lines of the log that the picture does not show yet
    this.focusLater = null; // where the focus shall be when there is something to do
    this.build(main);
    this.connection = new Connection(token, look, (message) => this.hear(message), (state) => this.showConnection(state));
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
    this.layoutChanged = () => this.themeChanged();
    NARROW.addEventListener("change", this.layoutChanged);
  }

  leave() {
    NARROW.removeEventListener("change", this.layoutChanged);
    document.getElementById("guide")?.close();
    removeEventListener("keydown", this.keys);
    clearInterval(this.clock);
    this.replay?.close();
    this.connection.end();
  }

  themeChanged() {
    this.connection.send({ type: "theme", ...look() });
    this.replay?.again();
  }

  // ---------------------------------------------------------------- the parts of the page

  build(main) {
    this.status = el("p", { id: "status", role: "status" }, "Connecting …");
    this.lost = el("p", { class: "trouble", id: "lost", hidden: true }, "The connection is lost; it comes back by itself.");
    this.players = el("ul", { class: "players", id: "players" });
    this.thinking = el("div", { class: "thinking", hidden: true });
    this.trouble = el("div", { class: "trouble", hidden: true });
    this.picture = new Picture((legal) => this.act(legal), (left) => this.narrowed(left));
    this.log = new Log((names) => this.picture.light(names), (decision) => this.replay?.jump(decision));
    this.choices = new Choices(this.picture, (legal) => this.act(legal));
    this.actions = this.choices.element;
    this.search = el("input", { type: "search", id: "filter", placeholder: "find an action", "aria-label": "find an action", hidden: true,
      oninput: () => { this.filter = this.search.value; this.listActions(); },
      onkeydown: (event) => this.filterKey(event) });
    this.actionTitle = el("h2", { class: "unseen" }, "What you can do");
    this.board = button("Open hands", () => this.connection.send({ type: "open", open: !this.position.open }), { id: "open", hidden: true });
    this.skipButton = button("Skip", () => this.connection.send({ type: "skip" }), { id: "skipping", hidden: true, title: "no pauses until it is your turn" });
    this.goOn = button("Go on", () => this.connection.send({ type: "pace", paused: false }), { id: "goon", class: "main", hidden: true });
    this.actionPart = el("section", { class: "card", id: "choices", "aria-label": "legal actions" }, this.actionTitle, this.search, this.actions);
    this.hintButton = button("Hint", () => this.connection.send({ type: "hint" }), { id: "hint", title: "what the scripted player would do (H)" });
    this.searchButton = button("Search", () => this.startSearch(), { id: "search", title: "what a search thinks of your actions" });
    this.backButton = button("Take back", () => this.connection.send({ type: "back" }), { id: "back", title: "take back your last action (U)" });
    this.tools = el("div", { class: "tools" }, this.backButton, this.hintButton, this.searchButton,
      button("Save", () => this.save(), { id: "save", title: "keep the position as a file" }));
    this.advice = el("div", { class: "advice", id: "advice", role: "status", hidden: true });
    this.pace = el("section", { class: "card pace", hidden: true, "aria-label": "speed of the agents" });
    this.links = el("details", { class: "card", id: "links", hidden: true });
    this.replayPlace = el("div");
    this.end = new End((message) => this.connection.send(message));
    this.textPart = el("details", { class: "card" }, el("summary", {}, "The position as text"), this.text = el("pre", { class: "drawing" }));
    main.replaceChildren(el("div", { class: "table" },
      el("div", { class: "left" }, this.lost, el("div", { class: "state" }, this.status, this.thinking, this.skipButton, this.goOn, this.board,
          button("Rules", () => showGuide(this.position.title, () => guideOf(this.position.env, this.position.options)), { id: "rules", class: "aside" }), this.picture.sizes),
        this.trouble, this.end.element, this.log.said, this.picture.element, this.replayPlace,
        el("div", { class: "below" }, this.pace, this.links, this.textPart)),
      el("div", { class: "right" },
        el("section", { class: "card facing", "aria-label": "players" }, this.players),
        this.actionPart,
        this.advice,
        this.tools,
        this.past = el("section", { class: "card past", "aria-label": "log" }, el("h2", {}, "What has happened"), this.log.list)),
      el("nav", { class: "jump", "aria-label": "on this page" },
        ...[["Board", () => this.status], ["Actions", () => (this.actionPart.hidden ? this.end.element : this.actionPart)], ["Log", () => this.past]].map(([name, place]) =>
          button(name, () => place().scrollIntoView({ block: "start" }), { "data-jump": name })))));
    this.showLinks();
  }

  // ---------------------------------------------------------------- what the server says

  hear(message) {
    const hearers = {
      position: () => this.showPosition(message),
      log: () => this.showLog(message),
      rematch: () => this.end.showRematch(message),
      analysis: () => this.replay?.hearAnalysis(message),
      thinking: () => this.showThinking(message.thinking),
      hint: () => this.showHint(message),
      searching: () => this.showSearching(message.share),
      search: () => this.showSearch(message),
      saved: () => this.keep(message),
      replay: () => this.replay?.hear(message),
      error: () => this.showError(message),
    };
    hearers[message.type]?.();
  }

  showConnection(state) {
    this.lost.hidden = state !== "lost";
    document.body.dataset.connection = state;
    if (state === "lost") this.busy(true);
  }

  /** While an action is on its way nothing else can be clicked. */
  busy(on) {
    document.body.dataset.busy = on ? "yes" : "no";
    for (const one of this.actions.querySelectorAll("button")) one.disabled = on;
  }

  /** What has just happened, for the picture: the things to be marked, and those that have moved. */
  story() {
    const moved = this.fresh.map((line) => line.things).filter((things) => things.length);
    this.fresh = [];
    return [this.log.story(this.position.seat), moved];
  }

  showError(message) {
    say(message.message, "error");
    this.busy(false);
    this.endSearching();
    this.replay?.failed();
    if (!message.final) return;
    this.status.textContent = message.message;
    for (const part of [this.picture.element, this.actionPart, this.tools]) part.hidden = true;
  }

  showPosition(position) {
    const focus = this.focused() ?? this.focusLater;
    const changed = this.position?.version !== position.version;
    this.position = position;
    this.left = null;
    if (changed) {
      this.filter = this.search.value = "";
      this.advice.hidden = true;
      this.endSearching();
    }
    document.getElementById("where").textContent = position.title;
    document.title = `${position.legal.length ? "● " : ""}${position.title}`;
    Object.assign(document.body.dataset, { version: position.version, over: position.over ? "yes" : "no", asked: position.legal.length ? "yes" : "no" });
    this.status.textContent = this.statusText();
    this.status.classList.toggle("mine", position.legal.length > 0);
    this.showPlayers();
    this.picture.closeMenu();
    if (changed) {
      this.choices.path = [];
      this.choices.list.scrollTop = 0;
    }
    if (!position.over || !this.replay?.moved) this.picture.show(position.picture, position.text, position.legal, ...this.story());
    this.log.tell(position.seat, position.over ? 2 : 6);
    this.textPart.hidden = !position.picture;
    this.text.textContent = position.text;
    this.listActions();
    this.showTools();
    this.showPace();
    this.showThinking(position.thinking);
    this.showTrouble();
    this.showReplay();
    this.end.show(position);
    this.busy(false);
    this.refocus(focus);
  }

  statusText() {
    const { over, ending, seat, together, seats, legal, headline, paused } = this.position;
    if (over) return ending;
    if (paused) return `The agents are paused. ${headline}`;
    const question = sentence(headline.replace(/^You: /, ""));
    if (legal.length && !together) return question;
    const asked = seats.flatMap((one) => (one.asked ? [one.name] : []));
    if (together && legal.length) return `${question}. Everybody chooses at once.`;
    if (together && seat !== null && seats[seat].asked) return "You have chosen. Waiting for the others.";
    if (together) return `Everybody chooses at once: ${asked.join(", ")}.`;
    return headline;
  }

  showPlayers() {
    const { seats, seat, turn, won, over, cooperative, loaded } = this.position;
    const rows = seats.map((one, number) => {
      const who = number === seat ? "you" : one.player === "human" ? "a person" : PLAYERS[one.player] ?? one.player;
      const chosen = number === seat && !this.position.legal.length; // what others have chosen already nobody knows
      return el("li", { class: one.asked && !over && !chosen ? "asked" : "" },
        el("span", { class: `dot seat${number}` }),
        el("span", { class: "name" }, one.name), el("span", { class: "quiet" }, who),
        number === seat ? button("✎", () => this.rename(), { class: "plain small", id: "rename", "aria-label": "change your name", title: "change your name" }) : null,
        over && won.includes(number) ? el("span", { class: "badge" }, "won") : null,
        el("span", { class: "score", title: "score" }, String(one.score)));
    });
    const facts = [turn ? `turn ${turn}` : null, cooperative ? "everybody wins or loses together" : null, loaded ? "from a saved position" : null];
    this.players.replaceChildren(...rows, el("li", { class: "facts quiet" }, facts.filter(Boolean).join(" · ")));
  }

  rename() {
    const name = prompt("Your name at this table, of at most 16 letters:", memory.myName() || this.position.seats[this.position.seat].name)?.trim();
    if (!name) return;
    memory.keepMyName(name);
    this.connection.send({ type: "name", name });
  }

  showTools() {
    const { legal, back, seat, over, may_open, open, pace, seats } = this.position;
    this.board.hidden = !may_open || over;
    this.board.textContent = open ? "Hide hands" : "Open hands";
    this.skipButton.hidden = !pace || pace.paused || over || legal.length > 0 || pace.delay === 0 || !seats.some((one) => one.asked && one.player !== "human");
    this.goOn.hidden = !pace?.paused || over;
    this.tools.hidden = over && seat === null;
    this.hintButton.disabled = this.searchButton.disabled = !legal.length;
    this.hintButton.hidden = this.searchButton.hidden = this.backButton.hidden = seat === null;
    this.backButton.disabled = !back;
    this.actionPart.hidden = seat === null || over;
  }

  showTrouble() {
    const { trouble } = this.position;
    this.trouble.hidden = !trouble;
    this.trouble.replaceChildren(el("p", {}, trouble), button("Try again", () => this.connection.send({ type: "again" })));
  }

  showLog({ from, lines }) {
    this.fresh.push(...this.log.add(from, lines));
  }

  showThinking(thinking) {
    clearInterval(this.clock);
    this.thinking.hidden = !thinking;
    if (!thinking) return;
    const bar = el("progress", { "aria-label": "thinking" });
    this.thinking.replaceChildren(el("span", {}, `${this.position.seats[thinking.seat].name} is thinking`), bar);
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

  // ---------------------------------------------------------------- doing something

  act(legal) {
    if (legal.warning && !confirm(legal.warning)) return;
    const { action } = legal;
    this.focusLater = this.focused();
    this.busy(true);
    if (!this.connection.send({ type: "act", action, at: this.position.version })) {
      this.busy(false);
      say("The connection is lost; nothing was done.", "error");
    }
  }

  narrowed(left) {
    this.left = left;
    this.listActions();
  }

  listActions() {
    const { legal, seat } = this.position;
    const wanted = this.filter.trim().toLowerCase();
    this.search.hidden = legal.length < FILTER_FROM;
    this.actionTitle.textContent = legal.length ? "What you can do" : "Nothing to do now";
    if (seat === null) this.actionTitle.textContent = "You watch";
    this.choices.show(this.left ?? legal, wanted);
  }

  /** A button that does an action; while it is looked at, the picture shows to which things the action belongs. */
  actionButton({ action, text }) {
    const legal = this.position.legal.find((one) => one.action === action);
    return button(legal ? named(legal) : text, () => legal && this.act(legal), { "data-action": action, class: "action", ...this.picture.pointing(action) });
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
    if (this.actions.contains(at)) return "actions";
    if (at === this.search) return "filter";
    if (this.picture.element.contains(at)) return "picture";
    return null;
  }

  /** The focus as it was, as soon as there is something to do there again. */
  refocus(focus) {
    if (!focus || ![document.body, this.picture.element, null].includes(document.activeElement)) return;
    const places = {
      actions: () => this.actions.querySelector("button"),
      filter: () => (this.search.hidden ? this.actions.querySelector("button") : this.search),
      picture: () => this.picture.frame.querySelector(".open"),
    };
    const place = this.position.legal.length ? places[focus]() : null;
    (place ?? this.picture.element).focus({ preventScroll: true }); // never lost: it waits at the picture
    this.focusLater = place ? null : focus;
  }

  // ---------------------------------------------------------------- advice

  showHint({ text, action, at }) {
    if (at !== this.position.version) return;
    this.advice.hidden = false;
    this.advice.dataset.action = action;
    this.advice.replaceChildren(el("p", {}, "The scripted player would: ", this.actionButton({ action, text })));
    this.picture.point(action);
  }

  startSearch() {
    if (!this.connection.send({ type: "search", ms: SEARCH_MS })) return;
    this.searchButton.disabled = true;
    this.advice.hidden = false;
    this.advice.replaceChildren(el("p", {}, "Searching …"), el("progress", { max: 1, value: 0, "aria-label": "search" }));
  }

  showSearching(share) {
    const bar = this.advice.querySelector("progress");
    if (bar) bar.value = share;
  }

  endSearching() {
    this.searchButton.disabled = !this.position?.legal.length;
    if (this.advice.querySelector("progress")) this.advice.hidden = true;
  }

  showSearch({ at, bars, simulations }) {
    this.endSearching();
    if (at !== this.position.version) return;
    this.advice.hidden = false;
    const most = Math.max(1, ...bars.map((bar) => bar.visits));
    const known = bars.reduce((sum, bar) => sum + bar.visits, 0) - simulations;
    const rows = bars.map((bar) => {
      const measure = el("span", { class: "measure" });
      measure.style.width = `${(100 * bar.visits) / most}%`;
      return el("tr", {},
        el("th", { scope: "row" }, this.actionButton(bar)),
        el("td", { class: "bar" }, measure),
        el("td", {}, String(bar.visits)), el("td", {}, bar.value.toFixed(2)));
    });
    const head = el("tr", {}, ["action", "", "visits", "value"].map((text) => el("th", { scope: "col" }, text)));
    this.advice.replaceChildren(
      el("h2", {}, "What a search thinks"),
      bars.length
        ? el("div", { class: "scroll" }, el("table", { class: "bars" }, el("thead", {}, head), el("tbody", {}, rows)))
        : el("p", {}, "There is only one thing to do."),
      el("p", { class: "quiet" }, `${simulations} simulations${known > 0 ? `, besides ${known} visits that earlier searches had made here` : known < 0 ? `, of which ${-known} looked at the position itself` : ""}; a value is the expected result, from −1 to 1.`));
  }

  // ---------------------------------------------------------------- saving, links, speed, replay

  save() {
    const tokens = (memory.tableOf(this.token)?.links ?? []).filter((link) => link.seat !== null).map((link) => link.token);
    const others = tokens.filter((token) => token !== this.token);
    const complete = others.length && !this.position.over && confirm("You have the links of all seats. Keep the complete position, with what the seats hide from each other?");
    this.connection.send({ type: "save", tokens: complete ? tokens : [] });
  }

  keep({ complete, name, position }) {
    download(`${name}-${complete ? "position" : "view"}.json`, position);
    say(complete ? "Saved: the complete position, with hidden cards. A new table can begin with it." : "Saved: what you see of the position. No game can begin with it.");
  }

  showLinks() {
    const table = memory.tableOf(this.token);
    if (!table) return;
    const rows = table.links.map((link) => {
      const url = `${location.origin}/#${link.token}`;
      const name = link.seat === null ? "watch, and set the speed" : `Player ${link.seat + 1}`;
      const input = el("input", { value: url, readonly: true, "aria-label": `link of ${name}`, "data-seat": String(link.seat), onfocus: (event) => event.target.select() });
      return el("div", { class: "link" }, el("span", {}, link.token === this.token ? `${name} (this page)` : name), input,
        button("copy", () => navigator.clipboard?.writeText(url).then(() => say("copied"), () => input.select())),
        el("a", { href: `#${link.token}`, target: "_blank", rel: "noopener" }, "open"));
    });
    this.links.replaceChildren(el("summary", {}, "Links of the seats"),
      el("p", { class: "quiet" }, "Whoever has the link of a seat sees its cards and plays it. Give everybody their own only."), ...rows);
    this.links.hidden = false;
    this.links.open = table.links.length > 2;
  }

  showPace() {
    const { pace, over } = this.position;
    this.pace.hidden = !pace || over;
    if (!pace || over) return;
    const inside = this.pace.contains(document.activeElement) ? document.activeElement.id : null;
    const slider = el("input", { type: "range", id: "delay", min: 0, max: 3, step: 0.1, value: pace.delay, "aria-label": "seconds between moves",
      onchange: (event) => this.connection.send({ type: "pace", delay: Number(event.target.value) }) });
    this.pace.replaceChildren(
      el("h2", {}, "Agents"),
      el("div", { class: "tools" },
        button(pace.paused ? "Go on" : "Pause", () => this.connection.send({ type: "pace", paused: !pace.paused }), { id: "pause" }),
        button("One step", () => this.connection.send({ type: "step" }), { id: "step", disabled: !pace.paused }),
        el("label", { for: "delay" }, "pause between moves"), slider, el("span", { class: "quiet" }, `${pace.delay} s`)));
    if (inside) document.getElementById(inside)?.focus();
  }

  showReplay() {
    if (!this.position.over) {
      this.replay?.close();
      this.replay = null;
    } else if (!this.replay) {
      this.replay = new Replay(this.replayPlace, this.position, this.picture, this.log, (message) => this.connection.send(message));
    }
  }
}

/** A text with a capital at its beginning. */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
