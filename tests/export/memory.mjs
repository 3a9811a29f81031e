// Takes and gives back blocks of memory of a game, and prints what is wrong with them, and how many
// bytes all memory has after one round and after twenty more.
// node memory.mjs GAME.wasm
import { readFileSync } from "node:fs";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { memory } = instance.exports;
const of = (name) => Object.entries(instance.exports).find(([key]) => key.endsWith(name))[1];
const [take, giveBack] = [of("_take"), of("_give_back")];
const wrong = [];

function round() {
  const blocks = Array.from({ length: 120 }, (_, k) => {
    const size = k * k * (k % 7);
    const place = take(size);
    if (place === 0 || place % 16) wrong.push(`${size} bytes at ${place}`);
    new Uint8Array(memory.buffer, place, size).fill(k);
    return [place, size, k];
  });
  for (const [place, size, k] of blocks) {
    if (new Uint8Array(memory.buffer, place, size).some((byte) => byte !== k % 256))
      wrong.push(`another block lies in the one with ${size} bytes at ${place}`);
    giveBack(place);
  }
  return memory.buffer.byteLength;
}

giveBack(0);
const first = round();
for (let k = 0; k < 19; k++) round();
console.log(JSON.stringify({ wrong, first, last: round(), tooLarge: take(2 ** 31) }));
