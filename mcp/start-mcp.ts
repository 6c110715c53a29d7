import type { RequestListener } from 'node:http';
import { newId } from '../shared/platform/ids.js';
import type { Runtime } from '../shared/platform/process/runtime.js';
import { createHealthHandler, createServingChecks } from '../shared/server/health.js';
import { type HttpServer, listenHttp } from '../shared/server/http-server.js';
import { createMcpListener } from './http.js';
import { readRequestId } from './transport/request-headers.js';

/**
 * Serves /mcp and the health checks on the HTTP server of the MCP process. Resolves with its port.
 * @param server the server that the process has opened; default: a new server
 */
export async function startMcp(runtime: Runtime, server?: HttpServer): Promise<{ port: number }> {
  const handleMcp = await createMcpListener(runtime);
  const handleHealth = createHealthHandler(runtime, createServingChecks(runtime));
  const listener: RequestListener = (request, response) => {
    if (handleMcp(request, response)) return;
    handleHealth(request, response)
      .then((isHandled) => {
        if (isHandled) return;
        const requestId = readRequestId(request) ?? newId();
        const message = 'Nothing is served at this path. The MCP endpoint is /mcp.';
        response
          .writeHead(404, { 'Content-Type': 'application/json', 'X-Request-Id': requestId })
          .end(JSON.stringify({ ok: false, error: { code: 'not_found', message, requestId } }));
      })
      .catch((error: unknown) => {
        runtime.logger.error({ err: error }, 'health request failed');
        response.writeHead(500).end();
      });
  };
  return listenHttp(runtime, listener, server);
}
