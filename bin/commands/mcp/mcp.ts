import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { errorCodeOf } from '../../../shared/platform/errors.js';
import type { RunCommand } from '../command.js';
import { Bridge } from './bridge.js';
import { mcpAccess } from './mcp-access.js';
import { Upstream } from './upstream.js';

/**
 * `tow mcp`: the MCP server over stdio, for clients on this machine. A bridge to the server over HTTP: keys, limits, the gate and the audit log are the same, and
 * this process needs nothing but the address and the key. Standard output carries the protocol alone.
 */
export const serveStdio: RunCommand = async (args, { notice, interruption }) => {
  const access = await mcpAccess(args);
  const { stdin, stdout } = process;
  const gone = new AbortController();
  // A client that is not there any more needs no answers.
  stdout.on('error', (error) => {
    if (errorCodeOf(error) !== 'EPIPE') notice(`Standard output cannot be written: ${error.message}`);
    gone.abort();
  });
  const bridge = new Bridge(new StdioServerTransport(stdin, stdout), new Upstream(access), notice);
  await bridge.run({ input: stdin, stopping: interruption(), gone: gone.signal });
  return { data: {}, text: '', isSilent: true };
};
