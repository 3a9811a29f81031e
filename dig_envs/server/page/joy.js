// What delights: short sounds, which can be switched off, and what is seen when something is found,
// when a storm passes, a skeleton is complete or a game has ended. Which events these are the games
// declare; the page is told with each line of the log.

import { button, el } from "./dom.js";
import * as memory from "./memory.js";
import { STILL, drawn } from "./picture.js";

const LOUD = 0.16; // of 1
// for each sound its notes: [seconds from now, Hz, seconds]; without Hz it is noise
const SOUNDS = {
  card: [[0, 0, 0.06]],
  find: [[0, 587, 0.1], [0.09, 880, 0.22]],
  complete: [[0, 392, 0.14], [0.12, 523, 0.14], [0.24, 659, 0.14], [0.36, 784, 0.5]],
  pull: [[0, 0, 0.12], [0.3, 440, 0.1], [0.4, 660, 0.15]],
  storm: [[0, 0, 1.7], [0.5, 62, 0.9]],
  loss: [[0, 233, 0.2], [0.18, 175, 0.4]],
  turn: [[0, 660, 0.08]],
  won: [[0, 523, 0.16], [0.15, 659, 0.16], [0.3, 784, 0.16], [0.45, 1047, 0.6]],
  lost: [[0, 392, 0.2], [0.2, 330, 0.2], [0.4, 262, 0.5]],
};
const LOUDEST = ["storm", "complete", "pull", "find", "loss", "card"]; // of several at once one is heard
const PIECES = 24; // of what rains down for who has won
const COLOURS = 6;
const RAIN = 2000, STANDING = 2600, SPARK = 900, PULLING = 2000; // milliseconds
const FEW = 3; // things that spark at once

let audio = null;

/** Play a sound, if somebody wants to hear it and has touched the page (else browsers refuse). */
export function sound(name) {
  if (!memory.sound() || document.hidden || !navigator.userActivation?.hasBeenActive) return;
  audio ??= new AudioContext();
  for (const [after, pitch, seconds] of SOUNDS[name]) {
    const volume = audio.createGain();
    const from = audio.currentTime + after;
    volume.gain.setValueAtTime(0, from);
    volume.gain.linearRampToValueAtTime(LOUD, from + Math.min(0.02, seconds / 3));
    volume.gain.exponentialRampToValueAtTime(0.001, from + seconds);
    volume.connect(audio.destination);
    const source = pitch ? new OscillatorNode(audio, { frequency: pitch, type: "triangle" })
                         : noise(seconds, volume);
    if (pitch) source.connect(volume);
    source.start(from);
    source.stop(from + seconds);
  }
}

// some browsers let sounds begin only while somebody touches the page; off is off at once
addEventListener("click", () => (memory.sound() ? audio?.resume() : audio?.suspend()));

/** Noise through a filter: a card on the table, or if it lasts rain. */
function noise(seconds, volume) {
  const buffer = audio.createBuffer(1, audio.sampleRate * seconds, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at += 1) samples[at] = 2 * Math.random() - 1;
  const filter = new BiquadFilterNode(
    audio, { type: "lowpass", frequency: seconds < 0.2 ? 2400 : 700 });
  filter.connect(volume);
  const source = new AudioBufferSourceNode(audio, { buffer });
  source.connect(filter);
  return source;
}

/** The button that switches sounds off and on, for the top of the page. */
export function soundButton() {
  const show = () => {
    made.setAttribute("aria-pressed", String(memory.sound()));
  };
  const made = button("♪", () => {
    memory.keepSound(!memory.sound());
    show();
    sound("find");
  }, { class: "plain", id: "sound", "aria-label": "sounds", title: "sounds on or off" });
  show();
  return made;
}

/** What happens over a board. */
export class Joy {
  constructor(picture) {
    this.picture = picture;
    this.over = el("div", { class: "joy", "aria-hidden": "true" });
    picture.element.append(this.over);
  }

  /** Show and sound what is new: lines of the log with their `joy`, `kind` or `kind:shape`. */
  cheer(lines) {
    const moods = lines.filter(({ joy }) => joy)
                    .map(({ joy, things }) => [...joy.split(":"), things]);
    const kinds = moods.map(([kind]) => kind);
    if (lines.length) sound(LOUDEST.find((kind) => kinds.includes(kind)) ?? "card");
    if (STILL.matches || document.hidden) return;
    for (const [kind, ...more] of moods) {
      if (kind === "storm") this.storm();
      else if (kind === "complete" && more.length > 1) this.standUp(more[0]);
      else if (kind === "pull") this.pull(more[0].split(","));
      else if (kind !== "loss") this.spark(more.at(-1));
    }
  }

