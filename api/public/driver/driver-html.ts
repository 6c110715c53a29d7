import { escapeHtml } from '../../../shared/documents/document-html.js';
import { PAGE_HEADERS } from '../page-html.js';
import type { DriverState, Fact } from './driver-contract.js';

/**
 * Headers of the driver's page. Unlike other pages behind a link, it runs scripts: the files of its
 * build and its service worker, all of this origin. `blob:` is for pictures before they are sent.
 */
export const DRIVER_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Permissions-Policy': 'camera=(), microphone=(), payment=()',
};

/** Stands in the built page where the server writes what it knows of the work order. */
const CONTENT_MARK = '<!--content-->';
const STATE_MARK = '"__STATE__"';

/**
 * Writes the work order into the built page, so that it can be read before its script has loaded.
 * @param state undefined for the page without a work order, which the phone keeps for times without
 * a network
 */
export function renderDriverPage(builtPage: string, state: DriverState | undefined): string {
  // The script reads the state from an element that browsers do not run.
  const json = JSON.stringify(state ?? null).replaceAll('<', '\\u003c');
  return builtPage
    .replace(CONTENT_MARK, () => (state ? renderContent(state) : ''))
    .replace(STATE_MARK, () => json);
}

function renderContent({ number, company, facts }: DriverState): string {
  return [
    `<p class="sender">${escapeHtml(company)}</p><h1>${escapeHtml(number)}</h1>`,
    `<dl>${facts.map(renderFact).join('')}</dl>`,
    '<p>The buttons appear as soon as the page has loaded.</p>',
  ].join('');
}

function renderFact({ label, text, href }: Fact): string {
  const shown = href ? `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>` : escapeHtml(text);
  return `<div><dt>${escapeHtml(label)}</dt><dd>${shown}</dd></div>`;
}
