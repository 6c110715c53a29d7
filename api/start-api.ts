import type { RequestListener } from 'node:http';
import { type HttpServer, listenHttp } from '../shared/platform/http-server.js';
import type { Runtime } from '../shared/platform/runtime.js';
import { reportFailure } from '../shared/platform/start-failure.js';
import { assertReadable } from '../shared/platform/storage/probe.js';
import { createApp } from './app.js';
import { startCanary } from './canary.js';
import { createApiRuntime } from './runtime.js';

/** Answers paths of its own on the server of the api: true when it has taken the request. */
export type Guest = (...request: Parameters<RequestListener>) => boolean;

/**
 * Starts the api on its HTTP server.
 * @param guest who is asked first, where one process is all there is
 * @param server the one that the process has opened; default: one that is opened now
 */
export async function startApi(
  runtime: Runtime,
  guest: Guest = () => false,
  server?: HttpServer,
): Promise<{ port: number }> {
  const api = await createApiRuntime(runtime);
  reportFailure(runtime.logger, assertReadable(api.storage));
  const canary = await startCanary(api);
  const app = await createApp(api, [canary]);
  const answer = app.callback();
  const listener: RequestListener = (request, response) => {
    if (!guest(request, response)) void answer(request, response);
  };
  const listening = await listenHttp(runtime, listener, server);
  // Before the server waits for its answers to end: these never would.
  runtime.lifecycle.onClose('event streams', () => api.streams.close());
  runtime.lifecycle.onClose('downloads', () => api.downloads.endSoon());
  return listening;
}
