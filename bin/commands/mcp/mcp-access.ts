import { loadClientSettings } from '../../../shared/platform/config.js';
import { demoAccess, httpUrl, usableKey } from '../api-access.js';
import type { CommandArgs } from '../command.js';

/** Where agents are served and as which agent. */
export interface McpAccess {
  url: string;
  key: string;
}

/**
 * Address and key of `tow mcp`: --mcp-url and the settings TOW_MCP_URL and TOW_AGENT_KEY, else those of the demo that `npm start` made in DATA_DIR. There is
 * no option for the key: everyone on the machine can read a command line. Nothing else of the service's settings is looked at, for this runs wherever a
 * person's client does.
 * @throws {ConfigError}
 * @throws {CliError} `configuration`, `usage`
 */
export async function mcpAccess({ values }: CommandArgs): Promise<McpAccess> {
  const { mcpUrl, agentKey, dataDir } = loadClientSettings();
  const ownKey = values.sandbox === true ? undefined : agentKey;
  const ownUrl = values['mcp-url'] ?? mcpUrl;
  const demo =
    ownKey && ownUrl
      ? undefined
      : await demoAccess(dataDir, {
          url: 'mcp_url',
          key: values.sandbox === true ? 'sandbox_agent_key' : 'agent_key',
          instead: 'Set TOW_AGENT_KEY and TOW_MCP_URL',
        });
  return {
    url: httpUrl('--mcp-url', String(ownUrl ?? demo?.url)),
    key: usableKey(String(ownKey ?? demo?.key)),
  };
}
