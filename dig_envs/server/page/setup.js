// The start page: all games, one click to play or to learn one; what goes on here; the form for a
// table of any kind, or with a saved position.

import { banner, button, el, said, say, sentence } from "./dom.js";
import { face, inWords, opponents, teacher } from "./faces.js";
import { showGuide } from "./guide.js";
import * as memory from "./memory.js";
import { ask, guideOf } from "./net.js";
import { resultsPart } from "./results.js";
import { savedPosition } from "./saved.js";
import { keepNames } from "./words.js";

const HUMAN = "human";
const LEVELS = ["easy", "medium", "hard", "best"];
const WEIGHTS = { 1: "easy to learn", 2: "more rules", 3: "many rules" };
// results against others than agents of one level
const AGAINST = { people: "people", several: "several levels", alone: "alone" };
const LOOK = 4000; // milliseconds between looks for public tables
const MOST_SHARED = 100; // as MOST_RESULTS in table/store.py

/** Show all games, what goes on here, and the form. */
export async function showSetup(main) {
  const games = await gamesFor(main);
  const form = new Form(games);
  const newest = games.filter(({ newest }) => newest)
                   .sort((one, other) => one.weight - other.weight || one.minutes - other.minutes);
  const [friend] = opponents(1);
  const cards = el("div", { class: "games" });
  const level = el("select", { id: "level", onchange: () => {
    memory.keepLevel(level.value);
    noteLevel(cards, level.value);
  } }, levelOptions());
  cards.append(...newest.map((game) => gameCard(game, form, level)));
  noteLevel(cards, level.value);
  const named = (level, title) => AGAINST[level]
    ?? inWords(level, games.find((game) => game.title === title)?.cooperative);
  const results = () => resultsPart(named, shareResults);
  const shown = results();
  main.replaceChildren(el("div", { class: "setup" },
    el("section", { "aria-label": "games" }, el("h1", {}, "What shall we play?"),
      continued(), publicTables(games), newHere(newest, form),
      el("div", { class: "opponents" }, face(friend),
        el("label", { for: "level" }, `${friend} and friends play as`), level),
      cards,
      el("p", { class: "quiet" }, "Playing at a real table? ",
        el("a", { href: "#assistant", id: "assistant" }, "Assistant"))),
    shown, form.element, recent()));
  const count = memory.results().length;
  await shareResults();
  if (memory.results().length !== count) shown.replaceWith(results());
}

/** Give the server the results under the name that was chosen, and take those that it has; `anew`:
 * it forgets these. Returns whether it has done so. Former pages kept secrets as the game. */
async function shareResults(anew = false) {
  const name = memory.resultsName();
  if (!name) return true;
  const good = ({ game, level }) => /^[0-9a-f]{16}$/.test(game) && /^[ -~]{1,80}$/.test(level);
  const own = memory.results().filter(good).slice(-MOST_SHARED)
                .map(({ game, env, level, won, when }) => ({ game, env, level, won, when }));
  try {
    memory.addResults(await ask("/api/results", { name, results: anew ? [] : own, anew }));
    return true;
  } catch (error) {
    say(error.message, "error");
    return false;
  }
}

function levelOptions() {
  return LEVELS.map(
    (name) => el("option", { value: name, selected: name === memory.level() }, inWords(name)));
}

/** Which levels of a game were measured to play equally strong, a paragraph for each pair. */
function equalLevels({ equal, cooperative }) {
  return equal.map(([one, other, count]) => {
    const [first, second] = [one, other].map((level) => inWords(level, cooperative));
    return el("p", { class: "quiet", "data-levels": `${one} ${other}` },
      `With ${count} players, “${first}” and “${second}” are equally strong.`);
  });
}

/** Show on the cards of games what is to be said of the chosen level. */
function noteLevel(cards, level) {
  for (const note of cards.querySelectorAll("[data-levels]"))
    note.hidden = !note.dataset.levels.split(" ").includes(level);
}