  /** Let something be there for a while. */
  brief(made, frames, duration, easing = "ease-out") {
    this.over.append(made);
    made.animate(frames, { duration, easing, fill: "both" }).finished.then(
      () => made.remove(), () => made.remove());
  }

  /** Dark clouds, rain and two flashes. */
  storm() {
    if (this.over.querySelector(".rain")) return;
    this.brief(el("div", { class: "clouds" }),
      [{ opacity: 0 }, { opacity: 0.75, offset: 0.2 }, { opacity: 0.75, offset: 0.7 },
        { opacity: 0 }], RAIN);
    this.brief(el("div", { class: "rain" }),
      [{ opacity: 0, transform: "translateY(-25%)" }, { opacity: 1, offset: 0.2 },
        { opacity: 1, offset: 0.7 }, { opacity: 0, transform: "translateY(25%)" }], RAIN, "linear");
    this.brief(el("div", { class: "flash" }), [0, 0, 0.8, 0, 0, 0.6, 0, 0].map(
      (opacity) => ({ opacity })), RAIN, "linear");
  }

  /** An animal, whose corners these are, stands up from lying on its side. */
  standUp(corners) {
    const animal = drawn("svg", { viewBox: "-6 -6 112 112", class: "risen" },
      drawn("polygon", { points: corners }));
    const [lying, gone] = ["rotate(88deg) scale(0.7)", "scale(1.08)"];
    this.brief(animal, [
      { opacity: 0, transform: lying }, { opacity: 1, transform: lying, offset: 0.12 },
      { transform: "rotate(-7deg)", offset: 0.42 }, { transform: "rotate(3deg)", offset: 0.5 },
      { opacity: 1, transform: "none", offset: 0.58 },
      { opacity: 1, transform: "none", offset: 0.85 }, { opacity: 0, transform: gone }
    ], STANDING, "ease-in-out");
  }

  /** Cubes of these colours come out of a bag. */
  pull(colours) {
    colours.forEach((colour, at) => {
      const cube = el("div", { class: `cube ${colour}` });
      const aside = 90 * (at - (colours.length - 1) / 2);
      this.brief(cube, [
        { opacity: 0, transform: "translateY(12rem) scale(0.3)" },
        { opacity: 1, transform: `translate(${aside}px, -2rem) rotate(160deg)`, offset: 0.3 },
        { transform: `translate(${aside}px, 0) rotate(180deg)`, offset: 0.4 },
        { opacity: 1, transform: `translate(${aside}px, 0) rotate(180deg)`, offset: 0.8 },
        { opacity: 0, transform: `translate(${aside}px, 0) rotate(180deg) scale(1.3)` }
      ], PULLING);
    });
  }

  /** A ring goes out from things. */
  spark(names) {
    const home = this.over.getBoundingClientRect();
    const seen = names.map((name) => this.picture.things?.get(name)).filter(Boolean);
    for (const thing of seen.slice(-FEW)) {
      const { left, top, width, height } = thing.getBoundingClientRect();
      const ring = el("div", { class: "spark" });
      Object.assign(ring.style, { left: `${left - home.left}px`, top: `${top - home.top}px`,
        width: `${width}px`, height: `${height}px` });
      this.brief(ring, [{ opacity: 0.9, transform: "none" },
        { opacity: 0, transform: `scale(${1 + 50 / Math.max(width, 40)})` }], SPARK);
    }
  }

  /** A game has ended while somebody was there: pieces of all colours rain down where it was
   * won. */
  end(won) {
    sound(won ? "won" : "lost");
    if (!won || STILL.matches || document.hidden) return;
    const page = el("div", { class: "party", "aria-hidden": "true" });
    document.body.append(page);
    const falls = Array.from({ length: PIECES }, (_, at) => {
      const piece = el("i", { class: `seat${at % COLOURS}` });
      piece.style.left = `${100 * Math.random()}%`;
      page.append(piece);
      const [aside, turns] = [200 * Math.random() - 100, 900 * Math.random() - 450];
      return piece.animate([{ transform: "translateY(-5vh)" },
        { transform: `translate(${aside}px, 105vh) rotate(${turns}deg)` }],
      { duration: 1800 + 1800 * Math.random(), delay: 700 * Math.random(), fill: "both",
        easing: "cubic-bezier(0.3, 0.2, 0.7, 1)" }).finished;
    });
    Promise.allSettled(falls).then(() => page.remove());
  }
}
