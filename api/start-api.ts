import type { RequestListener } from 'node:http';
import type { Vendors } from '../shared/integrations/contract/vendor.js';
import { VENDORS } from '../shared/integrations/vendors.js';
import type { Runtime } from '../shared/platform/process/runtime.js';
import { logCheckFailure } from '../shared/platform/start-failure.js';
import { type HttpServer, listenHttp } from '../shared/server/http-server.js';
import { assertReadable } from '../shared/storage/probe.js';
import { refuseEarly } from './admission/refuse-early.js';
import { createApp } from './app.js';
import { startCanary } from './canary.js';
import { createApiRuntime } from './runtime/runtime.js';

/**
 * Handles paths that are not the API's own, such as /mcp. Returns true if it handles the request.
 */
export type RequestInterceptor = (...request: Parameters<RequestListener>) => boolean;

/**
 * Opens the API and listens.
 * @param interceptor receives each request before the API; used in the all-in-one process
 * @param options `server` is the HTTP server that the process has already opened; without it, a new
 *   server is opened. `vendors` replaces the product's vendors in tests
 */
export async function startApi(
  runtime: Runtime,
  interceptor: RequestInterceptor = () => false,
  { server, vendors = VENDORS }: { server?: HttpServer | undefined; vendors?: Vendors | undefined } = {},
): Promise<{ port: number }> {
  const api = await createApiRuntime(runtime, vendors);
  logCheckFailure(runtime.logger, assertReadable(api.storage));
  const canary = await startCanary(api);
  const app = await createApp(api, [canary]);
  const handleRequest = refuseEarly(api, app.callback());
  const listener: RequestListener = (request, response) => {
    if (!interceptor(request, response)) handleRequest(request, response);
  };
  const listening = await listenHttp(runtime, listener, server);
  // On shutdown the HTTP server waits for open responses. Close the event streams first: they do
  // not end by themselves.
  runtime.lifecycle.onClose('event streams', () => api.streams.close());
  runtime.lifecycle.onClose('downloads', () => api.downloads.closeAfterGracePeriod());
  return listening;
}
