// A bot in JavaScript, without any package: it plays a random legal action, and
// remembers how many it has played in each game.
//
//     dig-envs arena go_dig_v0 --agents "exec:node tests/server/bots/bot.js,random"

const played = new Map(); // number of the game -> actions in it

// The text of an action for what the seat is shown; its index would do as well.
function choose({ game, view, legal }) {
  if (view.phase === "over" || legal.length === 0) throw new Error("nothing to choose");
  played.set(game, (played.get(game) ?? 0) + 1);
  return legal[Math.floor(Math.random() * legal.length)].text;
}

const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { id, params } = JSON.parse(line);
  const answer = { jsonrpc: "2.0", id, result: choose(params) };
  process.stdout.write(JSON.stringify(answer) + "\n");
});
