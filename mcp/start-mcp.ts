import { healthAnswers } from '../shared/platform/health.js';
import { listenHttp } from '../shared/platform/http-server.js';
import { newId } from '../shared/platform/ids.js';
import type { Runtime } from '../shared/platform/runtime.js';
import { warnIfExposed } from '../shared/platform/warn-if-exposed.js';
import { createMcpListener } from './http.js';
import { requestIdOf } from './request-headers.js';

/** Starts the MCP process's own HTTP server: /mcp, and what the platform asks. Resolves with its port. */
export async function startMcp(runtime: Runtime): Promise<{ port: number }> {
  warnIfExposed(runtime);
  const answerMcp = await createMcpListener(runtime);
  const answerHealth = healthAnswers(runtime);
  return listenHttp(runtime, (request, response) => {
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
  });
}
