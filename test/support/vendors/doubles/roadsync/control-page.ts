import type { ServerResponse } from 'node:http';
import { escapeText, sendPage } from '../../books/page.js';
import type { RoadSyncCompany, RoadSyncInvoice } from './company.js';

/** What a person at RoadSync or at the motor club can do, by the name of the button. */
const ACTIONS: Readonly<
  Record<string, (company: RoadSyncCompany, invoice: RoadSyncInvoice, reason: string) => void>
> = {
  Accept: (company, invoice) => company.accept(invoice),
  Deny: (company, invoice, reason) => company.deny(invoice, reason || undefined),
  Pay: (company, invoice) => company.pay(invoice),
  'Pay half': (company, invoice) => company.pay(invoice, Math.round(company.totalCents(invoice) / 2)),
  'Mark as paid': (company, invoice) => company.markAsPaid(invoice),
  Expire: (company, invoice) => company.expire(invoice),
  Void: (company, invoice) => company.voidInvoice(invoice, 'requestedbycustomer'),
  'Give an unknown status': (company, invoice) => company.setStatus(invoice, 'underaudit'),
};

/** Serves `/double/`, where a person plays the motor club: accepts, denies and pays invoices. */
export function serveControlPage(
  companies: readonly RoadSyncCompany[],
  { method, body, response }: { method: string; body: string; response: ServerResponse },
): void {
  if (method === 'POST') {
    runAction(companies, new URLSearchParams(body));
    response.writeHead(303, { location: '/double/' }).end();
    return;
  }
  sendPage(response, 'RoadSync double', companies.map(renderCompany).join(''));
}

/** A paid or void invoice offers no actions, because nothing changes it any more. */
function isOpen({ status, deletedAt }: RoadSyncInvoice): boolean {
  return deletedAt === undefined && !['completed', 'markedaspaid'].includes(status);
}

function runAction(companies: readonly RoadSyncCompany[], form: URLSearchParams): void {
  const company = companies.find(({ id }) => id === form.get('company'));
  const invoice = company?.invoices.find(({ id }) => id === form.get('invoice'));
  if (company && invoice && isOpen(invoice))
    ACTIONS[form.get('action') ?? '']?.(company, invoice, form.get('reason') ?? '');
}

function renderCompany(company: RoadSyncCompany): string {
  const places = company.locations.map(({ id, name }) => `${name} (${id})`).join(', ');
  const rows = company.invoices.toReversed().map((invoice) => renderRow(company, invoice));
  return `<section><h2>Company ${escapeText(company.id)}</h2><p>Locations: ${escapeText(places)}</p>
    <p><a href="/double/">Refresh</a></p>
    <table><thead><tr><th>Invoice</th><th>Payer</th><th>Total</th><th>Status</th><th>Sent</th><th>Files</th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table></section>`;
}

function renderRow(company: RoadSyncCompany, invoice: RoadSyncInvoice): string {
  const { id, invoiceNumber, content, status, failedReason, deletedAt, sends, attachments } = invoice;
  const state = deletedAt === undefined ? status : 'void';
  const cells = [
    invoiceNumber,
    content.name,
    `$${(company.totalCents(invoice) / 100).toFixed(2)}`,
    failedReason === undefined ? state : `${state}: ${failedReason}`,
    sends.length,
    attachments.map(({ name }) => name).join(', '),
  ].map((cell) => `<td>${escapeText(String(cell))}</td>`);
  const buttons = Object.keys(ACTIONS).map(
    (action) => `<button name="action" value="${action}">${action}</button>`,
  );
  const form = `<form method="post"><input type="hidden" name="company" value="${escapeText(company.id)}"><input type="hidden" name="invoice" value="${id}"><input name="reason" aria-label="Reason" placeholder="Reason for denying"> ${buttons.join(' ')}</form>`;
  return `<tr>${cells.join('')}<td>${isOpen(invoice) ? form : ''}</td></tr>`;
}
