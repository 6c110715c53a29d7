import {
  ErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplate,
} from '@modelcontextprotocol/sdk/types.js';
import { assertAccess } from '../../shared/contracts/access.js';
import type { Principal } from '../../shared/contracts/principal.js';
import type { AgentScope } from '../../shared/contracts/vocabulary.js';
import { toAppError } from '../../shared/http/error-response.js';
import { AppError } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import { readPage } from '../../shared/records/lists/list-page.js';
import { listAuditEntries } from '../../shared/resources/audit-log/queries.js';
import { auditCall, auditRefusal, type McpAuditEntry } from '../context/audit.js';
import type { Caller } from '../context/caller.js';
import { RpcError } from '../context/errors.js';
import type { McpRuntime } from '../context/runtime.js';
import { MAX_LIST_BYTES, truncateLists } from '../text/result-size.js';
import { stripInvisibleCharacters } from '../text/strip-invisible.js';
import { readBoard } from './read-board.js';
import { readRecord, readWorkOrder } from './read-record.js';

const MIME = 'application/json';
/**
 * Maximum number of entries in the resource `service://audit-log`. The resource contains fewer
 * entries if they are long. The tool search_audit_log finds older entries.
 */
const MAX_AUDIT_ENTRIES = 100;

interface Source {
  scope: AgentScope;
  entityType: string;
  /** The action in the audit entry of a read. */
  action: string;
  /**
   * Returns the resource as JSON text.
   * @param id the record's id for a templated resource, otherwise empty
   * @throws {AppError} 404
   */
  read: (mcp: McpRuntime, caller: Caller, id: string) => Promise<string | Buffer>;
}

interface FixedResource extends Source, Pick<Resource, 'uri' | 'name' | 'title' | 'description'> {}
interface TemplatedResource
  extends Source,
    Pick<ResourceTemplate, 'uriTemplate' | 'name' | 'title' | 'description'> {}

/** The resources of docs/specification.md §4.2, in the sequence in which lists show them. */
export const RESOURCES: readonly FixedResource[] = [
  {
    uri: 'service://audit-log',
    name: 'Audit Log',
    title: 'Audit Log',
    description: `The newest entries, ${MAX_AUDIT_ENTRIES} at most, of the audit trail of all actions in the account; search_audit_log finds older ones.`,
    scope: 'read_audit',
    entityType: 'audit_log',
    action: 'audit_log.read',
    async read(mcp, { key }) {
      const query = { limit: MAX_AUDIT_ENTRIES };
      const page = await readPage(mcp, {
        key,
        list: 'mcp service://audit-log',
        query,
        buildQuery: listAuditEntries,
        maxBytes: MAX_LIST_BYTES,
      });
      const { items } = truncateLists({ items: JSON.parse(`[${page.items}]`) as unknown[] });
      return JSON.stringify({ items, count: items.length });
    },
  },
  {
    uri: 'service://dispatch-board',
    name: 'Dispatch Board',
    title: 'Dispatch Board',
    description:
      'Live snapshot of jobs under way, trucks, and jobs without a truck, the most urgent first; `omitted` is there when a busy board is shortened.',
    scope: 'read_dispatch',
    entityType: 'dispatch_board',
    action: 'dispatch_board.read',
    read: readBoard,
  },
];

export const TEMPLATES: readonly TemplatedResource[] = [
  {
    uriTemplate: 'service://invoices/{id}',
    name: 'Invoice',
    title: 'Invoice',
    description: 'One invoice with its line items.',
    scope: 'read_invoices',
    entityType: 'invoice',
    action: 'invoice.read',
    read: (mcp, caller, id) => readRecord(mcp, caller, { entityType: 'invoice', id }),
  },
  {
    uriTemplate: 'service://work-orders/{id}',
    name: 'Work order',
    title: 'Work order',
    description: 'One work order.',
    scope: 'read_work_orders',
    entityType: 'work_order',
    action: 'work_order.read',
    read: readWorkOrder,
  },
  {
    uriTemplate: 'service://customers/{id}',
    name: 'Customer',
    title: 'Customer',
    description: 'One customer with its balance.',
    scope: 'read_customers',
    entityType: 'customer',
    action: 'customer.read',
    read: (mcp, caller, id) => readRecord(mcp, caller, { entityType: 'customer', id }),
  },
];

export function describeSources<T extends Source>(sources: readonly T[]) {
  return sources.map(({ entityType, action, read, ...shown }) => ({ ...shown, mimeType: MIME }));
}

function listSources<T extends Source>(sources: readonly T[], { scopes }: Principal) {
  const visible = sources.filter(({ scope }) => scopes.includes(scope));
  return describeSources(visible).map(({ scope, ...listed }) => listed);
}

export const listResources = (key: Principal): Resource[] => listSources(RESOURCES, key);
export const listTemplates = (key: Principal): ResourceTemplate[] => listSources(TEMPLATES, key);

/** JSON-RPC error code for an unknown resource (MCP 2025-11-25, Resources, Error Handling). */
const RESOURCE_NOT_FOUND = -32002;

/**
 * Reads a resource, and stores the audit entry of the read before it returns.
 * @throws {RpcError} whose `data` contains the error of the REST API
 */
export async function readResource(
  mcp: McpRuntime,
  caller: Caller,
  uri: string,
): Promise<ReadResourceResult> {
  const found = findSource(uri);
  const source = found?.source ?? UNKNOWN_SOURCE;
  const entry = buildResourceAuditEntry(uri);
  try {
    if (!found) throw new AppError('not_found', 'There is no such resource.');
    assertAccess(caller.key, { permission: 'read', agentScope: source.scope });
    const body = await source.read(mcp, caller, found.id ?? '');
    await auditCall(mcp, caller, entry);
    return { contents: [{ uri, mimeType: MIME, text: stripInvisibleCharacters(body.toString()) }] };
  } catch (error) {
    const refusal = toAppError(error);
    if (refusal.status >= 500)
      mcp.logger.error(
        { err: error, requestId: caller.requestId, action: entry.action },
        'resource read failed',
      );
    const audited = await auditRefusal(mcp, caller, { ...entry, error: refusal });
    throw toRpcError(audited, uri, caller.requestId);
  }
}

export function buildResourceAuditEntry(uri: string): McpAuditEntry {
  const { source, id } = findSource(uri) ?? { source: UNKNOWN_SOURCE, id: null };
  return { tool: null, action: source.action, entityType: source.entityType, entityId: id };
}

const UNKNOWN_SOURCE = {
  action: 'resource.refused',
  entityType: null,
  scope: null,
  read: async () => '',
} as const;

function findSource(uri: string): { source: Source; id: string | null } | undefined {
  const fixed = RESOURCES.find((resource) => resource.uri === uri);
  if (fixed) return { source: fixed, id: null };
  const [, start, id] = /^(service:\/\/[a-z-]+\/)([^/]+)$/.exec(uri) ?? [];
  const source = TEMPLATES.find(({ uriTemplate }) => uriTemplate === `${start}{id}`);
  return source && id && isUuid(id) ? { source, id: id.toLowerCase() } : undefined;
}

function toRpcError(error: AppError, uri: string, requestId: string): RpcError {
  const codes: Record<number, number> = { 404: RESOURCE_NOT_FOUND, 403: ErrorCode.InvalidParams };
  return new RpcError(codes[error.status] ?? ErrorCode.InternalError, error.message, {
    uri,
    error: { ...error.toBody(), requestId },
  });
}
