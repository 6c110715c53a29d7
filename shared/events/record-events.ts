import type { Command, EventDraft } from '../contracts/command.js';
import { newId } from '../platform/ids.js';
import type { Statement } from '../platform/postgres.js';

/** The version of the event bodies (decisions 8). */
const API_VERSION = 'v1';

export interface EventSource {
  command: Command;
  draft: EventDraft;
}

/**
 * The statement that records events in the caller's transaction. Each body is rendered here, once; these bytes are what every attempt will
 * send (decisions 8).
 */
export function recordEvents(sources: EventSource[], now: Date): Statement {
  const rows = sources.map(({ command, draft }) => {
    const id = newId();
    return {
      tenant_id: command.tenantId,
      id,
      type: draft.type,
      body: renderBody(id, { command, draft }, now),
    };
  });
  return {
    name: 'record-events',
    text: `insert into events (tenant_id, id, type, body)
           select tenant_id, id, type, body from jsonb_to_recordset($1::jsonb) as r(tenant_id uuid, id uuid, type text, body text)`,
    values: [JSON.stringify(rows)],
  };
}

function renderBody(id: string, { command, draft }: EventSource, now: Date): string {
  const head = JSON.stringify({
    id,
    type: draft.type,
    api_version: API_VERSION,
    timestamp: now.toISOString(),
    tenant_id: command.tenantId,
    environment: command.environment,
  });
  const extra = draft.extra ? `,${JSON.stringify(draft.extra).slice(1, -1)}` : '';
  // The object is PostgreSQL's own text: parsing and writing it again could only change it.
  return `${head.slice(0, -1)},"data":{"object":${draft.object}${extra}}}`;
}
