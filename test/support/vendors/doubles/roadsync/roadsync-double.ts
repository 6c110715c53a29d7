import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ContractCheck } from '../../contracts/contract-check.js';
import { type DoubleAnswer, type ReceivedCall, VendorDouble } from '../../contracts/vendor-double.js';
import { RoadSyncCompany, type RoadSyncInvoice } from './company.js';
import { serveControlPage } from './control-page.js';
import { findInvoices, MAX_LIMIT, renderInvoice, type TotalUnit, takePage } from './reads.js';
import { buildGatewayError, RoadSyncRefusal } from './refusal.js';
import {
  attachFile,
  cloneInvoice,
  createInvoice,
  patchInvoice,
  refundInvoice,
  sendInvoice,
  voidOnRequest,
} from './writes.js';

const INVOICES = '/v1/invoice/';
const COMPANY = '/company/v1';

const openContract = () =>
  ContractCheck.open('roadsync', [
    { file: 'company.json', pathPrefix: COMPANY },
    { file: 'openapi.json', pathPrefix: INVOICES.slice(0, -1) },
  ]);

/** The statuses that the contract lists for a read. The filter of the list knows more. */
const READ_STATUSES = ['new', 'processing', 'sent', 'failed', 'completed'];

/** What a call returns: invoices, which a test may garble, or another result. */
type Outcome = { status: number; invoices?: RoadSyncInvoice | RoadSyncInvoice[]; result?: unknown };

/**
 * Stands in for RoadSync's APIs of invoices and companies. It keeps companies in memory, and checks
 * every request and answer against RoadSync's contracts. As RoadSync, it knows no idempotency keys
 * and sends no webhooks.
 */
export class RoadSyncDouble extends VendorDouble {
  /** The requests so far. The name has `{id}` in the place of ids, the path has the ids. */
  readonly calls: { name: string; path: string; at: number; key: string; body: string }[] = [];
  readonly companies: RoadSyncCompany[] = [];
  totalUnit: TotalUnit = 'whole_dollars';
  protected readonly contract = openContract();
  protected readonly errorBody = buildGatewayError('INTEGRATION_FAILURE', 'Internal server error');

  /** Opens a company. Requests with its key then belong to it. */
  openCompany({ apiKey = randomUUID() as string, id = undefined as string | undefined } = {}) {
    const company = new RoadSyncCompany(apiKey, id, id && `${id}-1`);
    this.companies.push(company);
    return company;
  }

  /** The requests of a company with this name, such as `POST /v1/invoice/{id}/send`. */
  listCalls(name: string, { apiKey }: RoadSyncCompany) {
    return this.calls.filter((call) => call.name === name && call.key === apiKey);
  }

  protected async serve(call: ReceivedCall, response: ServerResponse): Promise<void> {
    const { method, url, body, headers } = call;
    if (url.pathname === '/double/') return serveControlPage(this.companies, { method, body, response });
    const path = url.pathname;
    const name = `${method} ${nameRoute(path)}`;
    this.calls.push({ name, path, at: Date.now(), key: String(headers['x-api-key'] ?? ''), body });
    await this.serveCall(name, call, response);
  }

  protected refuseByLimit(seconds: number): DoubleAnswer {
    const result = buildGatewayError('THROTTLED', 'Too Many Requests');
    // The gateway sends no Retry-After; a test asks for it with a number above 0.
    return { status: 429, result, headers: seconds > 0 ? { 'retry-after': `${seconds}` } : {} };
  }

  protected buildHeaders(): Record<string, string> {
    return { 'x-amzn-requestid': randomUUID() };
  }

  protected answer(call: ReceivedCall): DoubleAnswer {
    const company = this.companies.find(({ apiKey }) => apiKey === call.headers['x-api-key']);
    if (!company) return { status: 403, result: buildGatewayError('INVALID_API_KEY', 'Forbidden') };
    try {
      const checked = readCall(call);
      const faults = this.checkRequest(checked, listFaults(call));
      if (faults.length > 0) throw new RoadSyncRefusal('invalid_request', faults.join('; '));
      const outcome = this.run(company, call, checked.path);
      this.checkAnswer(checked, { status: outcome.status, result: this.renderChecked(company, outcome) });
      return { status: outcome.status, result: this.render(company, call, outcome) };
    } catch (error) {
      if (!(error instanceof RoadSyncRefusal)) throw error;
      return { status: error.status, result: error.body };
    }
  }

