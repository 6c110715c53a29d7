import { createHash } from 'node:crypto';
import { buildLogoSizeAttributes, escapeHtml } from '../../../shared/documents/document-html.js';
import type { LogoRef } from '../../../shared/documents/document-rows.js';
import { PAGE_HEADERS } from '../page-html.js';
import { toTelHref } from '../to-tel-href.js';
import { TRACKING_SCRIPT } from './tracking-script.js';
import { TRACKING_STYLE } from './tracking-style.js';
import { STEP_LABELS, type TrackingLetterhead, type TrackingState } from './tracking-view.js';
import { MAX_RADIUS, PLAN_SIZE, type PlanPoint } from './truck-position.js';

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Headers of the tracking page. Unlike the invoice page, this page may run the one script with this
 * hash. The script may read `/t/{token}/state`.
 */
export const TRACKING_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': [
    "default-src 'none'",
    "img-src 'self'",
    `style-src ${hash(TRACKING_STYLE)}`,
    `script-src ${hash(TRACKING_SCRIPT)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

interface TrackingPage {
  letterhead: TrackingLetterhead;
  logo: LogoRef | null;
  state: TrackingState;
  /** The path of this page. */
  path: string;
}

export function renderTrackingPage({ letterhead, logo, state, path }: TrackingPage): string {
  const { company, phone, greeting, isTest } = letterhead;
  const { texts } = state;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex, nofollow, noarchive">',
    `<title>Your request at ${escapeHtml(company)}</title><style>${TRACKING_STYLE}</style></head>`,
    `<body><main data-state="${state.state}" data-ended="${state.has_ended}">`,
    isTest ? '<p class="test">Test: no truck will come</p>' : '',
    // `alt` is empty, because the company's name follows as text.
    logo ? `<img class="logo" src="${path}/logo" ${buildLogoSizeAttributes(logo)} alt="">` : '',
    `<p class="sender">${escapeHtml(company)}</p>`,
    phone ? renderPhone(phone) : '',
    `<h1>${escapeHtml(greeting)}</h1>`,
    '<p class="lost" data-part="lost" hidden>No connection. This page shows what was known last.</p>',
    // This is the only live region, so screen readers announce a new state and nothing else.
    `<p class="headline" role="status" data-part="headline">${escapeHtml(texts.headline)}</p>`,
    renderText('eta', texts.eta, 'eta'),
    renderText('eta_in', texts.eta_in, 'eta'),
    renderText('estimate', state.estimate),
    renderSteps(state.steps),
    renderText('truck', texts.truck, 'truck'),
    renderPlan(state.plan),
    renderText('position', texts.position),
    renderText('vehicle', texts.vehicle),
    renderText('updated', texts.updated, 'soft'),
    `<noscript><p><a href="${path}">Read again</a></p></noscript>`,
    `</main><script>${TRACKING_SCRIPT}</script></body></html>`,
  ].join('\n');
}

function renderText(
  name: keyof TrackingState['texts'] | 'estimate',
  text: string | null,
  className: string = name,
): string {
  const hidden = text === null ? ' hidden' : '';
  return `<p class="${className}" data-part="${name}"${hidden}>${escapeHtml(text ?? '')}</p>`;
}

/** Renders the company's phone number, as a link if a phone can dial the number. */
function renderPhone(phone: string): string {
  const href = toTelHref(phone);
  const text = escapeHtml(phone);
  return `<p class="call">${href === null ? text : `<a href="${href}">Call ${text}</a>`}</p>`;
}

function renderSteps(steps: TrackingState['steps']): string {
  const items = Object.values(STEP_LABELS).map((label, index) => {
    const { mark, word } = steps[index] ?? { mark: 'left_out', word: '' };
    const current = mark === 'current' ? ' aria-current="step"' : '';
    return `<li data-mark="${mark}"${current}><span>${label}</span><span>${word}</span></li>`;
  });
  const hidden = steps.every(({ mark }) => mark === 'left_out') ? ' hidden' : '';
  // Without the role, Safari does not announce a list without bullets as a list.
  return `<ol role="list" aria-label="Progress" data-part="steps"${hidden}>${items.join('')}</ol>`;
}

/**
 * Renders a small plan. The motorist's vehicle is in the centre, and north is at the top. The
 * truck's mark shows the truck's direction. Screen readers skip the plan, because the sentence
 * below contains the same facts.
 */
function renderPlan(plan: PlanPoint | null): string {
  const centre = PLAN_SIZE / 2;
  const { x, y } = plan ?? { x: centre, y: centre };
  const rings = [MAX_RADIUS / 2, MAX_RADIUS].map(
    (radius) => `<circle class="ring" cx="${centre}" cy="${centre}" r="${radius}"/>`,
  );
  return [
    `<svg data-part="plan" viewBox="0 0 ${PLAN_SIZE} ${PLAN_SIZE}" width="${PLAN_SIZE}" height="${PLAN_SIZE}" aria-hidden="true"${plan ? '' : ' hidden'}>`,
    ...rings,
    `<text class="north" x="${centre}" y="16">N</text>`,
    `<line class="way" data-part="plan-way" x1="${centre}" y1="${centre}" x2="${x}" y2="${y}"/>`,
    `<circle class="you" cx="${centre}" cy="${centre}" r="6"/>`,
    `<path class="wheels" data-part="plan-truck" transform="translate(${x} ${y})" d="M-11-6h13v9h-13zM3-3h5l4 4v5H3zM-9 5h4v3h-4zM4 5h4v3H4z"/>`,
    '</svg>',
  ].join('');
}
