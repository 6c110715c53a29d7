import type { Config } from '../../shared/config/config.js';
import { buildMcpUrl } from '../../shared/http/mcp-url.js';
import { describeSources, RESOURCES, TEMPLATES } from '../resources/resources.js';
import { LISTED_TOOLS } from '../tools/schemas.js';

// The versions of the manifest's format and content (docs/specification.md §9). They are
// independent of the protocol's versions.
const SCHEMA_VERSION = '2024-11-05';
const MANIFEST_VERSION = '0.1.0';

export const SERVER_NAME = 'tow-dispatch';
export const SERVER_DESCRIPTION =
  'Tow and recovery dispatch and billing: read invoices, jobs, customers and the dispatch board, draft invoices, book jobs, and ask people for approval.';

/** The scopes of agent keys (docs/specification.md §5). */
const SCOPES = [
  { id: 'read_invoices', label: 'Read Invoices' },
  { id: 'write_invoices_draft', label: 'Create Invoice Drafts' },
  { id: 'read_work_orders', label: 'Read Work Orders' },
  { id: 'write_work_orders', label: 'Create Work Orders' },
  { id: 'read_customers', label: 'Read Customers' },
  { id: 'read_dispatch', label: 'Read Dispatch Board' },
  { id: 'read_audit', label: 'Read Audit Logs' },
  { id: 'propose_approvals', label: 'Propose Approvals' },
] as const;

/**
 * Builds the public document at {mcp_url}/manifest. The document and `tools/list` show the same
 * tools (docs/specification.md §4.2).
 */
export function buildManifest({ tiers, publicUrl }: Pick<Config, 'tiers' | 'publicUrl'>): object {
  return {
    schemaVersion: SCHEMA_VERSION,
    name: SERVER_NAME,
    version: MANIFEST_VERSION,
    description: SERVER_DESCRIPTION,
    tools: [...LISTED_TOOLS].map(
      ([{ scope }, { name, title, description, inputSchema, outputSchema, annotations }]) => ({
        name,
        title,
        description,
        scope,
        inputSchema,
        outputSchema,
        annotations,
      }),
    ),
    resources: [...describeSources(RESOURCES), ...describeSources(TEMPLATES)],
    auth: {
      type: 'bearer',
      header: 'Authorization: Bearer <AGENT_API_KEY>',
      keyPrefix: 'tk_agent_',
      keyTypes: ['read-only', 'read-write'],
    },
    scopes: SCOPES,
    rateLimits: Object.fromEntries(
      Object.entries(tiers).map(([tier, { minute, hour }]) => [tier, { perMinute: minute, perHour: hour }]),
    ),
    idempotency: {
      header: 'Idempotency-Key',
      meta: 'idempotency_key',
      argument: 'idempotency_key',
      format: 'uuid',
      windowHours: 24,
      replayHeader: 'X-Idempotency-Replay',
    },
    dryRun: { header: 'X-Service-Dry-Run', meta: 'dry_run', argument: 'dry_run', value: 'true' },
    links: {
      mcp: buildMcpUrl({ publicUrl }),
      openapi: `${publicUrl}/v1/openapi.json`,
      documentation: `${publicUrl}/docs`,
    },
  };
}
