import type { IncomingMessage, ServerResponse } from 'node:http';
import { MCP_PATH } from '../shared/http/mcp-url.js';
import { readPath } from '../shared/http/request.js';
import type { Runtime } from '../shared/platform/process/runtime.js';
import { createMcpRuntime, type McpRuntime } from './context/runtime.js';
import { createMcpFeatures, type McpFeatures } from './protocol/features.js';
import { buildManifest } from './protocol/manifest.js';
import { createMcpRequestHandler } from './protocol/revisions.js';
import { McpHttpRequest } from './transport/http-request.js';

const MANIFEST_PATH = '/mcp/manifest';

/** Handles requests under /mcp. Returns false for any other path. */
export type McpListener = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Creates the listener for MCP's Streamable HTTP, revisions 2024-11-05 to 2026-07-28. There are no
 * sessions, so any process can handle any POST. The response is JSON or an event stream. The stream
 * contains progress notifications and ends with the result.
 * @param buildFeatures builds the tools, resources and prompts that agents can use
 */
export async function createMcpListener(
  runtime: Runtime,
  buildFeatures: (mcp: McpRuntime) => McpFeatures = createMcpFeatures,
): Promise<McpListener> {
  const mcp = await createMcpRuntime(runtime);
  const handleMcpRequest = await createMcpRequestHandler(mcp, buildFeatures(mcp));
  const manifest = JSON.stringify(buildManifest(runtime.config));
  return (request, response) => {
    const path = readPath(request).replace(/(?<=.)\/$/, '');
    if (path !== MCP_PATH && path !== MANIFEST_PATH) return false;
    const httpRequest = new McpHttpRequest(mcp, request, response);
    void httpRequest.run(path, () =>
      path === MANIFEST_PATH
        ? httpRequest.sendManifest(manifest)
        : httpRequest.handleMessage(handleMcpRequest),
    );
    return true;
  };
}
