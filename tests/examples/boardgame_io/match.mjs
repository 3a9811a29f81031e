// A match in the terminal, you against bots: node match.mjs dig-envs-go-dig 3 maxTurns=20

import { createInterface } from "node:readline";
import { Client } from "boardgame.io/dist/cjs/client.js";
import { Local } from "boardgame.io/dist/cjs/multiplayer.js";
import { createBot, createGame } from "./adapter.mjs";

const [name = "dig-envs-go-dig", numPlayers = "2", ...settings] = process.argv.slice(2);
const pairs = settings.map((setting) => setting.split("="));
const options = Object.fromEntries(pairs.map(([key, value]) => [key, JSON.parse(value)]));

const rules = await (await import(name)).load();
const game = createGame(rules, options);
const bots = {};
for (let seat = 1; seat < numPlayers; seat++) bots[seat] = createBot(rules);
const multiplayer = Local({ bots });
const client = Client({ game, numPlayers: +numPlayers, playerID: "0", multiplayer, debug: false });

// Show a new state, and ask for the decision if it is yours.
let shown = -1;
client.subscribe((update) => {
  if (update === null || update._stateID === shown) return;
  shown = update._stateID;
  const { G, ctx } = update;
  if (!G.view) {
    // after the first, a move made within subscribe itself fails with "invalid stateID"
    setTimeout(() => client.moves.play("deal"));
    return;
  }
  for (const event of G.told) console.log(event.text);
  if (ctx.gameover) {
    console.log("Scores:", ctx.gameover.scores.join(", "));
    process.exit();
  }
  if (G.legal.length === 0) return;
  console.log(`\n${rules.text(G.view, 0)}\n${rules.headline(G.view, 0)}:`);
  rules.choices(G.view, 0).forEach(({ label }, number) => console.log(`${number}  ${label}`));
});
client.start();

for await (const line of createInterface({ input: process.stdin })) {
  const { G } = client.getState();
  if (G.legal.length === 0) console.log("It is not your turn.");
  else {
    const { action } = rules.choices(G.view, 0)[line] ?? {};
    if (action === undefined) console.log("A number from the list.");
    else client.moves.play(action);
  }
}
