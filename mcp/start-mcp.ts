import type { RequestListener } from 'node:http';
import { healthAnswers, servingChecks } from '../shared/platform/health.js';
import { type HttpServer, listenHttp } from '../shared/platform/http-server.js';
import { newId } from '../shared/platform/ids.js';
import type { Runtime } from '../shared/platform/runtime.js';
import { createMcpListener } from './http.js';
import { requestIdOf } from './request-headers.js';

/**
 * Starts /mcp, and what the platform asks, on the HTTP server of the MCP process. Resolves with its
 * port.
 * @param server the one that the process has opened; default: one that is opened now
 */
export async function startMcp(runtime: Runtime, server?: HttpServer): Promise<{ port: number }> {
  const answerMcp = await createMcpListener(runtime);
  const answerHealth = healthAnswers(runtime, servingChecks(runtime));
  const listener: RequestListener = (request, response) => {
    if (answerMcp(request, response)) return;
    answerHealth(request, response)
      .then((isAnswered) => {
        if (isAnswered) return;
        const requestId = requestIdOf(request) ?? newId();
        const message = 'There is nothing here. Agents are at /mcp.';
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
