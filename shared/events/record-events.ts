import type { Command, EventDraft } from '../contracts/command.js';
import { idTimeSql } from '../platform/id-times.js';
import { newId } from '../platform/ids.js';
import { deliveryIdSql } from './delivery-ids.js';
import { listMatchingFilters } from './event-types.js';

/** The version of the event bodies (docs/decisions.md §8). */
export const API_VERSION = 'v1';

/**
 * SQL that records events within the caller's query. The caller's common table expression
 * `rendered` renders their objects; it has the columns tenant_id, body (the record's JSON) and
 * events ({@link buildEventRows}). This SQL builds and stores the body of an event once, and every
 * attempt sends these bytes (docs/decisions.md §8). PostgreSQL renders the object, so it never
 * travels to a worker and back.
 *
 * Each event creates one delivery for every endpoint that subscribes to it. These rows are the
 * outbox. `delivered` returns the endpoints.
 */
export const RECORD_EVENTS = `
  told as (
    select rendered.tenant_id, e.id, e.type, e.filters, e.except_endpoint, e.at, e.head || rendered.body || e.tail as body
    from rendered, jsonb_to_recordset(rendered.events)
      as e(id uuid, type text, filters text[], except_endpoint uuid, at timestamptz, head text, tail text)
  ), recorded as (
    insert into events (tenant_id, id, type, occurred_at, body) select tenant_id, id, type, at, body from told
  ), delivered as (
    insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, created_at)
    select told.tenant_id, ${deliveryIdSql('told.id', 'told.id', 'p.id')}, p.id, told.id, told.type, ${idTimeSql('told.id')}
    from told cross join lateral (
      select p.id from webhook_endpoints p
      where p.tenant_id = told.tenant_id and p.enabled and p.deleted_at is null and p.event_types && told.filters
        and p.id is distinct from told.except_endpoint
      -- offset 0 prevents a join: without table statistics it would read and filter the endpoints of all tenants.
      offset 0
    ) p
    returning tenant_id, endpoint_id
  )`;

/**
 * Builds the events of a command for {@link RECORD_EVENTS}: `head` and `tail` are the texts of the
 * body before and after its object.
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
      at,
      head: `${envelope.slice(0, -1)},"data":{"object":`,
      tail: `${extra}}}`,
    };
  });
}
