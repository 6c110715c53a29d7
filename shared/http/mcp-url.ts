import type { Config } from '../config/config.js';

/** The path of the MCP server at every address of the service. */
export const MCP_PATH = '/mcp';

/** Returns the address at which agents reach the MCP server. */
export function buildMcpUrl({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return `${publicUrl}${MCP_PATH}`;
}
