// The service worker. The build inserts the list of files above, and a version that changes with
// them. File names contain hashes, so cached files are never stale.
const CACHE = `unspool ${VERSION}`;

self.addEventListener('install', (event) => {
  // Without `skipWaiting`, this version waits until no page of the previous one is open: such a
  // page may load more of its files from the previous cache.
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches.keys().then(async (names) => {
      await Promise.all(names.filter((name) => name.startsWith('unspool ') && name !== CACHE).map((name) => caches.delete(name)));
      await self.clients.claim();
    }),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  // Remote files and ranges belong to the visitor, and are not cached.
  if (request.method !== 'GET' || !request.url.startsWith(self.registration.scope) || request.headers.has('Range')) return;
  const page = request.mode === 'navigate';
  // The page itself comes from the server if possible; its parts are identified by their names.
  if (page) event.respondWith(fetch(request).catch(() => caches.match('./')));
  else event.respondWith(caches.match(request, { ignoreSearch: true }).then((kept) => kept ?? fetch(request)));
});
