import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Inbound, InboundNotice } from '../../contract/vendor.js';

/** The streams by QuickBooks' name of the entity, in lower case. Other entities have no stream. */
const STREAMS: Readonly<Record<string, string>> = {
  customer: 'customers',
  invoice: 'invoices',
  payment: 'booked_payments',
};

/** The body of webhooks until 2026. */
interface Notifications {
  eventNotifications: {
    realmId: string;
    dataChangeEvent?: {
      entities: { name: string; id: string; operation: string; lastUpdated: string }[];
    };
  }[];
}

/** An event of a webhook since 2026. */
interface CloudEvent {
  id: string;
  /** Such as `qbo.invoice.created.v1`. */
  type: string;
  intuitentityid: string;
  intuitaccountid: string;
}

export const inbound: Inbound = {
  isPerApplication: true,
  verify({ body, headers }, secret) {
    const expected = createHmac('sha256', secret).update(body).digest();
    const given = Buffer.from(String(headers['intuit-signature'] ?? ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  },
  split(body) {
    const parsed = JSON.parse(body.toString('utf8')) as Notifications | CloudEvent[];
    return Array.isArray(parsed) ? parsed.flatMap(fromEvent) : parsed.eventNotifications.flatMap(fromOldBody);
  },
};

function fromEvent({ id, type, intuitentityid, intuitaccountid }: CloudEvent): InboundNotice[] {
  const [, entity = ''] = type.split('.');
  return toNotice({ realm: intuitaccountid, entity, id: intuitentityid, dedupeId: id });
}

function fromOldBody({
  realmId: realm,
  dataChangeEvent,
}: Notifications['eventNotifications'][number]): InboundNotice[] {
  return (dataChangeEvent?.entities ?? []).flatMap(({ name, id, operation, lastUpdated }) =>
    toNotice({ realm, entity: name, id, dedupeId: [realm, name, id, operation, lastUpdated].join('/') }),
  );
}

function toNotice({
  realm,
  entity,
  id,
  dedupeId,
}: {
  realm: string;
  entity: string;
  id: string;
  dedupeId: string;
}): InboundNotice[] {
  const stream = STREAMS[entity.toLowerCase()];
  if (stream === undefined) return [];
  // The id becomes a part of a query.
  const hint = /^\d{1,30}$/.test(id) ? { hint: id } : {};
  return [{ externalAccount: String(realm), dedupeId: String(dedupeId), stream, ...hint }];
}
