/*
 * The service worker of the driver's page. It caches the empty page, which shows no work order, and
 * the files of the page. So the page opens without a network. It never caches a response about a
 * work order.
 */

/** The part of the worker's global scope that this file uses. The types of the DOM lack it. */
interface WorkerScope {
  addEventListener(type: 'install' | 'activate', listener: (event: LifecycleEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
}
interface LifecycleEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends LifecycleEvent {
  request: Request;
  respondWith(response: Promise<Response>): void;
}

const worker = self as unknown as WorkerScope;
const CACHE = 'driver-page';
const SHELL = '/d/shell';
const ASSET = /\/d\/assets\/[\w.-]+/g;
/** If the server does not respond within this time, the cached page opens. */
const PATIENCE_MS = 4000;

worker.addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(worker.clients.claim());
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  if (request.mode === 'navigate') event.respondWith(openPage(event));
  else if (pathname.startsWith('/d/assets/')) event.respondWith(openAsset(request));
});

/** Caches the empty page and its files. Deletes the files of older pages. */
async function keepShell(): Promise<void> {
  const cache = await caches.open(CACHE);
  const shell = await fetch(SHELL, { cache: 'no-cache' });
  if (!shell.ok) throw new Error(`the page cannot be kept: ${shell.status}`);
  const assets = [...new Set((await shell.clone().text()).match(ASSET) ?? [])];
  await cache.addAll(assets);
  await cache.put(SHELL, shell);
  for (const { url } of await cache.keys()) {
    const { pathname } = new URL(url);
    if (pathname !== SHELL && !assets.includes(pathname)) await cache.delete(url);
  }
}

/** Opens the page from the server or, without a network, the cached page. */
async function openPage(event: FetchEvent): Promise<Response> {
  const patience = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS));
  const loading = fetch(event.request);
  const page = await Promise.race([loading, patience]).catch(() => undefined);
  if (page) {
    // Cache the page again, because a new release may have changed it.
    event.waitUntil(keepShell().catch(() => undefined));
    return page;
  }
  const kept = await caches.match(SHELL);
  return kept ?? loading;
}

async function openAsset(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}
