import { dollars, type InvoiceDocument } from './document.js';
import { escapeHtml } from './document-html.js';
import type { MessageContent, ViewLink } from './invoice-message.js';

/**
 * A payment that the customer has to make again:
 * - `debit_returned`: a bank debit whose money did not arrive, or went back.
 * - `charge_failed`: an automatic charge that the bank declined for the last time.
 */
export interface FailedPayment {
  kind: 'debit_returned' | 'charge_failed';
  amountCents: number;
  /** The code that the vendor gave as the reason. */
  reason: string | null;
}

/**
 * Sentences for the reasons that customers may learn. Other reasons concern the company and its
 * vendor.
 */
const REASONS: Readonly<Record<string, string>> = {
  insufficient_funds: 'The account had too little money.',
  incorrect_account_details: 'The details of the account are wrong.',
  debit_not_authorized: 'The bank has no permission for the debit.',
  account_closed: 'The account is closed.',
  expired_card: 'The card has expired.',
  authentication_required: 'Your bank wants you to confirm the payment yourself.',
};

const SUBJECTS = {
  debit_returned: 'Your bank returned the payment of',
  charge_failed: 'We could not charge',
} as const;

function describe({ kind, amountCents, reason }: FailedPayment, number: string): string {
  const why = REASONS[reason ?? ''] ?? '';
  const what =
    kind === 'debit_returned'
      ? `Your bank returned the debit of ${dollars(amountCents)} for invoice ${number}.`
      : `We could not charge ${dollars(amountCents)} for invoice ${number} to the payment method that you have saved.`;
  return `${what} ${why}`.trim();
}

/** Writes the mail that tells a customer that a payment has failed, and how to pay again. */
export function writeFailedPayment(
  { number, sender, contact, mark, balance }: InvoiceDocument,
  { url, until }: ViewLink,
  payment: FailedPayment,
): MessageContent {
  const subject = `${SUBJECTS[payment.kind]} invoice ${number} from ${sender}`;
  const facts = describe(payment, number);
  const open = `${balance} of the invoice are open. Please pay again, or in another way.`;
  const end = `The link works until ${until}.`;
  return {
    subject: mark ? `[${mark}] ${subject}` : subject,
    body_text: [
      ...(mark ? [mark, ''] : []),
      sender,
      ...contact,
      '',
      facts,
      open,
      '',
      `See and pay the invoice: ${url}`,
      end,
    ].join('\n'),
    body_html: [
      '<!doctype html>',
      `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>`,
      '<body style="margin:0;padding:24px;font-family:Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5;color:#222222">',
      '<div style="max-width:640px;margin:0 auto">',
      ...(mark ? [`<p style="padding:8px;background:#fff3cd;font-weight:bold">${escapeHtml(mark)}</p>`] : []),
      `<p style="font-weight:bold">${escapeHtml(sender)}</p>`,
      `<p>${escapeHtml(facts)}</p><p>${escapeHtml(open)}</p>`,
      `<p><a href="${escapeHtml(url)}" style="display:inline-block;padding:10px 18px;background:#1a4f8b;color:#ffffff;text-decoration:none">See and pay the invoice</a></p>`,
      `<p style="color:#555555;font-size:13px;overflow-wrap:anywhere">Or open ${escapeHtml(url)} in a browser. ${escapeHtml(end)}</p>`,
      '</div></body></html>',
    ].join('\n'),
  };
}
