import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Runtime } from '../shared/platform/process/runtime.js';
import { createMcpRuntime, type McpRuntime } from './context/runtime.js';
import { createMcpFeatures, type McpFeatures } from './protocol/features.js';
import { buildManifest } from './protocol/manifest.js';
import { createMcpRequestHandler } from './protocol/revisions.js';
import { MCP_PATH, McpHttpRequest } from './transport/http-request.js';

const MANIFEST_PATH = '/mcp/manifest';

/** Handles requests under /mcp. Returns false for any other path. */
export type McpListener = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Creates the listener for Streamable HTTP (MCP 2024-11-05 to 2026-07-28) without sessions. Any
 * replica can handle any POST. The response is JSON, or an event stream that ends with the result
 * if the server first sends progress.
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
    const path = parsePath(request);
    if (path !== MCP_PATH && path !== MANIFEST_PATH) return false;
    void new McpHttpRequest(mcp, request, response).run(async (httpRequest) => {
      if (path === MANIFEST_PATH) httpRequest.sendManifest(manifest);
      else await httpRequest.handleMessage(handleMcpRequest);
    });
    return true;
  };
}

function parsePath({ url = '' }: IncomingMessage): string {
  const path = url.split('?', 1)[0] as string;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
