import { createHmac, timingSafeEqual } from 'node:crypto';
import { isUuid } from '../../../platform/ids.js';
import type { Inbound, InboundNotice } from '../../contract/vendor.js';

interface XeroEvent {
  resourceId: string;
  tenantId: string;
  eventCategory: string;
  eventType: string;
  eventDateUtc: string;
}

/** The beginning of a hint that names the invoice whose payments may have changed. */
export const INVOICE_HINT = 'invoice:';

export const inbound: Inbound = {
  isPerApplication: true,
  verify({ body, headers }, secret) {
    const expected = createHmac('sha256', secret).update(body).digest();
    const given = Buffer.from(String(headers['x-xero-signature'] ?? ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  },
  split(body) {
    const { events } = JSON.parse(body.toString('utf8')) as { events: XeroEvent[] };
    return events.flatMap(toNotices);
  },
};

/** Xero sends no events about payments: a payment changes its invoice. */
function toNotices(event: XeroEvent): InboundNotice[] {
  const { resourceId, eventCategory } = event;
  // The id becomes a part of a query.
  if (!isUuid(resourceId)) return [];
  if (eventCategory === 'CONTACT') return [toNotice(event, 'customers', resourceId)];
  if (eventCategory !== 'INVOICE') return [];
  return [
    toNotice(event, 'invoices', resourceId),
    toNotice(event, 'booked_payments', `${INVOICE_HINT}${resourceId}`),
  ];
}

function toNotice(
  { tenantId, eventCategory, resourceId, eventType, eventDateUtc }: XeroEvent,
  stream: string,
  hint: string,
): InboundNotice {
  const dedupeId = [stream, tenantId, eventCategory, resourceId, eventType, eventDateUtc].join('/');
  return { externalAccount: String(tenantId), dedupeId, stream, hint };
}
