import type { StripeAccount, StripeObject } from './stripe-account.js';
import { refuse } from './stripe-refusal.js';

/**
 * Stores a file with evidence for a dispute.
 * @throws {StripeRefusal} if the file is no PDF
 */
export function takeFile(account: StripeAccount, bytes: Buffer): StripeObject {
  const body = bytes.toString('latin1');
  const purpose = /name="purpose"\r\n\r\n(\w+)/.exec(body)?.[1];
  const filename = /filename="([^"]+)"/.exec(body)?.[1];
  if (purpose !== 'dispute_evidence' || !body.includes('\r\n\r\n%PDF-')) throw refuse('Invalid file.');
  const file = account.add('file', { purpose, filename, size: bytes.length, type: 'pdf' });
  // Stripe's API never returns the content.
  Object.defineProperty(file, 'content', { value: bytes });
  return file;
}
