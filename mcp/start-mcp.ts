import type { Runtime } from '../shared/platform/process/runtime.js';
import { createHealthListener, createServingChecks } from '../shared/server/health.js';
import { type HttpServer, listenHttp } from '../shared/server/http-server.js';
import { createMcpListener } from './http.js';

/**
 * Listens for requests to /mcp and to the health checks.
 * @param server the HTTP server that the process has already opened; without it, a new one is
 *   opened
 */
export async function startMcp(runtime: Runtime, server?: HttpServer): Promise<{ port: number }> {
  const handleMcp = await createMcpListener(runtime);
  const handleOther = createHealthListener(
    runtime,
    createServingChecks(runtime),
    'The MCP endpoint is /mcp.',
  );
  return listenHttp(
    runtime,
    (request, response) => {
      if (!handleMcp(request, response)) handleOther(request, response);
    },
    server,
  );
}
