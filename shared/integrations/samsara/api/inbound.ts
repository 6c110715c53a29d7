import { createHmac, timingSafeEqual } from 'node:crypto';
import { DRIVERS_STREAM, VEHICLES_STREAM } from '../../contract/telematics.js';
import type { Inbound, InboundNotice } from '../../contract/vendor.js';

/** Maximum age of a webhook. */
const TOLERANCE_SECONDS = 300;

interface SignedWebhook {
  signature: unknown;
  timestamp: unknown;
  body: Buffer;
  /** The secret as Samsara shows it: base64. */
  secret: string;
}

/**
 * Verifies the headers X-Samsara-Signature (`v1=…`) and X-Samsara-Timestamp. The signature is the
 * HMAC-SHA256 of `v1:{timestamp}:{body}`, in hexadecimal digits. Its key is the decoded secret.
 * @param now milliseconds since 1970
 */
export function verifySamsaraSignature(
  { signature, timestamp, body, secret }: SignedWebhook,
  now = Date.now(),
): boolean {
  const time = String(timestamp ?? '');
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > TOLERANCE_SECONDS) return false;
  const [, hex = ''] = /^v1=([0-9a-f]{64})$/i.exec(String(signature ?? '')) ?? [];
  const expected = createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`v1:${time}:`)
    .update(body)
    .digest();
  const given = Buffer.from(hex, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The stream to read after an event. Other events need nothing. */
const STREAMS: Readonly<Record<string, string>> = {
  DvirSubmitted: 'inspections',
  VehicleCreated: VEHICLES_STREAM,
  VehicleUpdated: VEHICLES_STREAM,
  DriverCreated: DRIVERS_STREAM,
  DriverUpdated: DRIVERS_STREAM,
};

interface SamsaraEvent {
  eventId: string;
  eventType: string;
  orgId?: number | string;
}

export const inbound: Inbound = {
  isPerApplication: false,
  verify: ({ body, headers }, secret) =>
    verifySamsaraSignature({
      signature: headers['x-samsara-signature'],
      timestamp: headers['x-samsara-timestamp'],
      body,
      secret,
    }),
  split: (body) => toNotices(JSON.parse(body.toString('utf8')) as Partial<SamsaraEvent>),
};

/**
 * Finds the stream that an event concerns. The copy of the record in the event may be outdated, so
 * the worker reads what the stream has since its cursor.
 */
function toNotices({ eventId, eventType, orgId }: Partial<SamsaraEvent>): InboundNotice[] {
  if (typeof eventType !== 'string') throw new Error('the webhook names no event type');
  const stream = Object.hasOwn(STREAMS, eventType) ? STREAMS[eventType] : undefined;
  if (stream === undefined) return [];
  if (typeof eventId !== 'string') throw new Error('the webhook names no event');
  return [{ externalAccount: orgId === undefined ? null : String(orgId), dedupeId: eventId, stream }];
}
