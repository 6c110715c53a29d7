import type { ServerResponse } from 'node:http';
import { escapeText, renderWebhookForm, sendPage } from '../../books/page.js';
import type { XeroOrganisation } from './organisation.js';
import type { XeroPerson, XeroSignIns } from './sign-ins.js';
import type { XeroWebhooks } from './webhook-sender.js';

/** The parts of the double that its pages show. */
interface ShownDouble {
  organisations: ReadonlyMap<string, XeroOrganisation>;
  signIns: XeroSignIns;
  webhooks: XeroWebhooks;
  /** The person who signs in by the page. */
  visitor: XeroPerson;
  openOrganisation(): XeroOrganisation;
  payInvoice(organisation: XeroOrganisation, invoiceId: string, amount: number): unknown;
  voidInvoice(organisation: XeroOrganisation, invoiceId: string): unknown;
  deletePayment(organisation: XeroOrganisation, paymentId: string): unknown;
}

interface PageRequest {
  method: string;
  body: string;
  response: ServerResponse;
}

/** Serves the sign-in page, where a person chooses the organisation to connect. */
export function serveSignIn(
  double: ShownDouble,
  { method, url, body, response }: PageRequest & { url: URL },
): void {
  if (method === 'POST') {
    const organisation =
      double.organisations.get(new URLSearchParams(body).get('organisation') ?? '') ??
      double.openOrganisation();
    response
      .writeHead(303, { location: double.signIns.permit(url.href, organisation, double.visitor) })
      .end();
    return;
  }
  const known = [...double.organisations.values()].map(
    ({ tenantId, name, isDemo }) =>
      `<button name="organisation" value="${tenantId}">Connect ${escapeText(name)}${isDemo ? ' (demo)' : ''}</button>`,
  );
  const fresh = '<button name="organisation" value="">Connect a new organisation</button>';
  sendPage(response, 'Sign in', `<form method="post">${known.join(' ')} ${fresh}</form>`);
}

/** Serves `/double/`, where a person plays the bookkeeper: pays invoices and removes records. */
export function serveControlPage(double: ShownDouble, { method, body, response }: PageRequest): void {
  if (method === 'POST') {
    runAction(double, new URLSearchParams(body));
    response.writeHead(303, { location: '/double/' }).end();
    return;
  }
  const sections = [...double.organisations.values()].map(renderOrganisation);
  const webhook = renderWebhookForm(double.webhooks.target, 'Webhook key');
  sendPage(response, 'Xero double', `${webhook}${sections.join('')}`);
}

function renderOrganisation(organisation: XeroOrganisation): string {
  const { name, tenantId } = organisation;
  const form = (id: unknown, actions: readonly string[]) =>
    `<form method="post"><input type="hidden" name="organisation" value="${tenantId}"><input type="hidden" name="id" value="${String(id)}">${actions
      .map((action) => `<button name="action" value="${action}">${action}</button>`)
      .join(' ')}</form>`;
  const row = (cells: readonly unknown[], last: string) =>
    `<tr>${cells.map((cell) => `<td>${escapeText(String(cell ?? ''))}</td>`).join('')}<td>${last}</td></tr>`;
  const invoices = organisation
    .list('Invoices')
    .map(({ InvoiceID, InvoiceNumber, Status, Total, AmountDue }) =>
      row([InvoiceNumber, Status, Total, AmountDue], form(InvoiceID, ['pay', 'void'])),
    );
  const payments = organisation
    .list('Payments')
    .map(({ PaymentID, Reference, Status, Amount }) =>
      row([Reference, Status, Amount, ''], form(PaymentID, ['delete'])),
    );
  const contacts = organisation.list('Contacts').map(({ Name }) => escapeText(String(Name)));
  return `<section><h2>${escapeText(name)}</h2><p>Contacts: ${contacts.join(', ')}</p><table><tbody>${[...invoices, ...payments].join('')}</tbody></table></section>`;
}

/** What Xero would refuse changes nothing. */
function runAction(double: ShownDouble, form: URLSearchParams): void {
  if (form.has('url'))
    double.webhooks.target = { url: form.get('url') ?? '', token: form.get('token') ?? '' };
  const organisation = double.organisations.get(form.get('organisation') ?? '');
  const id = form.get('id') ?? '';
  if (!organisation) return;
  const invoice = organisation.find('Invoices', id);
  const payment = organisation.find('Payments', id);
  if (form.get('action') === 'pay' && Number(invoice?.AmountDue) > 0)
    double.payInvoice(organisation, id, Number(invoice?.AmountDue));
  if (form.get('action') === 'void' && invoice?.Status === 'AUTHORISED' && invoice.AmountPaid === 0)
    double.voidInvoice(organisation, id);
  if (form.get('action') === 'delete' && payment?.Status === 'AUTHORISED')
    double.deletePayment(organisation, id);
}
