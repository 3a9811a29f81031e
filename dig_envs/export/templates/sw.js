// Keeps the files of the page of @TITLE@ in the browser, so that it can be installed and works without
// a network. What is kept is used only where the network has nothing: a newer export is seen at once.

const FILES = @FILES@;
const NAME = `${registration.scope} @VERSION@`;

async function keep() {
  const cache = await caches.open(NAME);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })));
}

async function forgetOthers() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(`${registration.scope} `) && name !== NAME);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function answer(request) {
  try {
    return await fetch(request, { cache: "no-cache" });
  } catch (error) {
    const kept = await (await caches.open(NAME)).match(request, { ignoreSearch: true });
    if (!kept) throw error;
    return kept;
  }
}

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event.request));
});
