// Making elements. Texts are only ever set as texts, never as markup.

/** An element with attributes (on…: listeners, class, data-…) and children (elements or texts). */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      made.setAttribute(name, value);
  }
  made.append(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** A button that does something. */
export function button(text, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, text);
}

/** Say something to everybody, those who cannot see included. */
export function say(text, kind = "info") {
  const place = document.getElementById("said");
  place.replaceChildren(el("p", { class: `said ${kind}` }, text));
  clearTimeout(say.timer);
  say.timer = setTimeout(() => place.replaceChildren(), kind === "error" ? 9000 : 5000);
}

/** The illustration of a game, an image that says nothing to those who cannot see. */
export function banner(env) {
  return el("img", { class: "banner", src: `/games/${env}.svg`, alt: "", width: 480, height: 120,
    onerror: (event) => event.target.remove() });
}

/** What a game says, for a page in another language (words.js). */
export function said(text) {
  return el("span", { "data-said": true }, text);
}

/** A text with a capital at its beginning. */
export function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Let somebody keep a value as a JSON file. */
export function download(name, value) {
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(value, null, 1) + "\n"], { type: "application/json" }));
  const link = el("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
