import type { Command, EventDraft } from '../contracts/command.js';
import { newId } from '../platform/ids.js';

/** The version of the event bodies (decisions 8). */
export const API_VERSION = 'v1';

/**
 * Records events within the caller's statement, which renders their objects: its common table expression `rendered` has the columns tenant_id, body (the
 * record's JSON) and events ({@link eventRows}). The body of an event is put together here, once, and stored: these bytes are what every attempt
 * will send (decisions 8). The object is PostgreSQL's own text and never travels to a worker and back.
 */
export const INSERT_EVENTS = `
  insert into events (tenant_id, id, type, occurred_at, body)
  select rendered.tenant_id, e.id, e.type, e.at, e.head || rendered.body || e.tail
  from rendered, jsonb_to_recordset(rendered.events) as e(id uuid, type text, at timestamptz, head text, tail text)`;

/** A command's events for {@link INSERT_EVENTS}: what stands in each body before and after its object. */
export function eventRows(command: Command, drafts: EventDraft[], now: Date) {
  const at = now.toISOString();
  return drafts.map((draft) => {
    const id = newId();
    const envelope = JSON.stringify({
      id,
      type: draft.type,
      api_version: API_VERSION,
      timestamp: at,
      tenant_id: command.tenantId,
      environment: command.environment,
    });
    const extra = draft.extra ? `,${JSON.stringify(draft.extra).slice(1, -1)}` : '';
    return {
      id,
      type: draft.type,
      at,
      head: `${envelope.slice(0, -1)},"data":{"object":`,
      tail: `${extra}}}`,
    };
  });
}
