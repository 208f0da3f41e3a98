// The service worker. The build writes above this which files the page has, and a version that changes with them: their names
// hold what is in them, so that what is kept is never stale.
const CACHE = `unspool ${VERSION}`;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches.open(CACHE).then(async (cache) => {
      await cache.addAll(FILES);
      await self.skipWaiting();
    }),
  );
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
  // Files on other servers, and parts of files, are the visitor's.
  if (request.method !== 'GET' || !request.url.startsWith(self.registration.scope) || request.headers.has('Range')) return;
  const page = request.mode === 'navigate';
  // A new page comes from the server, if there is one; what it is made of is known by its name.
  if (page) event.respondWith(fetch(request).catch(() => caches.match('./')));
  else event.respondWith(caches.match(request, { ignoreSearch: true }).then((kept) => kept ?? fetch(request)));
});
