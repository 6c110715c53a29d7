import { createHmac, timingSafeEqual } from 'node:crypto';

/** Returns the event if this secret signed it within the last 5 minutes. @throws {Error} if not */
export function verify(secret: string, headers: Record<string, unknown>, body: Buffer) {
  const { 'webhook-id': id, 'webhook-timestamp': sent, 'webhook-signature': signatures } = headers;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const own = createHmac('sha256', key).update(`${id}.${sent}.`).update(body).digest('base64');
  const expected = Buffer.from(`v1,${own}`);
  const isOwn = (one: Buffer) => one.length === expected.length && timingSafeEqual(one, expected);
  const isSigned = `${signatures}`.split(' ').some((one) => isOwn(Buffer.from(one)));
  const isFresh = Math.abs(Date.now() / 1000 - Number(sent)) <= 300;
  if (key.length < 24 || !isSigned || !isFresh) throw new Error('not from Tow Dispatch, or too old');
  return JSON.parse(body.toString());
}
