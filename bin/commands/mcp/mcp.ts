import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { errorCodeOf } from '../../../shared/platform/errors.js';
import type { RunCommand } from '../command.js';
import { Bridge } from './bridge.js';
import { mcpAccess } from './mcp-access.js';
import { Upstream } from './upstream.js';

/**
 * `tow mcp`: serves MCP over stdio to clients on this machine. It is a bridge to the MCP server
 * over HTTP, so keys, limits, approval thresholds and the audit log are the same. The process needs
 * only the server's address and a key. Standard output carries only the protocol.
 */
export const serveStdio: RunCommand = async (args, { notice, interruption }) => {
  const access = await mcpAccess(args);
  const { stdin, stdout } = process;
  const clientGone = new AbortController();
  // If the client no longer reads its input, responses are not needed.
  stdout.on('error', (error) => {
    if (errorCodeOf(error) !== 'EPIPE') notice(`Standard output cannot be written to: ${error.message}`);
    clientGone.abort();
  });
  const bridge = new Bridge(new StdioServerTransport(stdin, stdout), new Upstream(access), notice);
  await bridge.run({ input: stdin, stopping: interruption(), clientGone: clientGone.signal });
  return { data: {}, text: '', isSilent: true };
};
