// A table of the server: the board, with links of the seats, the speed of agents, and the
// game once more at its end.

import { banner, button, download, el, said, say, sentence } from "./dom.js";
import * as memory from "./memory.js";
import { Board, look } from "./board.js";
import { Coach } from "./coach.js";
import { End } from "./end.js";
import { face, inWords } from "./faces.js";
import { showGuide } from "./guide.js";
import { Connection, ask, guideOf } from "./net.js";
import { NARROW, parsed } from "./picture.js";
import { Replay } from "./replay.js";
import { noteEnd } from "./results.js";
import { t } from "./words.js";

const LOOK = 20000; // milliseconds between looks for how long somebody has been away

export class TablePage extends Board {
  constructor(main, token) {
    super();
    this.token = token;
    this.away = new Map(); // the seats of people who are not here -> since when, if that is known
    this.hearers = {
      position: (message) => this.sit(message),
      people: (message) => this.showPeople(message),
      said: ({ seat, words }) => say(`${this.nameOf(seat)}: ${words}`),
      log: (message) => this.showLog(message),
      rematch: (message) => this.end.showRematch(message),
      analysis: (message) => this.replay?.hearAnalysis(message),
      mistakes: (message) => this.replay?.hearMistakes(message),
      thinking: ({ thinking }) => this.showThinking(thinking),
      advice: (message) => this.showAdvice(message),
      saved: (message) => this.keep(message),
      replay: (message) => this.replay?.hear(message),
      error: (message) => this.showError(message),
    };
    this.build(main);
    this.connection = new Connection(
      token, look, (message) => this.hear(message), (state) => this.showConnection(state));
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
    clearInterval(this.looking);
    this.replay?.close();
    this.connection.end();
  }

  themeChanged() {
    this.connection.send({ type: "theme", ...look() });
    this.replay?.again();
  }

  // ---------------------------------------------------------------- the parts of the page

  build(main) {
    this.status.textContent = "Connecting …";
    this.lost = el("p", { class: "trouble", id: "lost", hidden: true },
      "The connection is lost; it comes back by itself.");
    this.trouble = el("div", { class: "trouble", hidden: true });
    this.lobby = el("section", { class: "card lobby", id: "lobby", hidden: true });
    this.begin = button("Start", () => this.connection.send({ type: "begin" }),
      { id: "begin", class: "main" });
    this.board = button("Open hands",
      () => this.connection.send({ type: "open", open: !this.position.open }),
      { id: "open", hidden: true });
    this.skipButton = button("Skip", () => this.connection.send({ type: "skip" }),
      { id: "skipping", hidden: true, title: "no pauses until it is your turn" });
    this.goOn = button("Go on", () => this.connection.send({ type: "pace", paused: false }),
      { id: "goon", class: "main", hidden: true });
    this.tools = el("div", { class: "tools" }, this.backButton, this.hintButton,
      button("Save", () => this.save(), { id: "save", title: "keep the position as a file" }));
    this.pace = el("details", { class: "card pace", hidden: true });
    this.coach = new Coach(
      this.picture, this.actionPart, () => memory.noteTable(this.token, { lesson: false }));
    this.coach.skipped = !memory.tableOf(this.token)?.lesson;
    this.picture.frame.append(el("p", { class: "dealing" }, "Dealing …", el("progress", {})));
    this.links = el("details", { class: "card", id: "links", hidden: true });
    this.said = el("details", { id: "phrases", hidden: true });
    this.replayPlace = el("div", { class: "replay" });
    this.end = new End((message) => this.connection.send(message));
    this.textPart = el(
      "details", { class: "card" }, el("summary", {}, "The position as text"), this.text);
    const rules = button("Rules",
      () => showGuide(
        this.position.title, () => guideOf(this.position.env, this.position.options)),
      { id: "rules" });
    this.unready = [...this.tools.children, rules];
    for (const tool of this.unready) tool.disabled = true; // until there is a position
    main.replaceChildren(this.arrange([
      this.lost,
      el("div", { class: "state" }, this.status, this.thinking, this.skipButton, this.goOn,
        this.board, el("div", { class: "aside" }, rules, this.picture.sizes), this.log.said),
      this.trouble, this.lobby, this.end.element, this.picture.element, this.replayPlace,
      el("div", { class: "below" }, this.pace, this.links, this.textPart)
    ],
      [
        el("section", { class: "card facing", "aria-label": "players" }, this.players, this.said),
        this.actionPart, this.advice, this.tools,
        el("section", { class: "card past", "aria-label": "log" },
          el("h2", {}, "What has happened"), this.log.list)
      ],
      [
        ["act", "Actions"], ["end", "Result"], ["replay", "Replay"], ["log", "Log"],
        ["more", "Players"]
      ]));
    this.looking = setInterval(() => this.away.size && this.showAway(), LOOK);
  }