/** The game that was played last and is not over: one click to go on. */
function continued() {
  const table = memory.tables().find(({ over }) => over === false);
  const link = table?.links.find(({ seat }) => seat !== null);
  if (!link) return null;
  const words = `Continue: ${table.title}${table.alone ? ", your turn" : ""}`;
  return el("p", {}, el("a", { class: "button main", id: "continue", href: `#${link.token}` },
    words));
}

/** For who has finished no game here: the light games, each with a teacher. */
function newHere(games, form) {
  const light = games.filter(({ weight, lesson }) => weight === 1 && lesson);
  if (!light.length || memory.results().length) return null;
  return el("section", { class: "card new", id: "newhere", "aria-label": "new here?" },
    face(teacher()),
    el("div", {}, el("h2", {}, "New here?"),
      el("p", {}, `Start with one of these. ${teacher()} shows you move by move how it goes, `
        + "in about three minutes, and then you play on."),
      el("div", { class: "tools" },
        light.map((game) => learnButton(game, form, game.title, "main")))));
}

/** A button that opens the guided first game. */
function learnButton(game, form, words, kind) {
  return button(words, () => openTable(game.title, {
    env: game.env,
    players: [HUMAN, agentOf(game, "easy")],
    names: [form.myName, ...opponents(1, form.myName)],
    options: game.lesson.options,
    seed: game.lesson.seed,
  }, { lesson: true }), { class: kind, "data-learn": game.env,
    "aria-label": `Learn ${game.title} move by move` });
}

/** All games; while the server cannot be asked, the page says so and offers to try again. */
export async function gamesFor(main) {
  try {
    return await ask("/api/games");
  } catch (error) {
    await new Promise((again) => {
      main.replaceChildren(
        el("p", { class: "trouble" }, error.message), button("Try again", again));
    });
    return gamesFor(main);
  }
}

/** A game: picture, one sentence, for whom, how long; to play now, to learn it, or to choose
 * more. */
function gameCard(game, form, level) {
  const counts = game.options.find((option) => option.name === "num_players").values;
  const few = counts.length > 1 ? `${counts[0]} to ${counts.at(-1)} players`
                                : `${counts[0]} players`;
  const facts = [
    WEIGHTS[game.weight], few, game.age ? `from ${game.age} years` : "",
    game.minutes ? `about ${game.minutes} minutes` : "", game.cooperative ? "together" : ""
  ];
  return el("article", { class: "card game", "data-game": game.env },
    banner(game.env),
    el("h2", {}, game.title),
    el("p", { "data-said": true }, sentence(game.sentence.replace(/,? for \d.*? players/, ""))),
    el("p", { class: "quiet" }, facts.filter(Boolean).map((fact) => fact.replaceAll(" ", "\u00a0"))
      .join(" · ")),
    ...equalLevels(game),
    el("div", { class: "tools" },
      button("Play now", () => playNow(game, level.value, form.myName),
        { class: "main", "data-play": game.env, "aria-label": `Play ${game.title} now` }),
      game.lesson ? learnButton(game, form, "Learn", "") : null,
      button("Rules", () => showGuide(game.title, () => guideOf(game.env)),
        { class: "plain", "aria-label": `Rules of ${game.title}` }),
      button("More …", () => form.choose(game.env),
        { class: "plain", "aria-label": `${game.title}: more people, other agents, options` })));
}

/** The agent that plays a level of a game, or the best one that is here. */
function agentOf(game, level) {
  const usual = level === "best" ? game.partner : level;
  return [usual, "best", "heuristic"].find((name) => game.agents.includes(name));
}

/** Open a table for one person and agents of a level. */
function playNow(game, level, name) {
  const count = game.options.find((option) => option.name === "num_players");
  const others = game.cooperative && count.values.includes(2)
    ? 1
    : Math.max(count.default, count.values[0]) - 1;
  return openTable(game.title, {
    env: game.env,
    players: [HUMAN, ...Array(others).fill(agentOf(game, level))],
    names: [name, ...opponents(others, name)]
  });
}

