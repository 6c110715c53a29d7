import type { ServerResponse } from 'node:http';
import { escapeText, renderWebhookForm, sendPage } from '../../books/page.js';
import type { BooksCompany, EntityName } from './company.js';
import type { BooksSignIns } from './oauth.js';
import type { BooksWebhooks } from './webhook-sender.js';

/** The parts of the double that its pages show. */
interface ShownDouble {
  companies: ReadonlyMap<string, BooksCompany>;
  signIns: BooksSignIns;
  webhooks: BooksWebhooks;
  openCompany(): BooksCompany;
  void(company: BooksCompany, entity: EntityName, id: string): unknown;
  payInvoices(company: BooksCompany, parts: readonly { invoiceId: string; amount: number }[]): unknown;
}

interface PageRequest {
  method: string;
  body: string;
  response: ServerResponse;
}

/** Serves the sign-in page, where a person chooses the company to connect. */
export function serveSignIn(
  double: ShownDouble,
  { method, url, body, response }: PageRequest & { url: URL },
): void {
  if (method === 'POST') {
    const company =
      double.companies.get(new URLSearchParams(body).get('company') ?? '') ?? double.openCompany();
    response.writeHead(303, { location: double.signIns.permit(url.href, company) }).end();
    return;
  }
  const known = [...double.companies.values()].map(
    ({ realmId, name }) =>
      `<button name="company" value="${realmId}">Connect ${escapeText(name)} (${realmId})</button>`,
  );
  sendPage(
    response,
    'Sign in',
    `<form method="post">${known.join(' ')} <button name="company" value="">Connect a new company</button></form>`,
  );
}

/** Serves `/double/`, where a person plays the bookkeeper: pays invoices and voids records. */
export function serveControlPage(double: ShownDouble, { method, body, response }: PageRequest): void {
  if (method === 'POST') {
    runAction(double, new URLSearchParams(body));
    response.writeHead(303, { location: '/double/' }).end();
    return;
  }
  const webhook = renderWebhookForm(double.webhooks.target, 'Verifier token');
  const sections = [...double.companies.values()].map((company) => {
    const rows = (['Invoice', 'Payment'] as const).flatMap((entity) =>
      company.list(entity).map((record) => {
        const pay = Number(record.Balance) > 0 ? '<button name="action" value="pay">Pay</button> ' : '';
        const hidden = `<input type="hidden" name="realm" value="${company.realmId}"><input type="hidden" name="entity" value="${entity}"><input type="hidden" name="id" value="${record.Id}">`;
        return `<tr><td>${entity} ${record.Id}</td><td>${escapeText(String(record.DocNumber ?? ''))}</td><td>$${Number(record.TotalAmt).toFixed(2)}</td><td>${escapeText(String(record.Balance ?? ''))}</td><td><form method="post">${hidden}${pay}<button name="action" value="void">Void</button></form></td></tr>`;
      }),
    );
    const customers = company.list('Customer').map(({ DisplayName }) => escapeText(String(DisplayName)));
    return `<section><h2>${escapeText(company.name)} (${company.realmId})</h2><p>Customers: ${customers.join(', ')}</p><table><tbody>${rows.join('')}</tbody></table></section>`;
  });
  sendPage(response, 'QuickBooks double', `${webhook}${sections.join('')}`);
}

function runAction(double: ShownDouble, form: URLSearchParams): void {
  if (form.has('url'))
    double.webhooks.target = { url: form.get('url') ?? '', token: form.get('token') ?? '' };
  const company = double.companies.get(form.get('realm') ?? '');
  const entity = form.get('entity') === 'Payment' ? 'Payment' : 'Invoice';
  const record = company?.find(entity, form.get('id'));
  if (!company || !record) return;
  if (form.get('action') === 'void') double.void(company, entity, record.Id);
  if (form.get('action') === 'pay')
    double.payInvoices(company, [{ invoiceId: record.Id, amount: Number(record.Balance) }]);
}
