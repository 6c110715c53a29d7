import type { StripeAccount, StripeObject } from './stripe-account.js';
import { refuse } from './stripe-refusal.js';

/**
 * Stores a file with evidence for a dispute.
 * @throws {StripeRefusal} if the file is no PDF
 */
export function takeFile(account: StripeAccount, body: string): StripeObject {
  const purpose = /name="purpose"\r\n\r\n(\w+)/.exec(body)?.[1];
  const filename = /filename="([^"]+)"/.exec(body)?.[1];
  if (purpose !== 'dispute_evidence' || !body.includes('\r\n\r\n%PDF-')) throw refuse('Invalid file.');
  return account.add('file', { purpose, filename, size: body.length, type: 'pdf' });
}
