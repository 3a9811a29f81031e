// What a program in TypeScript may do with an exported game, for the compiler alone: it is not run.
import plain from "./description.js";
import { description, type Choice, type GameEvent, GameError, load, type Seen, type Thought } from "./go_dig.js";

export async function play(seed: bigint): Promise<string[]> {
  const game = await load(new URL("go_dig.wasm", import.meta.url));
  await game.loadPolicy(fetch("go_dig-policy.weights"));
  const state = game.deal({ numPlayers: 2 }, seed);
  const log = state.log({ names: ["Ann"] });
  const said: string[] = [description.title, state.text(0), state.picture(null, { theme: "dark" })];
  while (!state.over) {
    const choices: Choice[] = state.choices();
    const action: number = state.toMove === 0 ? game.choose(state, "search:sims=10")
                                              : (choices[0]?.action ?? state.legalAt(0));
    log.play(action);
  }
  const events: GameEvent[] = log.told(0);
  said.push(...events.map((event) => event.text), ...Array.from(state.returns, String));
  const again = game.fromJson(JSON.parse(JSON.stringify(state.toJson())));
  const { json, seen, over } = game.next(game.first({ numPlayers: 2 }, seed).json, 0, 0);
  const parts: Seen[] = [...seen, log.seen(0, events.length)];
  said.push(...parts.flatMap(({ seat, told }) => told.map(({ text }) => `${seat}: ${text}`)));
  said.push(plain.title, ...again.touched(0), String(json.over), String(over), String(parts[0]?.view.phase));
  if (game.policyFits(again)) said.push(game.actions[game.choose(again, "policy")] ?? "");
  const view = JSON.parse(JSON.stringify(again.view(0)));
  said.push(game.fromView(view, 0, seed).text(0), game.text(view, 0), game.headline(view, null));
  await game.ready("best", { numPlayers: 2 });
  said.push(String(game.choose(view, "best", { seat: 0 })));
  said.push(game.picture(view, 0, { layout: "column" }), ...game.choices(view, 0).map((one) => one.cost));
  const remembered = game.choose(again, "hard", { memory: "" });
  const later: Thought = await game.think(again, {
    player: "best", memory: remembered.memory, signal: AbortSignal.timeout(1000),
    progress: (share: number) => said.push(String(share)),
  });
  said.push(later.agent, String(remembered.action), ...game.players({ numPlayers: 2 }));
  const batch = game.batch(16, {}, 7, { reward: "score" });
  batch.sampleActions();
  batch.step();
  const observed: Float32Array | null = batch.observations;
  batch.free();
  try {
    again.apply(0).determinize(0, 1n);
  } catch (error) {
    if (error instanceof GameError) said.push(`${error.code} ${observed?.length ?? 0}`);
  }
  return said;
}

export function wrong(game: Awaited<ReturnType<typeof load>>): void {
  // @ts-expect-error a seed is an integer
  game.deal({}, "seven");
  // @ts-expect-error there is no such theme
  game.deal().picture(0, { theme: "blue" });
  // @ts-expect-error states are dealt, or come from bytes or JSON
  game.deal().toMove = 1;
}
