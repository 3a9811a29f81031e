// How the games of this browser have ended, by game and level; under a name the server has them, too.

import { button, el } from "./dom.js";
import * as memory from "./memory.js";
import { drawn } from "./picture.js";

const SHOWN = 15; // games in a chart
const [WIDE, HIGH] = [12, 18];

/** Remember how a table stands: who plays there, and how it has ended for the own seat. */
export function noteEnd(token, { game, seat, seats, over, won, env, title, loaded }) {
  const others = seats.filter((_, number) => number !== seat).map(({ player }) => player);
  memory.noteTable(token, { over, alone: seat !== null && !others.includes("human") });
  const table = memory.tableOf(token);
  if (!over || seat === null || loaded || table?.lesson !== undefined) return;
  const level = others.includes("human") ? "people"
    : new Set(others).size === 1         ? others[0]
    : others.length                      ? "several"
                                         : "alone";
  memory.keepResult({ game, env, title, level, won: won.includes(seat) });
}

/** The field for the name under which the server keeps the results; `shared()` afterwards. */
function nameField(shared) {
  const name = el("input", { id: "resultsname", maxlength: 40, value: memory.resultsName() });
  return el("details", { id: "share" }, el("summary", {}, "Results on several devices"),
    el("form", { class: "tools", onsubmit: (event) => {
      event.preventDefault();
      memory.keepResultsName(name.value.trim());
      shared();
    } },
      el("label", { for: "resultsname" }, "Your name"), name,
      el("button", { type: "submit", id: "shareresults" }, "Keep on this server")),
    el("p", { class: "quiet" },
      "There is no password: whoever enters this name sees these results and can change them."));
}

/** The results as a section. `named(level, title)`: its words; `share(anew)`: gives them to a server and
 * takes those that it has, or makes it forget them, and returns whether it has; without it there is
 * nothing before the first result. */
export function resultsPart(named, share = null) {
  const kept = memory.results();
  if (!kept.length && !share) return null;
  const again = () => part.replaceWith(resultsPart(named, share) ?? "");
  const groups = Map.groupBy(kept, ({ title, level }) => `${title}\n${level}`);
  const rows = [...groups].sort().map(([key, games]) => {
    const [title, level] = key.split("\n");
    const won = games.filter((game) => game.won).length;
    return el("tr", {}, el("th", { scope: "row" }, title), el("td", {}, named(level, title)),
      el("td", { class: "number" }, `${won} of ${games.length}`), el("td", {}, chart(games)));
  });
  const part = el("section", { class: "card", id: "results", "aria-label": "your results" },
    el("h2", {}, "Your results"),
    kept.length ? el("div", { class: "scroll" },
      el("table", { class: "results" },
        el("thead", {},
          el("tr", {},
            ["Game", "Against", "Won", "The last games"].map(
              (words) => el("th", { scope: "col" }, words)))),
        el("tbody", {}, rows))) : null,
    share && nameField(async () => await share() && again()),
    kept.length ? button("Forget all results", async () => {
      if (share && !await share(true)) return;
      memory.forgetResults();
      again();
    }, { class: "plain" }) : null);
  return part;
}

/** A bar for each of the last games: up for one that was won, down for one that was lost. */
function chart(games) {
  const last = games.slice(-SHOWN);
  const words = last.map(({ won }) => (won ? "won" : "lost")).join(", ");
  return drawn("svg", {
    class: "chart",
    role: "img",
    "aria-label": words,
    viewBox: `0 0 ${SHOWN * WIDE} ${HIGH}`,
    width: SHOWN * WIDE,
    height: HIGH
  }, ...last.map(({ won }, at) => drawn("rect", {
    class: won ? "won" : "lost",
    x: at * WIDE + 2,
    y: won ? 1 : HIGH / 2 + 1,
    width: WIDE - 4,
    height: HIGH / 2 - 2
  })));
}
