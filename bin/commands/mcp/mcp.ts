import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { getErrorCode } from '../../../shared/platform/errors.js';
import type { RunCommand } from '../../cli/command.js';
import { StdioBridge } from './bridge.js';
import { resolveMcpAccess } from './mcp-access.js';
import { UpstreamClient } from './upstream.js';

/**
 * `tow mcp`: serves MCP over stdio to clients on this machine. It forwards each MCP message to the
 * MCP server over HTTP. Keys, limits, approval thresholds and the audit log therefore apply as
 * usual. Standard output carries only MCP messages.
 */
export const serveStdio: RunCommand = async (args, { printStatus, getInterruptSignal }) => {
  const access = await resolveMcpAccess(args);
  const { stdin, stdout } = process;
  const clientGone = new AbortController();
  // End without waiting for pending responses if the client no longer reads them. EPIPE only means
  // that the client has ended, so this error is not printed.
  stdout.on('error', (error) => {
    if (getErrorCode(error) !== 'EPIPE')
      printStatus(`Standard output cannot be written to: ${error.message}`);
    clientGone.abort();
  });
  const bridge = new StdioBridge(
    new StdioServerTransport(stdin, stdout),
    new UpstreamClient(access),
    printStatus,
  );
  await bridge.run({ input: stdin, stopping: getInterruptSignal(), clientGone: clientGone.signal });
  return { data: {}, text: '', isSilent: true };
};
