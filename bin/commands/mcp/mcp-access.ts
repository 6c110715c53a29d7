import { loadClientSettings } from '../../../shared/config/config.js';
import { loadDemoAccess, parseKey, validateHttpUrl } from '../../cli/api-access.js';
import type { CommandArgs } from '../../cli/command.js';

export interface McpAccess {
  url: string;
  key: string;
}

/**
 * Finds the address (--mcp-url or TOW_MCP_URL) and the key (TOW_AGENT_KEY) for `tow mcp`. A missing
 * value comes from the demo.json that `npm start` wrote to DATA_DIR. There is no option for the
 * key, because every user of a machine can read the command lines of all processes.
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
