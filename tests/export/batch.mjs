// Steps a batch with random actions and prints a SHA-256 of all that its steps give: what
// test_export.py does with BatchEnv. node batch.mjs MODULE.js SIZE STEPS SEED REWARD
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";

const [modulePath, size, steps, seed, reward] = process.argv.slice(2);
const { load } = await import(pathToFileURL(modulePath));
const batch = (await load()).batch(Number(size), {}, BigInt(seed), { reward });
const hash = createHash("sha256");
let ended = 0;
for (let step = 0; step < Number(steps); step++) {
  batch.sampleActions();
  const arrays = [batch.actions];
  batch.step();
  arrays.push(batch.masks, batch.observations, batch.movers, batch.rewards, batch.terminated,
    batch.turnLimit);
  for (let i = 0; i < batch.size; i++) {
    if (!batch.terminated[i]) continue;
    ended++;
    const seats = batch.finalReturns.length / batch.size;
    arrays.push(
      batch.finalReturns.slice(i * seats, (i + 1) * seats), batch.finalLengths.slice(i, i + 1));
  }
  for (const array of arrays)
    hash.update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
}
hash.update(batch.state(0).bytes);
batch.free();
console.log(JSON.stringify({ ended, sha256: hash.digest("hex") }));
