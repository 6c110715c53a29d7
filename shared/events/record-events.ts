import type { Command, EventDraft } from '../contracts/command.js';
import { newId } from '../platform/ids.js';
import { listMatchingFilters } from './event-types.js';

/** The version of the event bodies (docs/decisions.md §8). */
export const API_VERSION = 'v1';

/**
 * The SQL of common table expressions that record events within the caller's query. The caller
 * defines `rendered` with one row per command: tenant_id, body (the record's JSON) and events
 * ({@link buildEventRows}).
 *
 * PostgreSQL builds each event's body from these columns, so the record's JSON does not travel to a
 * worker and back. The body is stored once, so every delivery attempt sends the same bytes
 * (docs/decisions.md §8). The expression `new_events` has the columns tenant_id, id, type, filters,
 * except_endpoint, club_id, at and body.
 */
export const RECORD_EVENTS = `
  new_events as (
    select rendered.tenant_id, e.id, e.type, e.filters, e.except_endpoint, e.club_id, e.at, e.head || rendered.body || e.tail as body
    from rendered, jsonb_to_recordset(rendered.events)
      as e(id uuid, type text, filters text[], except_endpoint uuid, club_id uuid, at timestamptz, head text, tail text)
  ), recorded as (
    insert into events (tenant_id, id, type, occurred_at, body) select tenant_id, id, type, at, body from new_events
  )`;

/**
 * Builds the events of one command, for the column `events` of the table `rendered` in
 * {@link RECORD_EVENTS}. PostgreSQL puts the record's JSON between `head` and `tail`.
 */
export function buildEventRows(command: Command, drafts: EventDraft[], now: Date) {
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
      filters: listMatchingFilters(draft.type),
      except_endpoint: draft.excludedEndpointId,
      club_id: draft.clubId,
      at,
      head: `${envelope.slice(0, -1)},"data":{"object":`,
      tail: `${extra}}}`,
    };
  });
}
