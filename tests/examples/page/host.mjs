// Hosts one game for pages that know one seat each: node host.mjs ../go_dig Ann Bob bot bot

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const BOT = "heuristic"; // or such as search:sims=200
const { PORT = 8010, PAUSE = 700 } = process.env; // PAUSE: milliseconds before a bot plays
const TYPES = {
  ".html": "text/html", ".js": "text/javascript", ".json": "application/json",
  ".ttf": "font/ttf", ".wasm": "application/wasm",
};

const [folder, ...players] = process.argv.slice(2);
const { main } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
const { load } = await import(pathToFileURL(resolve(folder, main)));
const game = await load();

const options = { numPlayers: players.length };
await game.ready(BOT, options);
const state = game.deal(options);
const names = players.map((name, seat) => (name === "bot" ? `Bot ${seat + 1}` : name));
const log = state.log({ names });
const seats = new Map(); // secret of a seat -> { seat, pages }
players.forEach((name, seat) => {
  if (name !== "bot") seats.set(randomBytes(16).toString("hex"), { seat, pages: new Set() });
});

// What a page gets: its seat, its view, and what it was told, from the event `first` on.
function send(page, seat, first) {
  const news = { ...log.seen(seat, first), names, anew: first === 0 };
  page.write(`data: ${JSON.stringify(news)}\n\n`);
}

function play(action, seat) {
  const first = log.length;
  log.play(action, seat);
  for (const { seat, pages } of seats.values()) for (const page of pages) send(page, seat, first);
  letBotsPlay();
}

let waiting;
const memories = players.map(() => ""); // of bots

function letBotsPlay() {
  const seat = state.mustDecide.find((seat) => players[seat] === "bot");
  clearTimeout(waiting);
  if (seat !== undefined) waiting = setTimeout(() => playFor(seat), PAUSE);
}

function playFor(seat) {
  const { action, memory } = game.choose(state, BOT, { seat, memory: memories[seat] });
  memories[seat] = memory;
  play(action, seat);
}

async function answer(request, response) {
  const { pathname } = new URL(request.url, "http://host"); // without ".."
  const owner = seats.get(pathname.slice("/seat/".length));
  if (pathname.startsWith("/seat/") && !owner) response.writeHead(404).end("no such seat");
  else if (owner && request.method === "POST") {
    let body = "";
    for await (const part of request) body += part;
    play(JSON.parse(body), owner.seat); // a GameError if it is not legal
    response.writeHead(204).end();
  } else if (owner) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    owner.pages.add(response);
    response.on("close", () => owner.pages.delete(response));
    send(response, owner.seat, 0);
  } else {
    const path = pathname.startsWith("/game/")
      ? join(folder, pathname.slice("/game/".length))
      : join(import.meta.dirname, pathname === "/" ? "index.html" : pathname);
    const content = await readFile(path).catch(() => null);
    if (content === null) response.writeHead(404).end("no such file");
    else response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain" }).end(content);
  }
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(400).end(error.message));
});
server.listen(PORT, "127.0.0.1", () => {
  const { port } = server.address();
  for (const [secret, { seat }] of seats)
    console.log(`${names[seat]}: http://127.0.0.1:${port}/#${secret}`);
  letBotsPlay();
});