/** Open a table, remember its links and the own name, and go to the first person's seat; a dialogue
 * says meanwhile what is going on. */
async function openTable(title, wanted, note = {}) {
  const dialog = el("dialog", { id: "preparing", "aria-labelledby": "prepared" },
    banner(wanted.env), el("h2", { id: "prepared" }, `Preparing ${title} …`),
    el("progress", { "aria-labelledby": "prepared" }),
    el("p", { class: "quiet" },
      "The first game of a kind takes up to a minute, later ones begin at once."));
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  try {
    const opened = await ask("/api/tables", wanted);
    if (wanted.players.includes(HUMAN)) {
      const mine = wanted.players.indexOf(HUMAN);
      memory.keepMyName(wanted.names[mine]);
    }
    memory.keepTable({ game: opened.game, title, when: Date.now(), links: opened.links, ...note });
    location.hash = (opened.links.find((link) => link.seat !== null) ?? opened.links[0]).token;
  } catch (error) {
    say(error.message, "error");
  } finally {
    dialog.remove();
  }
}

/** The tables that are open to everybody, looked for again and again as long as this page is
 * shown. */
function publicTables(games) {
  const list = el("ul", { class: "recent", id: "public" });
  const part = el("section", { class: "card", "aria-label": "public tables", hidden: true },
    el("h2", {}, "Public tables with free seats"), list);
  let shown = "[]";
  const look = async () => {
    const tables = await ask("/api/tables").catch(() => null);
    if (tables && JSON.stringify(tables) !== shown) {
      shown = JSON.stringify(tables);
      part.hidden = !tables.length;
      const together = new Set(games.flatMap(({ title, cooperative }) => cooperative ? title : []));
      list.replaceChildren(
        ...tables.map((table) => publicTable(table, together.has(table.title))));
    }
    if (!part.isConnected) clearInterval(timer);
  };
  const timer = setInterval(look, LOOK);
  setTimeout(look);
  return part;
}

function publicTable(table, together) {
  keepNames(table.seats.flatMap(({ name, player }) => (player === HUMAN && name ? [name] : [])));
  const who = table.seats
                .map(({ name, player, free }) => (free ? "free"
                         : player === HUMAN            ? name
                                                       : inWords(player, together)))
                .join(", ");
  const seat = table.seats.find(({ free }) => free).seat;
  return el("li", {}, el("span", {}, `${table.title}: ${who}`), button("Sit down", async () => {
    try {
      const found = await ask("/api/seats", { game: table.game, seat });
      memory.keepTable(
        { game: found.game, title: found.title, when: Date.now(), links: found.links });
      location.hash = found.links[0].token;
    } catch (error) {
      say(error.message, "error");
    }
  }, { class: "main" }));
}

function recent() {
  const kept = memory.tables();
  if (!kept.length) return null;
  const rows = kept.map(
    (table) => el("li", {},
      el("span", {}, `${table.title}, ${new Date(table.when).toLocaleString()} `),
      ...table.links.map((link) => el("a", { href: `#${link.token}` },
                           link.seat === null ? "watch" : `Player ${link.seat + 1}`)),
      button("forget", (event) => {
        memory.forgetTable(table.game);
        event.target.closest("li").remove();
      }, { class: "plain", "aria-label": `forget the table of ${table.title}` })));
  return el("section", { class: "card" }, el("h2", {}, "Tables opened here"),
    el("ul", { class: "recent" }, rows));
}

