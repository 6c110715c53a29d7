/** Connects agents as in production: with the official MCP client, over Streamable HTTP. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import type { AgentScope } from '../../../shared/contracts/vocabulary.js';
import { AGENT_SCOPES } from '../../../shared/contracts/vocabulary.js';
import type { Json } from '../client.js';
import type { TestStack, TestTenant } from '../stack.js';

export interface AgentOptions {
  /** Default: all scopes. With `readOnly`, only the reading scopes are used. */
  scopes?: readonly AgentScope[];
  readOnly?: boolean;
  /** HTTP headers that the client sends with every request. */
  headers?: Record<string, string>;
}

export class TestAgent {
  private constructor(
    readonly key: string,
    readonly client: Client,
  ) {}

  /** @param origin scheme, host and port of the process that serves /mcp */
  static async connect(
    origin: string,
    key: string,
    headers: Record<string, string> = {},
  ): Promise<TestAgent> {
    const client = new Client({ name: 'test-agent', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
      requestInit: { headers: { ...headers, Authorization: `Bearer ${key}` } },
    });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    return new TestAgent(key, client);
  }

  async call(
    name: string,
    args: Record<string, unknown> = {},
    meta?: Record<string, unknown>,
  ): Promise<CallToolResult> {
    return (await this.client.callTool({
      name,
      arguments: args,
      ...(meta ? { _meta: meta } : {}),
    })) as CallToolResult;
  }

  /** Returns the structured result of a tool call that must succeed. */
  async callOk(
    name: string,
    args: Record<string, unknown> = {},
    meta?: Record<string, unknown>,
  ): Promise<Json> {
    const result = await this.call(name, args, meta);
    expect(result.isError, JSON.stringify(result.content)).to.not.equal(true);
    return result.structuredContent;
  }

  async callRefused(
    name: string,
    args: Record<string, unknown> = {},
    meta?: Record<string, unknown>,
  ): Promise<Json> {
    const result = await this.call(name, args, meta);
    expect(result.isError, JSON.stringify(result)).to.equal(true);
    expect(result.structuredContent).to.equal(undefined);
    return JSON.parse((result.content[0] as { text: string }).text);
  }
}

/**
 * Creates an agent key for the tenant, and connects a client with this key. The caller closes
 * `client`.
 */
export async function connectAgent(
  stack: TestStack,
  tenant: TestTenant,
  { scopes = AGENT_SCOPES, readOnly = false, headers = {} }: AgentOptions = {},
): Promise<TestAgent> {
  const granted = readOnly ? scopes.filter((scope) => scope.startsWith('read_')) : scopes;
  const key = await stack.createKey(tenant.id, { kind: 'agent', scopes: [...granted], readOnly });
  return TestAgent.connect(stack.origin, key, headers);
}
