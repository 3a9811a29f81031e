// The form for a new table: game, options, who sits where; or a saved position.

import { button, el, say } from "./dom.js";
import * as memory from "./memory.js";
import { ask } from "./net.js";

const HUMAN = "human";

/** Show the form, and the tables that were opened in this browser. */
export async function showSetup(main) {
  let games;
  try {
    games = await ask("/api/games");
  } catch (error) {
    main.replaceChildren(el("p", { class: "trouble" }, error.message), button("Try again", () => showSetup(main)));
    return;
  }
  const form = new Form(games);
  main.replaceChildren(el("div", { class: "setup" }, form.element, recent(main)));
}

function recent(main) {
  const kept = memory.tables();
  if (!kept.length) return null;
  const rows = kept.map((table) =>
    el("li", {},
      el("span", {}, `${table.title}, ${new Date(table.when).toLocaleString()} `),
      ...table.links.map((link) => el("a", { href: `#${link.token}` }, link.seat === null ? "watch" : `player_${link.seat}`)),
      button("forget", (event) => {
        memory.forgetTable(table.game);
        event.target.closest("li").remove();
      }, { class: "plain", "aria-label": `forget the table of ${table.title}` })));
  return el("section", { class: "card" }, el("h2", {}, "Tables opened here"), el("ul", { class: "recent" }, rows));
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
    this.file = el("input", { type: "file", id: "file", accept: ".json,application/json", onchange: () => this.fileChosen() });
    this.fileNote = el("p", { class: "quiet", role: "status" });
    this.start = el("button", { type: "submit", class: "main", id: "start" }, "Open the table");
    this.element = el("form", { class: "card", onsubmit: (event) => this.submit(event) },
      el("h1", {}, "A new table"),
      field("Game", this.game), this.about,
      el("h2", {}, "Who plays"), this.seats,
      el("details", { id: "more" }, el("summary", {}, "Options of the game"), this.options),
      el("details", {}, el("summary", {}, "Begin with a saved position"), field("File", this.file), this.fileNote),
      this.start);
    this.gameChanged();
  }

  get chosen() {
    return this.games.find((game) => game.env === this.game.value);
  }

  gameChanged() {
    const game = this.chosen;
    this.forgetPosition();
    this.about.textContent = game.cooperative ? "Everybody wins or loses together." : "Everybody plays for themselves.";
    this.options.replaceChildren(...game.options.filter((option) => option.name !== "num_players").map(optionField));
    const counts = game.options.find((option) => option.name === "num_players");
    this.count = el("select", { id: "players", onchange: () => this.seatsChanged() },
      counts.values.map((count) => el("option", { value: count, selected: count === counts.default }, String(count))));
    this.seatsChanged();
  }

  /** As many seats as there are players; the first is mine, the others are scripted players. */
  seatsChanged() {
    const count = this.position ? this.position.options.num_players : Number(this.count.value);
    const kept = [...this.seats.querySelectorAll("select.who")].map((select) => select.value);
    const rows = [...Array(count).keys()].map((seat) => this.seat(seat, kept[seat] ?? (seat ? "heuristic" : HUMAN)));
    this.seats.replaceChildren(this.position ? "" : field("Players", this.count), ...rows);
  }

  seat(seat, value) {
    const names = [HUMAN, ...this.chosen.agents];
    const words = { human: "a person", heuristic: "scripted player", random: "random player", best: "the strongest without search" };
    const select = el("select", { id: `seat${seat}`, class: "who" },
      names.map((name) => el("option", { value: name, selected: name === value }, words[name] ?? name)));
    return field(`player_${seat}`, select);
  }

  async fileChosen() {
    const file = this.file.files[0];
    if (!file) return;
    try {
      const position = JSON.parse(await file.text());
      const game = this.games.find((other) => other.env.replace(/_v\d+$/, "") === position?.game);
      if (!game || !Number.isInteger(position?.options?.num_players)) throw new Error("That is no saved position of these games.");
      this.game.value = game.env;
      this.gameChanged();
      this.position = position;
      this.fileNote.textContent = `${game.title}, ${position.options.num_players} players. The options are those of the file.`;
      this.options.replaceChildren();
      this.seatsChanged();
    } catch (error) {
      this.forgetPosition();
      this.fileNote.textContent = error instanceof SyntaxError ? "That file is no JSON." : error.message;
    }
  }

  forgetPosition() {
    this.position = null;
    this.fileNote.textContent = "";
  }

  wanted() {
    const players = [...this.seats.querySelectorAll("select.who")].map((select) => select.value);
    const wanted = { env: this.game.value, players };
    if (this.position) return { ...wanted, position: this.position };
    const options = {};
    for (const input of this.options.querySelectorAll("[data-option]")) {
      options[input.dataset.option] = JSON.parse(input.tagName === "INPUT" ? input.value || "null" : input.value);
    }
    return { ...wanted, options };
  }

  async submit(event) {
    event.preventDefault();
    const title = this.chosen.title;
    this.start.disabled = true;
    this.start.textContent = "Preparing …";
    try {
      const wanted = this.wanted();
      const opened = await ask("/api/tables", wanted);
      memory.keepTable({ game: opened.game, title, when: Date.now(), links: opened.links });
      const people = opened.links.filter((link) => link.seat !== null);
      const mine = people[0] ?? opened.links[0];
      location.hash = mine.token;
    } catch (error) {
      say(error.message, "error");
      this.start.disabled = false;
      this.start.textContent = "Open the table";
    }
  }
}

function field(label, input) {
  return el("div", { class: "field" }, el("label", { for: input.id }, label), input);
}

/** The input of an option: a list of values, or a number in a range. */
function optionField(option) {
  const id = `option-${option.name}`;
  const words = option.name.replaceAll("_", " ");
  const many = !Array.isArray(option.values);
  const input = many
    ? el("input", {
        id, type: "number", min: option.values.first, max: option.values.last, value: option.default, required: true,
        "data-option": option.name, title: option.described,
      })
    : el("select", { id, "data-option": option.name },
        option.values.map((value) => {
          const text = JSON.stringify(value);
          return el("option", { value: text, selected: text === JSON.stringify(option.default) }, shown(value));
        }));
  return el("div", { class: "field wide" }, el("label", { for: id }, words), input, el("p", { class: "quiet" }, option.meaning));
}

function shown(value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  return Array.isArray(value) ? value.join(" ") : String(value);
}