class Form {
  constructor(games) {
    this.games = games;
    this.position = null; // a saved one
    this.game = el("select", { id: "game", onchange: () => this.gameChanged() },
      games.map((game) => el("option", { value: game.env }, game.title)));
    this.about = el("p", { class: "quiet" });
    this.family = el("div", { class: "fields" });
    this.options = el("div", { class: "fields" });
    this.seats = el("div", { class: "fields", id: "seats" });
    this.players = el("select", { id: "players", onchange: () => this.countChanged() });
    this.people = el("select", { id: "people", onchange: () => this.fillSeats() });
    this.level = el("select", { id: "formlevel", onchange: () => this.fillSeats() },
      levelOptions(), el("option", { value: "", hidden: true }, "as chosen below"));
    this.equal = el("div");
    this.file = el("input", {
      type: "file",
      id: "file",
      accept: ".json,application/json",
      onchange: () => this.fileChosen()
    });
    this.fileNote = el("p", { class: "quiet", role: "status" });
    this.name = el("input", {
      id: "myname",
      maxlength: 40,
      value: memory.myName(),
      placeholder: "as Player 1"
    });
    this.public = el("input", { type: "checkbox", id: "ispublic" });
    this.publicField = el("p", { class: "check", hidden: true }, this.public,
      el("label", { for: "ispublic" },
        "public: everybody who reaches this server may take the seats of people"));
    this.element = el("form", { class: "card", onsubmit: (event) => this.submit(event) },
      el("h1", {}, "A new table"), field("Game", this.game), this.about,
      field("Your name", this.name), this.playersField = field("Players", this.players),
      field("People", this.people), this.levelField = field("Opponents", this.level), this.equal,
      this.publicField, this.family,
      el("details", { id: "more" }, el("summary", {}, "For researchers"),
        el("h2", {}, "Who plays each seat"), this.seats, el("h2", {}, "Options"), this.options),
      el("details", { id: "saved" }, el("summary", {}, "Begin with a saved position"),
        field("File", this.file), this.fileNote),
      el("button", { type: "submit", class: "main", id: "start" }, "Open the table"));
    this.gameChanged();
  }

  /** Show the form for a game. */
  choose(env) {
    this.game.value = env;
    this.gameChanged();
    this.element.scrollIntoView({ block: "start" });
    this.players.focus({ preventScroll: true });
  }

  get myName() {
    return this.name.value.trim();
  }

  get chosen() {
    return this.games.find((game) => game.env === this.game.value);
  }

  gameChanged() {
    const game = this.chosen;
    this.forgetPosition();
    this.element.dataset.game = game.env;
    this.about.replaceChildren(said(sentence(game.sentence)), game.cooperative
      ? " Everybody wins or loses together."
      : " Everybody plays for themselves.");
    const { cooperative } = game;
    this.levelField.querySelector("label").textContent = cooperative ? "Partners" : "Opponents";
    for (const option of this.level.options)
      if (option.value) option.textContent = inWords(option.value, cooperative);
    this.equal.replaceChildren(...equalLevels(game));
    const options = game.options.filter((option) => option.name !== "num_players");
    const [simple, others] = [true, false].map((is) =>
      options.filter(({ name }) => Object.hasOwn(game.family, name) === is));
    this.family.replaceChildren(
      ...simple.map((option) => optionField(option, game.family[option.name])));
    this.options.replaceChildren(...others.map((option) => optionField(option)));
    const counts = game.options.find((option) => option.name === "num_players");
    this.players.replaceChildren(...numbers(counts.values, counts.default));
    this.countChanged();
  }

  get count() {
    return this.position ? this.position.options.num_players : Number(this.players.value);
  }

  countChanged() {
    this.playersField.hidden = Boolean(this.position);
    const people = Math.max(1, Math.min(Number(this.people.value), this.count));
    this.people.replaceChildren(...numbers([...Array(this.count + 1).keys()], people));
    this.fillSeats();
  }

  /** So many people first, then agents of the level; or these players. */
  fillSeats(players) {
    if (!this.level.value && !players) this.level.value = "easy";
    const people = Number(this.people.value);
    const agent = agentOf(this.chosen, this.level.value);
    const wanted = players
      ?? Array.from({ length: this.count }, (_, seat) => (seat < people ? HUMAN : agent));
    this.seats.replaceChildren(...wanted.map((player, seat) => this.seat(seat, player)));
    if (players) this.seatChanged();
    this.peopleChanged();
  }

