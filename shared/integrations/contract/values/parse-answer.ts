import type { VendorResponse } from '../connection.js';
import { VendorError } from '../vendor-error.js';

/** Parses the JSON object or list of a body. Returns undefined if the body is anything else. */
export function readJson(body: Buffer): object | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Parses the JSON object or list of a vendor's answer.
 * @param options.isRead false if the request may have changed something at the vendor
 * @throws {VendorError} if the answer is anything else: `again` after a read, otherwise
 * `unknown_outcome`
 */
export function parseAnswer<T>(
  { status, body }: VendorResponse,
  { vendor, isRead }: { vendor: string; isRead: boolean },
): T {
  const answer = readJson(body);
  if (answer !== undefined) return answer as T;
  throw new VendorError(`${vendor} answered ${status} without JSON.`, {
    kind: isRead ? 'again' : 'unknown_outcome',
    code: 'not_json',
  });
}
