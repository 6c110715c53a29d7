import { escapeHtml } from '../../../shared/documents/document-html.js';
import { PAGE_HEADERS } from '../page-html.js';
import type { DriverState, EmbeddedState, Fact } from './driver-contract.js';

/**
 * Headers of the driver's page. Unlike the other pages behind links, this page runs scripts: its
 * built files and its service worker, all from this origin. `blob:` lets the page show pictures
 * before they are sent.
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

/** The text of the page for a link that does not work any more. */
export const LINK_ENDED = {
  title: 'This link has ended',
  text: 'This link is not valid, or the job has ended or was given to another driver. Ask your dispatcher for a new link.',
};

/** The server replaces this mark in the built page with the work order. */
const CONTENT_MARK = '<!--content-->';
const STATE_MARK = '"__STATE__"';

/**
 * Writes the work order into the built page, so that the driver can read it before the script has
 * loaded.
 */
export function renderDriverPage(builtPage: string, state: EmbeddedState): string {
  // The script reads the state from a data element, which browsers do not execute.
  const json = JSON.stringify(state).replaceAll('<', '\\u003c');
  return builtPage.replace(CONTENT_MARK, () => renderContent(state)).replace(STATE_MARK, () => json);
}

function renderContent(state: EmbeddedState): string {
  if (state === null) return '';
  if ('has_ended' in state) return `<h1>${LINK_ENDED.title}</h1><p>${LINK_ENDED.text}</p>`;
  return renderWorkOrder(state);
}

function renderWorkOrder({ number, company, facts }: DriverState): string {
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
