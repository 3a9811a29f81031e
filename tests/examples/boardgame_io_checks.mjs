// What a table of boardgame.io must do and must not: node boardgame_io_checks.mjs PACKAGE [OPTIONS],
// beside adapter.mjs. Prints how many moves were made.

import assert from "node:assert/strict";
import { Client } from "boardgame.io/dist/cjs/client.js";
import { Local } from "boardgame.io/dist/cjs/multiplayer.js";
import { createBot, createGame } from "./adapter.mjs";

const rules = await (await import(process.argv[2])).load();
const options = JSON.parse(process.argv[3] ?? "{}");
const numPlayers = Math.min(3, rules.description.max_players);
const Chooser = createBot(rules);
const done = () => new Promise((resolve) => setTimeout(resolve));

// Clients of all seats, and of somebody who watches.
async function open(game, bots = {}) {
  const multiplayer = Local({ bots });
  const ids = [...Array.from({ length: numPlayers }, (_, seat) => String(seat)), undefined];
  const clients = ids.filter((id) => !(id in bots)).map((playerID) =>
    Client({ game, numPlayers, playerID, multiplayer, debug: false }));
  clients.forEach((client) => client.start());
  await done();
  return clients;
}

const state = (client) => client.store.getState();
const mover = (clients) => clients.find((one) => one.playerID in state(one).ctx.activePlayers);
const known = (one) => [state(one), one.log, one.getInitialState(), one.matchData];

async function play(client, game) {
  const bot = new Chooser({ game, enumerate: game.ai.enumerate });
  const { action } = await bot.play(state(client), client.playerID);
  client.moves[action.payload.type](...action.payload.args);
  await done();
}

function checkSecrets(clients) {
  for (const client of clients) {
    assert.ok(!JSON.stringify(known(client)).includes('"rng"'), "a complete position");
    const seat = client.playerID === undefined ? null : Number(client.playerID);
    assert.equal(state(client).G.seat, seat);
    if (seat !== null && !state(client).ctx.gameover)
      rules.fromView(state(client).G.view, seat, 1);
    for (const { action: { type, payload } } of client.log)
      if (type === "MAKE_MOVE" && payload.playerID !== client.playerID)
        assert.equal(payload.args, null);
  }
}

async function checkRefused(clients) {
  const client = mover(clients);
  const { _stateID, G } = state(client);
  const [{ args: [legal] }] = game.ai.enumerate(G, state(client).ctx, client.playerID);
  const illegal = rules.actions.findIndex((_, action) =>
    !rules.fromView(G.view, G.seat, 1).legal(G.seat).includes(action));
  const idle = clients.find((one) => !(one.playerID in state(one).ctx.activePlayers));
  for (const [one, action] of [[client, illegal], [client, String(legal)], [client, null],
    [client, "deal"], [idle, legal]])
    one.moves.play(action);
  await done();
  for (const one of clients) assert.equal(state(one)._stateID, _stateID);
}

// The game whose next deal is a given position.
function dealing(position) {
  return Object.create(rules, { deal: { value: () => position } });
}

// A move is what the rules say, and each client was told its part of it.
function checkMove(clients, json, action, seat) {
  const reference = rules.fromJson(json);
  const happened = reference.log().play(action, seat);
  assert.deepEqual(onServer.json, reference.toJson());
  for (const one of clients) {
    const { seat: viewer, view, legal, told } = state(one).G;
    assert.deepEqual(view, reference.view(viewer));
    assert.deepEqual(legal, viewer === null ? [] : reference.legal(viewer));
    assert.deepEqual(told, happened.told(viewer));
  }
}

const counts = { moves: 0 };
const game = createGame(dealing(rules.deal({ ...options, numPlayers }, 4)));
const { playerView } = game;
let onServer = null;
game.playerView = (context) => {
  if (context.G.seen) onServer = context.G;
  return playerView(context);
};
{
  const clients = await open(game);
  await play(clients[0], game); // it deals
  await checkRefused(clients);
  while (state(clients[0]).ctx.gameover === undefined) {
    if (counts.moves % 10 === 0) checkSecrets(clients);
    const client = mover(clients);
    const [before, { json }] = [state(client), onServer];
    await play(client, game);
    const seat = Number(client.playerID);
    const own = client.log.filter((entry) => entry.action.type === "MAKE_MOVE").at(-1);
    const [action] = own.action.payload.args;
    checkMove(clients, json, action, seat);
    assert.equal(state(client)._stateID, before._stateID + 1);
    counts.moves += 1;
    client.undo(); // what was seen stays seen
    await done();
    assert.equal(state(client)._stateID, before._stateID + 1);
  }
  checkSecrets(clients);
  const { winners, scores } = state(clients[0]).ctx.gameover;
  assert.equal(scores.length, numPlayers);
  assert.ok(winners.length > 0 || rules.description.cooperative);
}

// What a client has got is the same in positions that its seat cannot tell apart.
for (let seed = 1; seed <= 6; seed++) {
  let position = rules.deal({ ...options, numPlayers }, seed);
  for (let k = 0; k < 8 * seed; k++) {
    const next = position.copy().apply(rules.choose(position));
    if (!next.over) position = next;
  }
  const seat = position.toMove;
  const got = [];
  for (const other of [position, position.copy().determinize(seat, 5)]) {
    const clients = await open({ ...createGame(dealing(other)), seed: "its own, which it tells" });
    await play(clients[0], game);
    got.push(JSON.stringify(known(clients[seat])));
  }
  assert.equal(got[0], got[1]);
  assert.notDeepEqual(position.toJson(), position.copy().determinize(seat, 5).toJson());
}

// A match with bots by name, of which the first deals and one remembers in Fossil Memory, to its end.
{
  const short = createGame(rules, { ...options, ...JSON.parse(process.argv[4] ?? "{}") });
  const bots = {};
  const players = ["hard", "search:sims=20"].slice(0, numPlayers - 1);
  players.forEach((player, seat) => { bots[seat] = createBot(rules, player); });
  const clients = await open(short, bots);
  while (!state(clients[0]).G.view) await new Promise((resolve) => setTimeout(resolve, 20));
  while (state(clients[0]).ctx.gameover === undefined) {
    if (mover(clients)) await play(clients[0], short);
    else await new Promise((resolve) => setTimeout(resolve, 20)); // a bot takes 100 ms
  }
}

console.log(JSON.stringify(counts));
process.exit();
