/**
 * Connects official MCP clients over Streamable HTTP, for each revision of MCP that the product
 * supports.
 */
import {
  Client as NewestClient,
  StreamableHTTPClientTransport as NewestHttp,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Json } from '../client.js';

export const OLDER_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
export const NEWEST_REVISION = '2026-07-28';
const NAMES = { name: 'test-agent', version: '1.0.0' };

/**
 * The methods that tests call. The official client for the older revisions and the one for the
 * newest revision both have these methods.
 */
export interface RevisionClient {
  listTools(): Promise<Json>;
  callTool(params: {
    name: string;
    arguments?: Record<string, unknown>;
    _meta?: Record<string, unknown>;
  }): Promise<Json>;
  listResources(): Promise<Json>;
  listResourceTemplates(): Promise<Json>;
  readResource(params: { uri: string }): Promise<Json>;
  listPrompts(): Promise<Json>;
  getPrompt(params: { name: string }): Promise<Json>;
  getServerVersion(): Json;
  getServerCapabilities(): Json;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

export interface RevisionConnection {
  client: RevisionClient;
  revision: string | undefined;
}

/**
 * A transport that requests `revision`. Without this class, the SDK for the older revisions always
 * requests the newest revision that it knows.
 */
class OlderHttp extends StreamableHTTPClientTransport {
  constructor(
    url: URL,
    private readonly revision: string,
    requestInit: RequestInit,
  ) {
    super(url, { requestInit });
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[]): Promise<void> {
    if (!Array.isArray(message) && 'method' in message && message.method === 'initialize')
      return super.send({ ...message, params: { ...message.params, protocolVersion: this.revision } });
    return super.send(message);
  }
}

/** @param origin scheme, host and port of the process that serves /mcp */
export async function connectRevision(
  origin: string,
  key: string,
  revision: string,
): Promise<RevisionConnection> {
  const url = new URL(`${origin}/mcp`);
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  if (revision === NEWEST_REVISION) {
    const client = new NewestClient(NAMES, { versionNegotiation: { mode: { pin: revision } } });
    await client.connect(new NewestHttp(url, { requestInit }));
    return { client: client as unknown as RevisionClient, revision: client.getNegotiatedProtocolVersion() };
  }
  const client = new Client(NAMES);
  const transport = new OlderHttp(url, revision, requestInit);
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return { client: client as unknown as RevisionClient, revision: transport.protocolVersion };
}

const PREFIX = 'io.modelcontextprotocol';

/**
 * Builds a JSON-RPC request as the newest revision of MCP defines it, and the HTTP headers that
 * must accompany the request.
 */
export function buildNewestRequest(
  method: string,
  params: Record<string, unknown> = {},
  version = NEWEST_REVISION,
): { message: Json; headers: Record<string, string> } {
  const _meta = {
    [`${PREFIX}/protocolVersion`]: version,
    [`${PREFIX}/clientInfo`]: NAMES,
    [`${PREFIX}/clientCapabilities`]: {},
  };
  const name = params.name ?? params.uri;
  return {
    message: { jsonrpc: '2.0', id: 'by-hand', method, params: { ...params, _meta } },
    headers: {
      'MCP-Protocol-Version': version,
      'Mcp-Method': method,
      ...(name === undefined ? {} : { 'Mcp-Name': String(name) }),
    },
  };
}
