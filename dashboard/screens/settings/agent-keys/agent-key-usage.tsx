import { Text } from '@mantine/core';
import { useMe } from '../../../api/session';
import { CodeBlock } from '../../../parts/values/code-block';
import { quote } from '../../../parts/values/curl';

/** Explains how to use a new agent key: the configuration of an MCP client, and a first call. */
export function AgentKeyUsage({ agentKey }: { agentKey: string }) {
  const url = useMe().data?.mcp_url ?? '';
  const authorization = `Bearer ${agentKey}`;
  const configuration = {
    mcpServers: { tow: { type: 'http', url, headers: { Authorization: authorization } } },
  };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const curl = [
    `curl -X POST ${quote(url)}`,
    `-H ${quote(`Authorization: ${authorization}`)}`,
    "-H 'Content-Type: application/json'",
    "-H 'Accept: application/json, text/event-stream'",
    `-d ${quote(JSON.stringify(call))}`,
  ].join(' \\\n  ');
  return (
    <>
      <Text size="sm">Give this to the MCP client of your agent:</Text>
      <CodeBlock
        label="MCP client JSON"
        copyLabel="MCP client JSON"
        code={JSON.stringify(configuration, null, 2)}
      />
      <Text size="sm">This command lists the tools that the key may use:</Text>
      <CodeBlock label="curl command with the key" copyLabel="curl" code={curl} />
    </>
  );
}
