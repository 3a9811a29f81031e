// The end of a game: who has won, how the scores came about, and one more game.

import { banner, button, el, said } from "./dom.js";
import * as memory from "./memory.js";
import { outcome } from "./outcome.js";

const FEW = 2; // players, up to whom each has a column

export class End {
  constructor(send) {
    this.send = send;
    this.element = el("section",
      { class: "card end", id: "end", "aria-label": "the end of the game", hidden: true });
    this.again = el("div", { class: "tools" });
  }

  show(position) {
    this.element.hidden = !position.over;
    if (!position.over) this.shown = false; // it may have been taken back
    if (!position.over || this.shown) return;
    this.shown = true;
    const { seats, scoring, won, seat, by_score: byScore } = position;
    const people = seats.map(
      ({ name },
        number) => [el("span", { class: `dot seat${number}` }), number === seat ? "you" : name]);
    const kinds = [
      ...scoring.map(({ what, points }) => [said(what), points.map((one) => (one ? signed(one) : "·"))]),
      ["score", seats.map(({ score }, number) => `${won.includes(number) ? "★ " : ""}${score}`)]
    ];
    this.again.replaceChildren(
      position.seat !== null || !seats.some((one) => one.player === "human")
        ? button("Again, seats changed", () => this.send({ type: "rematch" }),
            { id: "rematch", class: "main" })
        : "",
      button("Another game", () => { location.hash = ""; }, { class: "plain" }));
    this.element.replaceChildren(
      el("div", { class: `crown${won.includes(seat) ? " won" : ""}` }, banner(position.env),
        el("h2", { class: "outcome", id: "outcome" }, outcome(position))),
      byScore || scoring.length ? el("div", { class: "scroll" }, scoringTable(people, kinds)) : "",
      this.again);
    this.element.scrollIntoView({ block: "nearest" });
  }

  /** There is another game: who has asked for it goes there, the others are asked. */
  showRematch({ game, title, asked, links }) {
    memory.keepTable({ game, title, when: Date.now(), links });
    const [{ token }] = links;
    if (asked) location.hash = token;
    else
      this.again.replaceChildren(el("p", {}, "There is another game, seats changed."),
        button("Join", () => { location.hash = token; }, { id: "join", class: "main" }));
  }
}

/** The points of all players by what they are for, the last row or column the score: a row for each
 * player, or where there are few a column. */
function scoringTable(people, kinds) {
  const across = people.length <= FEW;
  const head = across ? people : kinds.map(([what]) => [what]);
  const rows = across
    ? kinds.map(([what, points]) => [[what], points])
    : people.map((one, number) => [one, kinds.map(([, points]) => points[number])]);
  return el("table", { class: `scoring ${across ? "across" : "down"}` },
    el("thead", {},
      el("tr", {}, el("th", {}, ""), ...head.map((words) => el("th", { scope: "col" }, ...words)))),
    el("tbody", {},
      ...rows.map(([words, cells]) => el("tr", {}, el("th", { scope: "row" }, ...words),
                    ...cells.map((cell) => el("td", {}, cell))))));
}

function signed(number) {
  return number < 0 ? `−${-number}` : String(number);
}
