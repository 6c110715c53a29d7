import type { RequestListener } from 'node:http';
import { listenHttp } from '../shared/platform/http-server.js';
import type { Runtime } from '../shared/platform/runtime.js';
import { warnIfExposed } from '../shared/platform/warn-if-exposed.js';
import { createApp } from './app.js';
import { startCanary } from './canary.js';
import { createApiRuntime } from './runtime.js';

/** Answers paths of its own on the server of the api: true when it has taken the request. */
export type Guest = (...request: Parameters<RequestListener>) => boolean;

/** Starts the HTTP server of the api. @param guest who is asked first, where one process is all there is */
export async function startApi(runtime: Runtime, guest: Guest = () => false): Promise<{ port: number }> {
  warnIfExposed(runtime);
  const api = await createApiRuntime(runtime);
  await startCanary(api);
  const app = await createApp(api);
  const answer = app.callback();
  const listening = await listenHttp(runtime, (request, response) => {
    if (!guest(request, response)) void answer(request, response);
  });
  // Before the server waits for its answers to end: these never would.
  runtime.lifecycle.onClose('event streams', () => api.streams.close());
  runtime.lifecycle.onClose('downloads', () => api.downloads.endSoon());
  return listening;
}
