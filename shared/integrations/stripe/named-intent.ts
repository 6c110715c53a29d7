import { readOwnId } from '../contract/read-own-id.js';

/** The PaymentIntent of a refund or dispute: an id, the expanded object, or null. */
export type NamedIntent = string | { id: string; metadata: Record<string, string> } | null;

export function readIntentId(intent: NamedIntent): string {
  return (typeof intent === 'object' ? intent?.id : intent) ?? '';
}

/** True if the payment belongs to one of our invoices. The payment must be expanded. */
export function isOfInvoice({ payment_intent: intent }: { payment_intent: NamedIntent }): boolean {
  return typeof intent === 'object' && intent !== null && readOwnId(intent.metadata.invoice_id) !== null;
}