  // ---------------------------------------------------------------- what the server says

  /** Show a position; the first one also tells which seat it is, which this browser remembers. */
  sit(position) {
    const first = !this.position;
    this.show(position);
    if (!first) return;
    document.getElementById("where").replaceChildren(banner(position.env), position.title);
    if (position.seat === null) {
      this.tabs[0].hidden = true; // there are no actions
      if (!position.over && !position.waiting) this.toTab("log");
    } else if (!memory.tableOf(this.token)) {
      memory.keepTable({
        game: this.token,
        title: position.title,
        when: Date.now(),
        links: [{ seat: position.seat, token: this.token }]
      });
    }
    this.showLinks();
  }

  nameOf(seat) {
    return seat === this.position.seat ? "You" : this.position.seats[seat].name;
  }

  // ---------------------------------------------------------------- people

  showPeople({ away, phrases }) {
    this.away = new Map(away.map(
      ({ seat, seconds }) => [seat, seconds === null ? null : Date.now() - 1000 * seconds]));
    this.showAway();
    if (this.said.childElementCount) return;
    this.said.hidden = this.position.seat === null;
    this.said.append(el("summary", {}, "Say something"),
      el("div", { class: "tools" }, phrases.map((words, phrase) => button(
        words, () => this.connection.send({ type: "say", phrase }), { class: "action" }))));
  }

  showAway() {
    this.showPlayers();
    this.showLobby();
    if (!this.position.legal.length) this.listActions();
  }

  /** Whether somebody is away, in words; empty where not. */
  awayWords(seat) {
    if (!this.away.has(seat)) return "";
    const since = this.away.get(seat);
    const minutes = since === null ? 0 : Math.floor((Date.now() - since) / 60000);
    return minutes ? `away for ${minutes > 1 ? `${minutes} minutes` : "a minute"}` : "not here";
  }

  waitingFor() {
    const missing = this.position.seats.flatMap(({ name, asked }, seat) => (
      asked && this.away.has(seat) ? [`${name} is ${this.awayWords(seat)}.`] : []));
    return missing.join(" ") || super.waitingFor();
  }

  // ---------------------------------------------------------------- the state of the table

  showConnection(state) {
    this.lost.hidden = state !== "lost";
    // a position that comes says which of them can be used
    for (const tool of this.unready) tool.disabled = state !== "open";
    document.body.dataset.connection = state;
    if (state === "lost") this.busy(true);
  }

  showError(message) {
    say(message.message, "error");
    this.busy(false);
    this.replay?.failed();
    if (!message.final) return;
    memory.noteTable(this.token, { over: null }); // nobody can go on there
    this.status.textContent = message.message;
    for (const part of [this.picture.element, this.actionPart, this.tools]) part.hidden = true;
  }

  fill() {
    const { position } = this;
    this.status.replaceChildren(...this.statusText());
    this.showPlayers();
    this.showLobby();
    if (!position.over || !this.replay?.moved)
      this.picture.show(position.picture, position.text, position.legal, ...this.story());
    this.log.tell(position.seat, position.over ? 2 : 6);
    this.textPart.hidden = !position.picture;
    this.showTools();
    this.showPace();
    this.showThinking(position.thinking);
    this.showTrouble();
    this.showReplay();
    this.end.show(position);
    this.coach.show(position);
    noteEnd(this.token, position);
  }

  show(position) {
    const before = this.position?.version;
    super.show(position);
    // nothing but to skip: it happens by itself, unless somebody goes back through the game
    const [one, ...others] = position.legal;
    if (position.version !== before && one?.text === "skip" && !others.length && !this.goesBack)
      this.act(one);
    this.goesBack &&= position.legal.length === 0;
  }

  /** While people come in, before one of them starts the game. */
  showLobby() {
    const { waiting, over, env, seat, seats } = this.position;
    if (this.lobby.hidden === waiting && !over)
      this.toTab(waiting ? "more" : seat === null ? "log" : "act");
    this.lobby.hidden = !waiting;
    this.element.classList.toggle("waiting", waiting);
    if (!waiting) return;
    const missing = seats.flatMap(({ name }, number) => (this.away.has(number) ? [name] : []));
    this.lobby.replaceChildren(banner(env),
      el("h2", {}, missing.length ? `Still to come: ${missing.join(", ")}` : "Everybody is here."),
      el("p", {}, memory.tableOf(this.token)?.links.length > 1 && missing.length
        ? "Give each of the others a link or the QR code below. " : "",
        missing.length ? "Start when you like: who is late sits down later." : ""),
      el("div", { class: "tools" }, this.begin,
        seat === null ? "" : button("Your name …", () => this.rename())));
  }

