// Thinks about decisions of @TITLE@ for `game.think`, in a thread of its own.

import { open } from "./game.js";

const THREADS = "node:worker_threads";
let game = null;

async function begin() {
  if (globalThis.postMessage) {
    onmessage = ({ data }) => think(data, (message) => postMessage(message));
    postMessage({ ready: true });
    return;
  }
  const { parentPort } = await import(/* @vite-ignore */ /* webpackIgnore: true */ THREADS);
  parentPort.on("message", (data) => think(data, (message) => parentPort.postMessage(message)));
  parentPort.postMessage({ ready: true });
}

async function think({ module, policies, bytes, player, asked }, tell) {
  try {
    game ??= await open(module);
    for (const content of policies) game._takePolicy(content);
    const steps = game._asking(game.fromBytes(bytes), player, asked);
    let step = steps.next();
    for (; !step.done; step = steps.next()) tell({ progress: Math.min(1, step.value) });
    tell({ answer: step.value });
  } catch ({ message, code }) {
    tell({ error: { message, code } });
  }
}

begin();