  private run(company: RoadSyncCompany, call: ReceivedCall, path: string): Outcome {
    const { method, url, headers, bytes } = call;
    if (path.startsWith(COMPANY)) return runCompanyCall(company, path);
    const body = readJson(call);
    const [id = '', action = ''] = path.slice(INVOICES.length).split('/');
    if (id === '' && method === 'GET')
      return { status: 200, invoices: findInvoices(company, url.searchParams) };
    if (id === '') return { status: 201, invoices: createInvoice(company, body) };
    const invoice = company.invoices.find((one) => one.id === id);
    if (!invoice) throw new RoadSyncRefusal('not_found', 'Invoice not found', 404);
    if (action === 'attach') {
      const name = url.searchParams.get('attachmentName') ?? 'attachment';
      return attachFile(invoice, { name, type: String(headers['content-type']), bytes });
    }
    if (action === 'embed') {
      const link = `https://pay.roadsync.example/${invoice.token}`;
      return { status: 200, result: { data: { url: link } } };
    }
    if (action === 'clone') return { status: 201, invoices: cloneInvoice(company, invoice) };
    if (method === 'PATCH') patchInvoice(company, invoice, body);
    if (action === 'send') sendInvoice(company, invoice, body);
    if (action === 'void') voidOnRequest(company, invoice, body.reason);
    if (action === 'refund') refundInvoice(company, invoice, body.amount);
    return action === '' ? { status: 200, invoices: invoice } : { status: 204 };
  }

  /**
   * Renders what the contract allows. The double returns more: statuses that only the filter of the
   * list names, a total with cents, and whatever a test garbles.
   */
  private renderChecked(company: RoadSyncCompany, { invoices, result }: Outcome): unknown {
    if (!invoices) return result;
    const render = (invoice: RoadSyncInvoice) => {
      const status = READ_STATUSES.includes(invoice.status) ? invoice.status : 'sent';
      const unit = this.totalUnit === 'dollars' ? 'whole_dollars' : this.totalUnit;
      return withoutAbsent(renderInvoice(company, { ...invoice, status }, unit));
    };
    return { data: Array.isArray(invoices) ? invoices.map(render) : render(invoices) };
  }

  private render(company: RoadSyncCompany, { url }: ReceivedCall, { invoices, result }: Outcome): unknown {
    if (!invoices) return result;
    const render = (invoice: RoadSyncInvoice) => ({
      ...renderInvoice(company, invoice, this.totalUnit),
      ...invoice.garbled,
    });
    if (!Array.isArray(invoices)) return { data: render(invoices) };
    return { data: takePage([...company.strays, ...invoices.map(render)], url.searchParams) };
  }
}

function runCompanyCall({ locations }: RoadSyncCompany, path: string): Outcome {
  const [, , , , id, list] = path.split('/');
  if (id === undefined)
    return { status: 200, result: { data: locations.map((one) => ({ id: one.id, name: one.name })) } };
  const location = locations.find((one) => one.id === id);
  if (!location) throw new RoadSyncRefusal('not_found', 'Location not found', 404);
  const { name, products } = location;
  // The contract's schema and example of a location's custom fields contradict each other.
  return { status: 200, result: { data: list === 'product' ? products : { id, name } } };
}

/** The path with `{id}` in the place of ids. The list of invoices ends in a slash. */
function nameRoute(pathname: string): string {
  const path = pathname === INVOICES.slice(0, -1) ? INVOICES : pathname;
  return path.replace(/^(\/v1\/invoice|\/company\/v1\/location)\/[^/]+/, '$1/{id}');
}

/** Returns the request in the form of the contract check. */
function readCall(call: ReceivedCall) {
  const { method, url, body } = call;
  const path = url.pathname === INVOICES.slice(0, -1) ? INVOICES : url.pathname;
  const query: Record<string, unknown> = Object.fromEntries(url.searchParams);
  if (url.searchParams.has('status')) query.status = url.searchParams.getAll('status');
  if (method === 'GET' || body === '') return { method, path, query };
  return { method, path, query, body: path.endsWith('/attach') ? body : readJson(call) };
}

/** Lists the faults of a request that a check of its body and query does not see. */
function listFaults({ method, url, headers, body }: ReceivedCall): string[] {
  const type = String(headers['content-type'] ?? '');
  const isFile = url.pathname.endsWith('/attach');
  const isTyped = isFile
    ? ['application/pdf', 'image/png', 'image/jpeg'].includes(type)
    : type.startsWith('application/json');
  const limit = Number(url.searchParams.get('limit') ?? 1);
  return [
    ...(method !== 'GET' && body !== '' && !isTyped ? [`Content-Type is ${type}`] : []),
    ...(limit > MAX_LIMIT ? [`limit is ${limit}`] : []),
  ];
}

// biome-ignore lint/suspicious/noExplicitAny: the contract check has checked the body.
function readJson({ body, headers }: ReceivedCall): any {
  if (body === '' || !String(headers['content-type']).startsWith('application/json')) return {};
  try {
    return JSON.parse(body);
  } catch {
    // The contract check then reports that the body is no object.
    return body;
  }
}

function withoutAbsent(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
