import { join } from 'node:path';
import type { DemoFile } from '../shared/demo/demo-file.js';
import { type Config, publicOrigin } from '../shared/platform/config.js';

export interface Addresses {
  apiUrl: string;
  mcpUrl: string;
  dashboardUrl: string;
}

/**
 * Builds the product's public addresses on one port (docs/decisions.md §10).
 * @param port the port that the server listens on
 */
export function publicAddresses(config: Config, port: number): Addresses {
  const base = publicOrigin(config, port);
  return { apiUrl: `${base}/v1`, mcpUrl: `${base}/mcp`, dashboardUrl: `${base}/app/` };
}

/**
 * Renders the text that `npm start` prints when everything is up. It shows credentials only of the
 * demo, which is off in production.
 */
export function welcomeText(options: {
  addresses: Addresses;
  demo: DemoFile | undefined;
  dataDir: string;
}): string {
  const { addresses, demo, dataDir } = options;
  const root = addresses.apiUrl.replace(/\/v1$/, '');
  const lines = [
    '',
    `  Tow Dispatch is up.   REST ${addresses.apiUrl}   agents ${addresses.mcpUrl}   reference ${root}/docs   health ${root}/readyz`,
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
