import { createHash } from 'node:crypto';
import type { InvoiceDocument } from '../../shared/documents/document.js';
import {
  escapeHtml,
  renderInvoiceHtml,
  type StyleAttributeFor,
} from '../../shared/documents/document-html.js';

const STYLE = `body{margin:0;padding:16px;font-family:system-ui,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5;color:#222;background:#f4f4f4}
main{max-width:720px;margin:0 auto;padding:24px;background:#fff;border:1px solid #ddd;overflow-wrap:break-word}
@media (max-width:480px){body{padding:0}main{padding:16px;border:0}}
h1{margin:24px 0 16px;font-size:1.5em}
h2{margin:0 0 8px;font-size:1.1em}
table{width:100%;border-collapse:collapse;margin:0 0 24px;table-layout:fixed}
th,td{text-align:left;padding:4px 8px 4px 0;vertical-align:top}
.label,.sum{font-weight:normal}.label{color:#555;width:6.5em}
.head,.headAmount{border-bottom:2px solid #222}
.cell,.amount{padding-top:8px;padding-bottom:8px;border-bottom:1px solid #ddd}
.amount,.headAmount,.sumAmount,.balanceAmount{text-align:right;white-space:nowrap;padding-right:0;font-variant-numeric:tabular-nums}
.headAmount,.amount,.sumAmount,.balanceAmount{width:9em}
.note{color:#555;font-size:.85em}
.balance,.balanceAmount{border-top:2px solid #222;font-weight:bold}
.mark{padding:8px;background:#fff3cd;font-weight:bold}
.logo{display:block;max-width:100%;height:auto;margin:0 0 12px}
.sender{margin:0;font-weight:bold;font-size:1.1em}
.contact{margin:0;color:#555}
.pay{margin:0 0 24px;padding:16px;background:#f4f4f4}
.pay p{margin:0 0 8px}
a{color:#1a4f8b}
.payNow{padding:12px 24px;font:inherit;font-weight:bold;color:#fff;background:#1a4f8b;border:0;border-radius:4px;cursor:pointer}
@media print{body,main{background:none;border:0;padding:0}.screen{display:none}}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * Builds a Content-Security-Policy. It allows pictures from this host, such as the account's logo,
 * and the one style sheet with this hash.
 * @param formAction the hosts to which the page may send a form
 */
const buildPolicy = (formAction: "'none'" | "'self'") =>
  `default-src 'none'; img-src 'self'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`;

/** Headers that keep the secret link out of caches, search engines, frames and Referer headers. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': buildPolicy("'none'"),
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Headers for a page with a form. Unlike {@link PAGE_HEADERS}, these headers let the browser send
 * the form to this host.
 */
export const FORM_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': buildPolicy("'self'"),
};

const toClassAttribute: StyleAttributeFor = (part) => `class="${part}"`;

/**
 * @param path the path of this page; the paths of the PDF, the logo and the payment begin with it
 * @param canPayOnline true if the page shows the button that leads to the payments vendor
 */
export function renderInvoicePage(
  document: InvoiceDocument,
  { path, canPayOnline }: { path: string; canPayOnline: boolean },
): string {
  const payButton = `<form class="screen" method="post" action="${path}/pay"><button class="payNow">Pay ${escapeHtml(document.balance)} online</button></form>`;
  return renderPage(`${document.title} from ${document.sender}`, [
    renderInvoiceHtml(document, toClassAttribute, `${path}/logo`),
    ...(canPayOnline ? [payButton] : []),
    `<p class="screen"><a href="${path}/pdf">Open as PDF</a></p>`,
  ]);
}

export function renderExplanationPage(title: string, text: string): string {
  return renderPage(title, [`<h1>${escapeHtml(title)}</h1>`, `<p>${escapeHtml(text)}</p>`]);
}

/** Renders a page with a button, which sends a POST to the page's own address. */
export function renderConfirmationPage(title: string, text: string, button: string): string {
  return renderPage(title, [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(text)}</p>`,
    `<form method="post"><button>${escapeHtml(button)}</button></form>`,
  ]);
}

/** A button of a page, and the value that its form sends to the page's own address. */
export interface PageChoice {
  name: string;
  value: string;
  label: string;
}

/** Renders a page with several buttons. Each button sends a POST to the page's own address. */
export function renderChoicePage(title: string, text: string, choices: readonly PageChoice[]): string {
  const buttons = choices.map(
    ({ name, value, label }) =>
      `<p><button class="payNow" name="${escapeHtml(name)}" value="${escapeHtml(value)}">${escapeHtml(label)}</button></p>`,
  );
  return renderPage(title, [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(text)}</p>`,
    `<form method="post">${buttons.join('')}</form>`,
  ]);
}

/**
 * Renders a page that leads to another host. A redirect after the form's POST would fail, because
 * `form-action` of the Content-Security-Policy also covers redirects.
 */
export function renderForwardPage(title: string, url: string): string {
  const address = escapeHtml(url);
  return renderPage(
    title,
    [
      `<h1>${escapeHtml(title)}</h1>`,
      `<p><a href="${address}" rel="noreferrer">Continue to the payment</a></p>`,
    ],
    `<meta http-equiv="refresh" content="0;url=${address}">`,
  );
}

function renderPage(title: string, body: string[], head = ''): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="robots" content="noindex, nofollow, noarchive">${head}<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>`,
    `<body><main>${body.join('\n')}</main></body></html>`,
  ].join('\n');
}
