import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { DRIVERS_STREAM, VEHICLES_STREAM } from '../../contract/telematics.js';
import { isObject } from '../../contract/values/read-values.js';
import type { Inbound, InboundNotice } from '../../contract/vendor.js';

/** Copies of a webhook that arrive within this time are one webhook. */
const COPIES_MS = 10_000;

/**
 * Verifies the header X-KT-Webhook-Signature: the HMAC-SHA1 of the body, in hexadecimal digits. It
 * covers no time, so a copied webhook verifies later too. It then only makes the worker read.
 */
export function verifyMotiveSignature({
  signature,
  body,
  secret,
}: {
  signature: unknown;
  body: Buffer;
  secret: string;
}): boolean {
  const [hex = ''] = /^[0-9a-f]{40}$/i.exec(String(signature ?? '')) ?? [];
  const expected = createHmac('sha1', secret).update(body).digest();
  const given = Buffer.from(hex, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * The stream to read after an action. Other actions need nothing. Positions are polled: a stored
 * notice for each of them would leave an audit entry for each.
 */
const STREAMS: Readonly<Record<string, string>> = {
  vehicle_upserted: VEHICLES_STREAM,
  user_upserted: DRIVERS_STREAM,
  inspection_report_upserted: 'inspections',
};

export const inbound: Inbound = {
  isPerApplication: false,
  verify: ({ body, headers }, secret) =>
    verifyMotiveSignature({ signature: headers['x-kt-webhook-signature'], body, secret }),
  split: (body) => toNotices(body, JSON.parse(body.toString('utf8')) as unknown),
};

/**
 * Finds the streams that a webhook concerns. Its body is one event or a list of events. A list may
 * also contain names of actions alone. An event has no id of its own, so the bytes identify it.
 * The same change may come again later as the same bytes. It is then a new webhook.
 */
function toNotices(body: Buffer, content: unknown): InboundNotice[] {
  if (typeof content !== 'object' || content === null) throw new Error('the webhook is no event');
  const events: unknown[] = Array.isArray(content) ? content : [content];
  const streams = new Set(events.flatMap(findStream));
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const time = Math.floor(Date.now() / COPIES_MS);
  return [...streams].map((stream) => ({
    externalAccount: null,
    dedupeId: `${stream}/${hash}/${time}`,
    stream,
  }));
}

function findStream(event: unknown): string[] {
  const { action }: { action?: unknown } = isObject(event) ? event : { action: event };
  const name = typeof action === 'string' ? action : '';
  const stream = Object.hasOwn(STREAMS, name) ? STREAMS[name] : undefined;
  return stream === undefined ? [] : [stream];
}
