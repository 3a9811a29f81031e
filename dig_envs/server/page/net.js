// Talking to the server: requests, and a connection that comes back by itself.

import * as memory from "./memory.js";
import { parsed } from "./picture.js";
import { tOf } from "./words.js";

/** JSON from the server; throws an Error with the server's words. */
export async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The server cannot be reached.");
  }
  const value = await answer.json().catch(() => null);
  if (!answer.ok) throw new Error(value?.error?.message ?? `The server answered ${answer.status}.`);
  return value;
}

/** The result of a method of the protocol; throws as `ask`. */
export async function rpc(method, params) {
  const { result, error } = await ask("/rpc", { jsonrpc: "2.0", id: 1, method, params });
  if (error) throw new Error(error.message);
  return result;
}

/** The rules of a game: `short`, the `lines` of the guide as far as it applies with these options,
 * and `all` lines; the `legend` of its picture. */
export async function guideOf(env, options = {}) {
  const query = new URLSearchParams({
    options: JSON.stringify(options), theme: memory.theme(), language: document.documentElement.lang
  });
  const rules = await ask(`/api/guides/${env}?${query}`);
  const legend = parsed(rules.legend);
  // the words of the signs are in the language already, those in the signs are not
  for (const text of legend?.querySelectorAll("text") ?? [])
    if (!text.closest("[data-thing]").querySelector("title").textContent.includes(text.textContent))
      text.textContent = tOf(env, text.textContent);
  return { ...rules, short: tOf(env, rules.short), legend };
}

const FIRST_WAIT = 250; // milliseconds before the next attempt, twice as many each time …
const LAST_WAIT = 4000; // … up to this

/** A connection to a table, for a seat or for who watches. The secret goes into the first message,
 * never into an address. */
export class Connection {
  constructor(token, look, heard, state) {
    this.token = token;
    this.look = look; // says which theme and layout pictures have
    this.heard = heard; // called with each message
    this.state = state; // called with "open", "lost" or "closed"
    this.wait = FIRST_WAIT;
    this.ended = false;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/ws`);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ token: this.token, ...this.look() }));
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.type === "error" && message.final) this.end();
      if (message.type === "position") {
        this.wait = FIRST_WAIT;
        this.state("open");
      }
      this.heard(message);
    };
    socket.onclose = () => {
      if (this.ended) return;
      this.state("lost");
      this.timer = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(LAST_WAIT, 2 * this.wait);
    };
  }

  /** Whether it could be sent; what cannot is not kept, since the position may be another one
   * later. */
  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  end() {
    this.ended = true;
    clearTimeout(this.timer);
    this.socket.close();
    this.state("closed");
  }
}