  statusText() {
    const { over, waiting, ending, seat, together, seats, legal, headline, paused } = this.position;
    if (over) return [said(ending)];
    if (waiting) return ["The game has not begun."];
    if (paused) return ["The agents are paused. ", said(headline)];
    const question = sentence(headline.replace(/^You: /, ""));
    if (legal.length && !together) return [said(question)];
    const asked = seats.flatMap((one) => (one.asked ? [one.name] : []));
    if (together && legal.length) return [said(`${question}.`), " Everybody chooses at once."];
    if (together && seat !== null && seats[seat].asked)
      return ["You have chosen. Waiting for the others."];
    if (together) return [`Everybody chooses at once: ${asked.join(", ")}.`];
    return [said(headline)];
  }

  showPlayers() {
    const { seats, seat, turn, won, over, cooperative, loaded } = this.position;
    if (this.wantedName && seats[seat]?.name === this.wantedName) { // it is not refused
      memory.keepMyName(this.wantedName);
      this.wantedName = null;
    }
    const rows = seats.map((one, number) => {
      const who = number === seat ? "you"
        : one.player === "human"  ? this.awayWords(number) || "a person"
                                  : inWords(one.player, cooperative);
      // what others have chosen already nobody knows
      const chosen = number === seat && !this.position.legal.length;
      return el("li", { class: one.asked && !over && !chosen ? "asked" : "" },
        el("span", { class: `dot seat${number}` }),
        one.player === "human" ? null : face(one.name),
        el("span", { class: "name", title: one.name }, one.name),
        el("span", { class: "quiet" }, who),
        number === seat ? button("✎", () => this.rename(), {
          class: "plain small",
          id: "rename",
          "aria-label": "change your name",
          title: "change your name"
        })
                        : null,
        over && won.includes(number) ? el("span", { class: "badge" }, "won") : null,
        el("span", { class: "score", title: "score" }, String(one.score)));
    });
    const facts = [
      turn ? `turn ${turn}` : null, cooperative ? "everybody wins or loses together" : null,
      loaded ? "from a saved position" : null
    ];
    this.players.replaceChildren(
      ...rows, el("li", { class: "facts quiet" }, facts.filter(Boolean).join(" · ")));
  }

  rename() {
    const name = prompt(t("Your name at this table, of at most 40 characters:"),
      memory.myName() || this.position.seats[this.position.seat].name)
                   ?.trim();
    if (!name) return;
    this.wantedName = name;
    this.connection.send({ type: "name", name });
  }

  showTools() {
    const { legal, back, seat, over, may_open, open, pace, seats } = this.position;
    this.board.hidden = !may_open || over;
    this.board.textContent = open ? "Hide hands" : "Open hands";
    this.skipButton.hidden = !pace || pace.paused || over || legal.length > 0 || pace.delay === 0
      || !seats.some((one) => one.asked && one.player !== "human");
    this.goOn.hidden = !pace?.paused || over;
    this.tools.hidden = over && seat === null;
    this.hintButton.disabled = !legal.length;
    this.hintButton.hidden = this.backButton.hidden = seat === null;
    this.backButton.disabled = !back;
    this.actionPart.hidden = seat === null || over;
  }

  showTrouble() {
    const { trouble, stuck } = this.position;
    const again = button("Try again", () => this.connection.send({ type: "again" }));
    this.trouble.hidden = !trouble;
    this.trouble.replaceChildren(el("p", {}, trouble), ...(stuck ? [again] : []));
  }

  // ---------------------------------------------------------------- doing something

  ask(what) {
    this.goesBack = what === "back";
    return this.connection.send({ type: what });
  }

  play(action) {
    if (this.connection.send({ type: "act", action, at: this.position.version })) return;
    this.busy(false);
    say("The connection is lost; nothing was done.", "error");
  }

  /** Who takes back knows what has been turned over since; it lies there still. */
  showLog(message) {
    const gone = this.log.lines.slice(message.from);
    if (this.goesBack && gone.some(({ seat }) => seat !== this.position.seat))
      say("Taken back. What was drawn or turned up since then lies there still, as you have seen "
        + "it.");
    super.showLog(message);
  }

  jump(decision) {
    this.replay?.jump(decision);
  }

  // ---------------------------------------------------------------- saving, links, speed, replay

  save() {
    const tokens = (memory.tableOf(this.token)?.links ?? [])
                     .filter((link) => link.seat !== null)
                     .map((link) => link.token);
    const others = tokens.filter((token) => token !== this.token);
    const complete = others.length && !this.position.over
      && confirm(
        t("You have the links of all seats. Keep the complete position, "
          + "with what the seats hide from each other?"));
    this.connection.send({ type: "save", tokens: complete ? tokens : [] });
  }

