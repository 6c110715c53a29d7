import type { InvoiceDocument } from './document.js';
import { type DocumentPart, escapeHtml, renderInvoiceHtml, type StyleAttributeFor } from './document-html.js';
import { fillPlaceholders } from './wording.js';

export interface MessageContent {
  subject: string | null;
  body_text: string;
  body_html: string | null;
}

/** The text for `{due_date}` if the invoice is due at once. */
const NO_DUE_DATE = 'upon receipt';

/** The link to the invoice page. `until` is the day on which the link expires, as text. */
export interface ViewLink {
  url: string;
  until: string;
}

const AMOUNT = 'text-align:right;white-space:nowrap;vertical-align:top';

const STYLES: Readonly<Record<DocumentPart, string>> = {
  mark: 'padding:8px;background:#fff3cd;font-weight:bold',
  logo: 'display:block;margin:0 0 12px;border:0',
  sender: 'margin:0;font-weight:bold',
  contact: 'margin:0;color:#555555;font-size:13px',
  title: 'margin:16px 0;font-size:22px',
  table: 'width:100%;border-collapse:collapse;margin:0 0 16px',
  label:
    'text-align:left;font-weight:normal;color:#555555;padding:2px 12px 2px 0;vertical-align:top;width:90px;white-space:nowrap',
  value: 'padding:2px 0;vertical-align:top',
  head: 'text-align:left;border-bottom:2px solid #222222;padding:4px 8px 4px 0',
  headAmount: 'text-align:right;border-bottom:2px solid #222222;padding:4px 0',
  cell: 'padding:6px 8px 6px 0;vertical-align:top;border-bottom:1px solid #dddddd',
  amount: `${AMOUNT};padding:6px 0;border-bottom:1px solid #dddddd`,
  note: 'color:#555555;font-size:13px',
  sum: 'text-align:left;font-weight:normal;padding:2px 8px 2px 0',
  sumAmount: `${AMOUNT};padding:2px 0`,
  balance: 'text-align:left;font-weight:bold;padding:6px 8px 6px 0;border-top:2px solid #222222',
  balanceAmount: `${AMOUNT};font-weight:bold;padding:6px 0;border-top:2px solid #222222`,
  pay: 'padding:12px 16px;background:#f4f4f4;margin:0 0 16px',
  payHead: 'margin:0 0 6px;font-size:16px',
  payText: 'margin:0 0 6px',
};

/**
 * Content-ID of the logo in a mail. The mail contains the logo, so opening the mail requests no
 * picture from a server.
 */
export const LOGO_CONTENT_ID = 'account-logo';
const LOGO_URL = `cid:${LOGO_CONTENT_ID}`;

/** Removes the logo from the HTML of a mail, if the mail has a logo. */
export function removeLogo(html: string): string {
  const url = html.indexOf(`"${LOGO_URL}"`);
  if (url < 0) return html;
  return html.slice(0, html.lastIndexOf('<img ', url)) + html.slice(html.indexOf('>', url) + 1);
}

const inlineStyle: StyleAttributeFor = (part) => `style="${STYLES[part]}"`;

export function writeEmail(document: InvoiceDocument, link: ViewLink): MessageContent {
  const subject = fillIn(document, link, 'mail_subject') ?? `${document.title} from ${document.sender}`;
  const opening = fillIn(document, link, 'mail_text');
  return {
    subject: document.mark ? `[${document.mark}] ${subject}` : subject,
    body_text: emailText(document, link, opening),
    body_html: emailHtml(document, link, opening),
  };
}

/** Returns the account's own text about an invoice; undefined if the account has none. */
function fillIn(
  { wording, sender, number, balance, due }: InvoiceDocument,
  { url }: ViewLink,
  name: keyof InvoiceDocument['wording'],
): string | undefined {
  const text = wording[name];
  if (text === null) return undefined;
  const facts = { company: sender, invoice_number: number, balance, due_date: due ?? NO_DUE_DATE, link: url };
  return fillPlaceholders(text, facts);
}

function emailText(document: InvoiceDocument, { url, until }: ViewLink, opening: string | undefined): string {
  const { facts, billTo, lines, sums, mark, title, sender, contact, howToPay } = document;
  return [
    ...(mark ? [mark, ''] : []),
    ...(opening ? [opening, ''] : []),
    `${title} from ${sender}`,
    ...contact,
    '',
    ...facts.map(([label, value]) => `${label}: ${value}`),
    ...(billTo.length > 0 ? [`Bill to: ${billTo.join(', ')}`] : []),
    '',
    ...lines.flatMap(({ name, description, quantity, price, total }) => [
      `${name}: ${quantity} x ${price} = ${total}`,
      ...(description ? [`  ${description.replace(/\r?\n/g, '\n  ')}`] : []),
    ]),
    '',
    ...sums.map(([label, value]) => `${label}: ${value}`),
    '',
    ...(howToPay.length > 0 ? ['How to pay', ...howToPay, ''] : []),
    `See the invoice: ${url}`,
    `The link works until ${until}.`,
  ].join('\n');
}

function emailHtml(document: InvoiceDocument, { url, until }: ViewLink, opening: string | undefined): string {
  const escapedUrl = escapeHtml(url);
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(document.title)}</title></head>`,
    '<body style="margin:0;padding:24px;font-family:Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5;color:#222222">',
    '<div style="max-width:640px;margin:0 auto">',
    ...(opening ? [`<p style="margin:0 0 16px;white-space:pre-line">${escapeHtml(opening)}</p>`] : []),
    renderInvoiceHtml(document, inlineStyle, LOGO_URL),
    `<p><a href="${escapedUrl}" style="display:inline-block;padding:10px 18px;background:#1a4f8b;color:#ffffff;text-decoration:none">See the invoice</a></p>`,
    `<p style="color:#555555;font-size:13px;overflow-wrap:anywhere">Or open ${escapedUrl} in a browser. The link works until ${escapeHtml(until)}.</p>`,
    '</div></body></html>',
  ].join('\n');
}

export function writeText(document: InvoiceDocument, link: ViewLink): MessageContent {
  const { sender, number, balance, due, mark } = document;
  const prefix = mark ? `${mark}. ` : '';
  const usual = () => `${sender}: invoice ${number}, ${balance}${due ? `, due ${due}` : ''}. ${link.url}`;
  return {
    subject: null,
    body_text: prefix + (fillIn(document, link, 'sms_text') ?? usual()),
    body_html: null,
  };
}
