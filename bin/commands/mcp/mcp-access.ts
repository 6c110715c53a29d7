import { loadClientSettings } from '../../../shared/config/config.js';
import { loadDemoAccess, parseKey, validateHttpUrl } from '../../cli/api-access.js';
import type { CommandArgs } from '../../cli/command.js';

export interface McpAccess {
  url: string;
  key: string;
}

/**
 * Finds the address (--mcp-url or TOW_MCP_URL) and the key (TOW_AGENT_KEY) for `tow mcp`. What is
 * missing comes from the demo that `npm start` created in DATA_DIR. There is no option for the key,
 * because every user of the machine can read a command line. No other setting of the service is
 * read, because the command runs on the machine of the person's MCP client.
 * @throws {ConfigError}
 * @throws {CliError} `configuration`, `usage`
 */
export async function resolveMcpAccess({ values }: CommandArgs): Promise<McpAccess> {
  const { mcpUrl, agentKey, dataDir } = loadClientSettings();
  const ownKey = values.sandbox === true ? undefined : agentKey;
  const ownUrl = values['mcp-url'] ?? mcpUrl;
  const demo =
    ownKey && ownUrl
      ? undefined
      : await loadDemoAccess(dataDir, {
          url: 'mcp_url',
          key: values.sandbox === true ? 'sandbox_agent_key' : 'agent_key',
          remedy: 'Set TOW_AGENT_KEY and TOW_MCP_URL',
        });
  return {
    url: validateHttpUrl('--mcp-url', String(ownUrl ?? demo?.url)),
    key: parseKey(String(ownKey ?? demo?.key)),
  };
}
