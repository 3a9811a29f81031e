// The start page: all games, one click to play; public tables; the form for a table of any kind, or
// with a saved position.

import { button, el, say } from "./dom.js";
import { showGuide } from "./guide.js";
import * as memory from "./memory.js";
import { ask, guideOf } from "./net.js";
import { savedPosition } from "./saved.js";
import { PLAYERS } from "./table.js";

const HUMAN = "human";
const LEVELS = ["easy", "medium", "hard", "best"];
const LOOK = 4000; // milliseconds between looks for public tables

/** Show the form, and the tables that were opened in this browser. */
export async function showSetup(main) {
  const games = await gamesFor(main);
  const form = new Form(games);
  const level = el("select", { id: "level" },
    LEVELS.map((name) => el("option", { value: name, selected: name === "best" },
                 PLAYERS[name].replace(" opponent", ""))));
  main.replaceChildren(el("div", { class: "setup" }, publicTables(),
    el("section", { "aria-label": "games" }, el("h1", {}, "What shall we play?"),
      el("p", {}, "Playing at a real table? ",
        el("a", { href: "#assistant", id: "assistant" }, "Assistant")),
      el("div", { class: "opponents" }, field("Opponents", level)),
      el("div", { class: "games" }, games.filter(({ newest }) => newest)
        .map((game) => gameCard(game, form, level)))),
    form.element, recent(main)));
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

/** A game: picture, one sentence, how many, how long; to play now against a good agent, or to
 * choose more. */
function gameCard(game, form, level) {
  const counts = game.options.find((option) => option.name === "num_players").values;
  const few = counts.length > 1 ? `${counts[0]} to ${counts.at(-1)} players`
                                : `${counts[0]} players`;
  const play = button("Play now", () => playNow(game, level.value, form.myName, play),
    { class: "main", "data-play": game.env, "aria-label": `Play ${game.title} now` });
  return el("article", { class: "card game" },
    el("img", { src: `/games/${game.env}.svg`, alt: "", loading: "lazy", width: 960, height: 600 }),
    el("h2", {}, game.title),
    el("p", {}, sentence(game.sentence.replace(/,? for \d.*? players/, ""))),
    el("p", { class: "quiet" },
      [few, game.minutes ? `about ${game.minutes} minutes` : "", game.cooperative ? "together" : ""]
        .filter(Boolean)
        .join(" · ")),
    el("div", { class: "tools" }, play,
      button("Rules", () => showGuide(game.title, () => guideOf(game.env)),
        { class: "plain", "aria-label": `Rules of ${game.title}` }),
      button("More …", () => form.choose(game.env),
        { class: "plain", "aria-label": `${game.title}: more people, other agents, options` })));
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Open a table for one person and agents of a level, or the best that are here. */
async function playNow(game, level, name, play) {
  const count = game.options.find((option) => option.name === "num_players");
  const others = game.cooperative && count.values.includes(2)
    ? 1
    : Math.max(count.default, count.values[0]) - 1;
  const usual = level === "best" ? game.partner : level;
  const agent = [usual, "best", "heuristic"].find((name) => game.agents.includes(name));
  play.disabled = true;
  play.textContent = "Preparing …";
  try {
    await openTable(game.title, {
      env: game.env,
      players: [HUMAN, ...Array(Math.max(others, 0)).fill(agent)],
      names: [name, ...Array(Math.max(others, 0)).fill("")]
    });
  } catch (error) {
    say(error.message, "error");
    play.disabled = false;
    play.textContent = "Play now";
  }
}

/** Open a table, remember its links and the own name, and go to the first person's seat. */
async function openTable(title, wanted) {
  const opened = await ask("/api/tables", wanted);
  if (wanted.players.includes(HUMAN)) memory.keepMyName(wanted.names.find(Boolean) ?? "");
  memory.keepTable({ game: opened.game, title, when: Date.now(), links: opened.links });
  location.hash = (opened.links.find((link) => link.seat !== null) ?? opened.links[0]).token;
}

/** The tables that are open to everybody, looked for again and again as long as this page is
 * shown. */
function publicTables() {
  const list = el("ul", { class: "recent", id: "public" });
  const part = el("section", { class: "card", "aria-label": "public tables", hidden: true },
    el("h2", {}, "Public tables with free seats"), list);
  let shown = "[]";
  const look = async () => {
    const tables = await ask("/api/tables").catch(() => null);
    if (tables && JSON.stringify(tables) !== shown) {
      shown = JSON.stringify(tables);
      part.hidden = !tables.length;
      list.replaceChildren(...tables.map(publicTable));
    }
    if (!part.isConnected) clearInterval(timer);
  };
  const timer = setInterval(look, LOOK);
  setTimeout(look);
  return part;
}

function publicTable(table) {
  const who = table.seats
                .map(({ name, player, free }) => (free ? "free"
                         : player === HUMAN            ? name
                                                       : PLAYERS[player] ?? player))
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

function recent(main) {
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
    this.options = el("div", { class: "fields" });
    this.seats = el("div", { class: "fields", id: "seats" });
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
    this.start = el("button", { type: "submit", class: "main", id: "start" }, "Open the table");
    this.element = el("form", { class: "card", onsubmit: (event) => this.submit(event) },
      el("h1", {}, "A new table"), field("Game", this.game), this.about, el("h2", {}, "Who plays"),
      field("Your name", this.name), this.seats, this.publicField,
      el("details", { id: "more" }, el("summary", {}, "Options of the game"), this.options),
      el("details", {}, el("summary", {}, "Begin with a saved position"), field("File", this.file),
        this.fileNote),
      this.start);
    this.gameChanged();
  }

  /** Show the form for a game. */
  choose(env) {
    this.game.value = env;
    this.gameChanged();
    this.element.scrollIntoView({ block: "start" });
    this.count.focus({ preventScroll: true });
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
    this.about.textContent = `${sentence(game.sentence)} `;
    this.about.textContent += game.cooperative ? "Everybody wins or loses together."
                                               : "Everybody plays for themselves.";
    this.options.replaceChildren(
      ...game.options.filter((option) => option.name !== "num_players").map(optionField));
    const counts = game.options.find((option) => option.name === "num_players");
    this.count = el("select", { id: "players", onchange: () => this.seatsChanged() },
      counts.values.map((count) => el("option",
                          { value: count, selected: count === counts.default }, String(count))));
    this.seatsChanged();
  }

  /** As many seats as there are players; the first is mine, the others are scripted players. */
  seatsChanged() {
    const count = this.position ? this.position.options.num_players : Number(this.count.value);
    const kept = [...this.seats.querySelectorAll("select.who")].map((select) => select.value);
    const rows = [...Array(count).keys()].map(
      (seat) => this.seat(seat, kept[seat] ?? (seat ? "heuristic" : HUMAN)));
    this.seats.replaceChildren(this.position ? "" : field("Players", this.count), ...rows);
    this.peopleChanged();
  }

  peopleChanged() {
    this.publicField.hidden = [...this.seats.querySelectorAll("select.who")]
                                .filter((select) => select.value === HUMAN)
                                .length
      < 2;
  }

  seat(seat, value) {
    const names = [HUMAN, ...this.chosen.agents];
    const select = el("select",
      { id: `seat${seat}`, class: "who", onchange: () => this.peopleChanged() },
      names.map(
        (name) => el("option", { value: name, selected: name === value }, PLAYERS[name] ?? name)));
    return field(`Player ${seat + 1}`, select);
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
      this.seatsChanged();
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
    const players = [...this.seats.querySelectorAll("select.who")].map((select) => select.value);
    const mine = players.indexOf(HUMAN);
    const names = players.map((_, seat) => (seat === mine ? this.myName : ""));
    const wanted = {
      env: this.game.value,
      players,
      names,
      public: this.public.checked && !this.publicField.hidden
    };
    if (this.position) return { ...wanted, position: this.position };
    return { ...wanted, options: optionsOf(this.options) };
  }

  async submit(event) {
    event.preventDefault();
    const title = this.chosen.title;
    this.start.disabled = true;
    this.start.textContent = "Preparing …";
    try {
      await openTable(title, this.wanted());
    } catch (error) {
      say(error.message, "error");
      this.start.disabled = false;
      this.start.textContent = "Open the table";
    }
  }
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

/** The input of an option: a list of values, or a number in a range. */
export function optionField(option) {
  const id = `option-${option.name}`;
  const words = option.name.replaceAll("_", " ");
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
  return el("div", { class: "field wide" }, el("label", { for: id
  }, words), input, el("p", { class: "quiet" }, option.meaning));
}

function shown(value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  return Array.isArray(value) ? value.join(" ") : String(value);
}