  seat(seat, value) {
    const names = [HUMAN, ...this.chosen.agents];
    const select = el("select",
      { id: `seat${seat}`, class: "who", onchange: () => this.seatChanged() },
      names.map(
        (name) => el("option", { value: name, selected: name === value },
          inWords(name, this.chosen.cooperative))));
    return field(`Player ${seat + 1}`, select);
  }

  get chosenPlayers() {
    return [...this.seats.querySelectorAll("select.who")].map((select) => select.value);
  }

  /** A seat was chosen by itself: the fields above say what they can of it. */
  seatChanged() {
    this.people.value = String(this.chosenPlayers.filter((player) => player === HUMAN).length);
    this.level.value = "";
    this.peopleChanged();
  }

  peopleChanged() {
    this.publicField.hidden = Number(this.people.value) < 2;
  }

  async fileChosen() {
    const file = this.file.files[0];
    if (!file) return;
    try {
      const { position, game } = await savedPosition(file, this.games);
      if (file !== this.file.files[0]) return; // another one was chosen meanwhile
      this.game.value = game.env;
      this.gameChanged();
      this.position = position;
      this.fileNote.textContent = `${game.title}, ${
        position.options.num_players} players. The options are those of the file.`;
      this.options.replaceChildren();
      this.family.replaceChildren();
      this.countChanged();
      const players = memory.playersOf(position);
      if (players?.length === this.count) this.fillSeats(players);
    } catch (error) {
      if (file !== this.file.files[0]) return;
      this.file.value = "";
      this.fileNote.textContent = `${error.message} The form has not changed.`;
    }
  }

  forgetPosition() {
    this.position = null;
    this.fileNote.textContent = "";
  }

  wanted() {
    const players = this.chosenPlayers;
    const mine = players.indexOf(HUMAN);
    const friends = opponents(players.length, this.myName);
    const names = players.map((player, seat) =>
      (seat === mine ? this.myName : player === HUMAN ? "" : friends.shift() ?? ""));
    const wanted = {
      env: this.game.value,
      players,
      names,
      public: this.public.checked && !this.publicField.hidden,
      wait: true // for the others, if there are any
    };
    if (this.position) return { ...wanted, position: this.position };
    return { ...wanted, options: optionsOf(this.element) };
  }

  submit(event) {
    event.preventDefault();
    return openTable(this.chosen.title, this.wanted());
  }
}

function numbers(values, chosen) {
  return values.map((value) => el("option", { value, selected: value === chosen }, String(value)));
}

export function field(label, input) {
  return el("div", { class: "field" }, el("label", { for: input.id }, label), input);
}

/** The options that were entered in a part of a form. */
export function optionsOf(part) {
  return Object.fromEntries([...part.querySelectorAll("[data-option]")].map((input) => [
    input.dataset.option,
    JSON.parse(input.tagName === "INPUT" ? input.value || "null" : input.value)
  ]));
}

/** The input of an option: a list of values, or a number in a range; with its name and meaning, or
 * these words for families. */
export function optionField(option, plain = "") {
  const id = `option-${option.name}`;
  const words = plain || option.name.replaceAll("_", " ");
  const many = !Array.isArray(option.values);
  const input = many
    ? el("input", {
        id,
        type: "number",
        min: option.values.least,
        max: option.values.most,
        value: option.default,
        required: true,
        "data-option": option.name,
        title: option.described,
      })
    : el("select", { id, "data-option": option.name }, option.values.map((value) => {
        const text = JSON.stringify(value);
        return el("option", { value: text, selected: text === JSON.stringify(option.default) },
          shown(value));
      }));
  return el("div", { class: "field wide", "data-said": true }, el("label", { for: id
  }, words), input, plain ? null : el("p", { class: "quiet" }, withoutRules(option.meaning)));
}

/** A text without the numbers of rules, such as (FM-11). */
function withoutRules(text) {
  return text.replace(/ \([A-Z]{2}-\d+(, [A-Z]{2}-\d+)*\)/g, "");
}

function shown(value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  return Array.isArray(value) ? value.join(" ") : String(value);
}