  keep({ complete, name, position }) {
    if (complete) memory.keepPlayers(position, this.position.seats.map(({ player }) => player));
    download(`${name}-${complete ? "position" : "view"}.json`, position);
    say(complete ? "Saved: the complete position, with hidden cards. A new table can begin with it."
                 : "Saved: what you see of the position. No game can begin with it.");
  }

  showLinks() {
    const table = memory.tableOf(this.token);
    if (!table) return;
    const alone = el("p", { class: "quiet", hidden: true },
      "Only this machine reaches these addresses. For others: dig-envs serve --host 0.0.0.0");
    const own = (link) => link.token === this.token; // it comes last: nobody is to be given it
    const links = [...table.links].sort((one, other) => own(one) - own(other));
    const rows = links.map((link) => {
      const url = `${location.origin}/#${link.token}`;
      const name = link.seat === null ? "watch, and set the speed" : `Player ${link.seat + 1}`;
      const input = el("input", {
        value: url,
        readonly: true,
        "aria-label": `link of ${name}`,
        "data-seat": String(link.seat),
        onfocus: (event) => event.target.select()
      });
      const code = el("div", { class: "code", hidden: true });
      const show = button("QR code", () => {
        code.hidden = !code.hidden;
        code.scrollIntoView({ block: "nearest" });
      }, { "aria-label": `QR code of the link of ${name}` });
      ask("/api/invitations", { token: link.token }).then((found) => {
        input.value = found.link; // as other machines reach it
        alone.hidden = !/^http:..(localhost|127\.|\[::1)/.test(found.link);
        show.hidden = !found.picture;
        code.replaceChildren(parsed(found.picture) ?? "");
      }).catch(() => { show.hidden = true; });
      return el("div", { class: "link" },
        el("span", {}, own(link) ? `${name} (you, this page)` : name), input,
        button("Copy", () => copy(input), { "aria-label": `copy the link of ${name}` }),
        show,
        navigator.share ? button("Share …",
          () => navigator.share({ title: this.position.title, url: input.value }).catch(() => {}),
          { "aria-label": `share the link of ${name}` })
                        : null,
        el("a", { href: `#${link.token}`, target: "_blank", rel: "noopener" }, "open"), code);
    });
    this.links.replaceChildren(el("summary", {}, "Links of the seats"),
      el("p", { class: "quiet" },
        "Whoever has the link of a seat sees its cards and plays it. "
        + "Give everybody their own only."),
      alone,
      ...rows);
    this.links.hidden = false;
    const seats = table.links.filter((link) => link.seat !== null);
    this.links.open = seats.length > 1;
  }

  showPace() {
    const { pace, over, cooperative } = this.position;
    if (this.pace.hidden && this.position.seat === null) this.pace.open = true; // who only watches
    this.pace.hidden = !pace || over;
    if (!pace || over) return;
    const inside = this.pace.contains(document.activeElement) ? document.activeElement.id : null;
    const slider = el("input", {
      type: "range",
      id: "delay",
      min: 0,
      max: 3,
      step: 0.1,
      value: pace.delay,
      "aria-label": "seconds between moves",
      onchange: (event) => this.connection.send({ type: "pace", delay: Number(event.target.value) })
    });
    this.pace.replaceChildren(
      el("summary", {}, `Speed of the ${cooperative ? "partners" : "opponents"}`),
      el("div", { class: "tools" },
        button(pace.paused ? "Go on" : "Pause",
          () => this.connection.send({ type: "pace", paused: !pace.paused }), { id: "pause" }),
        button("One step", () => this.connection.send({ type: "step" }),
          { id: "step", disabled: !pace.paused }),
        el("label", { for: "delay"
        }, "pause between moves"), slider, el("span", { class: "quiet" }, `${pace.delay} s`)));
    if (inside) document.getElementById(inside)?.focus();
  }

  showReplay() {
    if (!this.position.over) {
      this.replay?.close();
      this.replay = null;
    } else if (!this.replay) {
      this.replay = new Replay(this.replayPlace, this.position, this.picture, this.log,
        (message) => this.connection.send(message));
    }
  }
}

/** Copy the text of a field, also on a page without TLS, which has no `navigator.clipboard`. */
async function copy(input) {
  let copied = true;
  try {
    await navigator.clipboard.writeText(input.value);
  } catch {
    input.select();
    copied = document.execCommand("copy");
  }
  say(copied ? "The link is copied." : "Press Ctrl+C to copy the link.");
}
