import { join } from 'node:path';
import { buildPublicOrigin, type Config } from '../../shared/config/config.js';
import { PRODUCT_NAME } from '../../shared/platform/product-name.js';
import type { DemoFile } from './demo-file.js';

export interface PublicAddresses {
  apiUrl: string;
  mcpUrl: string;
  dashboardUrl: string;
}

/**
 * Builds the addresses of the API, the MCP server and the dashboard. All have the same port
 * (docs/decisions.md §10).
 */
export function buildPublicAddresses(config: Config, port: number): PublicAddresses {
  const base = buildPublicOrigin(config, port);
  return { apiUrl: `${base}/v1`, mcpUrl: `${base}/mcp`, dashboardUrl: `${base}/app/` };
}

/**
 * Returns the text that `npm start` prints. Its only credentials are those of the demo, which is
 * off in production.
 */
export function renderWelcome(options: {
  addresses: PublicAddresses;
  demo: DemoFile | undefined;
  dataDir: string;
}): string {
  const { addresses, demo, dataDir } = options;
  const root = addresses.apiUrl.replace(/\/v1$/, '');
  const lines = [
    '',
    `  ${PRODUCT_NAME} is up.   dashboard ${addresses.dashboardUrl}   REST ${addresses.apiUrl}   agents ${addresses.mcpUrl}   reference ${root}/docs   health ${root}/readyz`,
  ];
  const [tenant] = demo?.tenants ?? [];
  if (tenant) {
    lines.push(
      '',
      `  Demo account  ${tenant.name}   ${tenant.email} / ${tenant.password}`,
      `  API key       ${tenant.api_key}`,
      `  Sandbox key   ${tenant.sandbox_key}`,
      `  Agent key     ${tenant.agent_key}`,
      `  All of it     ${join(dataDir, 'demo.json')}`,
      '',
      `  Try:  curl -s ${addresses.apiUrl}/invoices?limit=1 -H 'Authorization: Bearer ${tenant.api_key}'`,
    );
  }
  return `${lines.join('\n')}\n\n`;
}
