import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ContractCheck } from '../../contracts/contract-check.js';
import { type DoubleAnswer, type ReceivedCall, VendorDouble } from '../../contracts/vendor-double.js';
import { serveControlPage, serveSignIn } from './control-page.js';
import { type ListName, XeroOrganisation } from './organisation.js';
import { Refusal } from './refusal.js';
import { XeroPerson, XeroSignIns } from './sign-ins.js';
import { XeroWebhooks } from './webhook-sender.js';
import type { XeroRecord } from './where.js';
import { createPayment, deletePayment, writeContact, writeInvoice } from './writes.js';

const API = '/api.xro/2.0';
const LISTS: readonly ListName[] = ['Contacts', 'Invoices', 'Payments', 'Accounts', 'TaxRates'];
/** Xero's limits for one organisation. */
const MAX_AT_ONCE = 5;
const MAX_PER_MINUTE = 60;

let shared: { api: ContractCheck | undefined; webhooks: ContractCheck | undefined } | undefined;

function openContracts() {
  shared ??= {
    api: ContractCheck.open('xero', ['openapi.json', 'identity.json'], API),
    webhooks: ContractCheck.open('xero', ['webhooks.json']),
  };
  return shared;
}

/**
 * Stands in for Xero: its sign-in, its API and its webhooks. It keeps the books of organisations in
 * memory, and checks requests and answers against the contract.
 */
export class XeroDouble extends VendorDouble {
  readonly calls: { name: string; key: string; at: number; bytes: number; tenantId: string }[] = [];
  readonly signIns = new XeroSignIns();
  readonly webhooks = new XeroWebhooks((body) => {
    const faults = openContracts().webhooks?.checkSchema('WebhookEvent', body) ?? [];
    this.violations.push(...faults.map((fault) => `webhook: ${fault}`));
  });
  readonly organisations = new Map<string, XeroOrganisation>();
  /** The person who signs in by the page. */
  readonly visitor = new XeroPerson();
  /** True if the double refuses calls beyond Xero's limit of a minute. */
  limitsMinute = false;
  /** The most calls that an organisation got at the same time. */
  readonly mostAtOnce = new Map<string, number>();
  private readonly running = new Map<string, number>();
  protected readonly contract = openContracts().api;
  protected readonly errorBody = {
    Title: 'Service Unavailable',
    Status: 503,
    Detail: 'The organisation is offline',
  };

  override async stop(): Promise<void> {
    await super.stop();
    await this.webhooks.stop();
  }

  openOrganisation(name = 'Hudson Towing'): XeroOrganisation {
    const organisation = new XeroOrganisation(name, (change) => this.webhooks.send(change));
    this.organisations.set(organisation.tenantId, organisation);
    return organisation;
  }

  /** Lets the bookkeeper enter a payment for an invoice. */
  payInvoice(organisation: XeroOrganisation, InvoiceID: string, Amount: number): XeroRecord {
    const { AccountID } = organisation.findAccount('Checking');
    const Day = new Date().toISOString().slice(0, 10);
    return createPayment(organisation, { Invoice: { InvoiceID }, Account: { AccountID }, Date: Day, Amount });
  }

  /** Lets the bookkeeper change an invoice. */
  editInvoice(organisation: XeroOrganisation, InvoiceID: string, members: object): XeroRecord {
    return writeInvoice(organisation, { InvoiceID, ...members }, true);
  }

  /** Lets the bookkeeper change a contact. */
  editContact(organisation: XeroOrganisation, ContactID: string, members: object): XeroRecord {
    return writeContact(organisation, { ContactID, ...members }, true);
  }

  voidInvoice(organisation: XeroOrganisation, InvoiceID: string): XeroRecord {
    return writeInvoice(organisation, { InvoiceID, Status: 'VOIDED' }, true);
  }

  deletePayment(organisation: XeroOrganisation, paymentId: string): XeroRecord {
    return deletePayment(organisation, paymentId);
  }

  protected async serve(call: ReceivedCall, response: ServerResponse): Promise<void> {
    const { method, url, headers, body } = call;
    if (url.pathname === '/double/') return serveControlPage(this, { method, body, response });
    if (url.pathname === '/identity/connect/authorize')
      return serveSignIn(this, { method, url, body, response });
    const tenantId = String(headers['xero-tenant-id'] ?? '');
    const name = `${method} ${url.pathname.replace(API, '').split('/')[1] ?? ''}`;
    const key = String(headers['idempotency-key'] ?? '');
    this.calls.push({ name, key, at: Date.now(), bytes: 0, tenantId });
    if (url.pathname === '/connect/token') return this.serveToken(name, call, response);
    const running = (this.running.get(tenantId) ?? 0) + 1;
    this.running.set(tenantId, running);
    this.mostAtOnce.set(tenantId, Math.max(running, this.mostAtOnce.get(tenantId) ?? 0));
    try {
      if (url.pathname.startsWith('/connections/')) return this.serveDisconnection(name, call, response);
      await this.serveCall(name, call, response);
    } finally {
      this.running.set(tenantId, (this.running.get(tenantId) ?? 1) - 1);
    }
  }

  private serveToken(name: string, { headers, body }: ReceivedCall, response: ServerResponse): void {
    const fault = this.misbehave(name);
    if (fault?.kind === 'status') return void response.writeHead(fault.status).end();
    if (fault?.kind === 'cut_before') return void response.destroy();
    const form = new URLSearchParams(body);
    const { status, result } = this.signIns.grants.answerToken(String(headers.authorization ?? ''), form);
    if (fault?.kind === 'cut_after') return void response.destroy();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  }

  /** A disconnection is answered without a body. */
  private serveDisconnection(name: string, call: ReceivedCall, response: ServerResponse): void {
    const fault = this.misbehave(name);
    if (fault?.kind === 'status') return void response.writeHead(fault.status).end();
    if (fault?.kind === 'cut_before') return void response.destroy();
    const path = call.url.pathname.replace('/connections', '/Connections');
    this.checkRequest({ method: call.method, path });
    const person = this.findPerson(call);
    const isDone = person && this.signIns.deleteConnection(person, path.split('/').at(-1) ?? '');
    if (fault?.kind === 'cut_after') return void response.destroy();
    response.writeHead(person ? (isDone ? 204 : 404) : 401).end();
  }

  private findPerson({ headers }: ReceivedCall): XeroPerson | undefined {
    return this.signIns.grants.findByAccess(String(headers.authorization ?? '').replace('Bearer ', ''));
  }

  protected refuseByLimit(seconds: number, problem = 'minute'): DoubleAnswer {
    const headers = { 'retry-after': `${seconds}`, 'x-rate-limit-problem': problem };
    return { status: 429, result: { Title: 'Too Many Requests', Status: 429 }, headers };
  }

  protected buildHeaders(): Record<string, string> {
    return {
      'xero-correlation-id': randomUUID(),
      'x-minlimit-remaining': '59',
      'x-daylimit-remaining': '4999',
    };
  }

  protected answer(call: ReceivedCall): DoubleAnswer {
    const answer = this.findAnswer(call);
    const last = this.calls.at(-1);
    if (last) last.bytes = Buffer.byteLength(JSON.stringify(answer.result));
    return answer;
  }

  private findAnswer(call: ReceivedCall): DoubleAnswer {
    const { method, url, headers, body } = call;
    const person = this.findPerson(call);
    if (!person)
      return { status: 401, result: { Title: 'Unauthorized', Status: 401, Detail: 'TokenExpired' } };
    const query = Object.fromEntries(url.searchParams);
    const parsed = body === '' ? undefined : (JSON.parse(body) as Record<string, unknown>);
    const path = url.pathname.replace(/^\/connections/, '/Connections');
    // A list of ids is one parameter with commas.
    const lists = query.IDs === undefined ? {} : { IDs: query.IDs.split(',') };
    const checked = { method, path, query: { ...query, ...lists }, ...(parsed ? { body: parsed } : {}) };
    if (path === '/Connections') {
      this.checkRequest(checked);
      const result = this.signIns.listConnections(person);
      this.checkAnswer(checked, { status: 200, result });
      return { status: 200, result };
    }
    const tenantId = String(headers['xero-tenant-id'] ?? '');
    const organisation = person.reached.find((one) => one.organisation.tenantId === tenantId)?.organisation;
    if (!organisation)
      return {
        status: 403,
        result: { Title: 'Forbidden', Status: 403, Detail: 'AuthenticationUnsuccessful' },
      };
    const exceeded = this.findExceeded(tenantId);
    if (exceeded) return this.refuseByLimit(1, exceeded);
    const key = String(headers['idempotency-key'] ?? '');
    const isKeyed = method === 'GET' || (key !== '' && key.length <= 128);
    // Without it, one element with an error refuses all others too, and none says which it is.
    const isListed = LISTS.some((list) => Array.isArray(parsed?.[list]));
    const faults = this.checkRequest(checked, [
      ...(isKeyed ? [] : ['no idempotency key']),
      ...(isListed && query.summarizeErrors !== 'false' ? ['summarizeErrors is not false'] : []),
    ]);
    if (faults.length > 0) return { status: 400, result: new Refusal(faults.join('; ')).body };
    const request = `${method} ${path} ${body}`;
    const known = key === '' ? undefined : organisation.answers.get(key);
    if (known && known.request !== request) this.violations.push(`another request under the key ${key}`);
    if (known) return { status: 200, result: known.body };
    const modifiedSince = headers['if-modified-since'];
    const answer = this.run(organisation, { method, path, query, parsed, modifiedSince });
    this.checkAnswer(checked, answer);
    if (key !== '' && answer.status === 200)
      organisation.answers.set(key, { request, body: structuredClone(answer.result) });
    return answer;
  }

  private findExceeded(tenantId: string): 'concurrent' | 'minute' | undefined {
    if ((this.running.get(tenantId) ?? 0) > MAX_AT_ONCE) return 'concurrent';
    if (!this.limitsMinute) return undefined;
    const since = Date.now() - 60_000;
    const recent = this.calls.filter((one) => one.tenantId === tenantId && one.at > since);
    return recent.length > MAX_PER_MINUTE ? 'minute' : undefined;
  }

  private run(
    organisation: XeroOrganisation,
    {
      method,
      path,
      query,
      parsed,
      modifiedSince,
    }: {
      method: string;
      path: string;
      query: Record<string, string>;
      parsed: Record<string, unknown> | undefined;
      modifiedSince: string | undefined;
    },
  ): DoubleAnswer {
    const [, name = '', id] = path.replace(API, '').split('/');
    try {
      if (name === 'Organisation') {
        const { tenantId: OrganisationID, name: Name, isDemo: IsDemoCompany } = organisation;
        return { status: 200, result: { Organisations: [{ OrganisationID, Name, IsDemoCompany }] } };
      }
      const list = LISTS.find((one) => one === name);
      if (!list) throw new Refusal(`no ${name}`, 404);
      if (method === 'GET' && id === undefined)
        return { status: 200, result: organisation.read(list, query, modifiedSince) };
      if (method === 'GET') {
        const found = organisation.get(list, id);
        return { status: 200, result: { [list]: [organisation.show(list, found, false)] } };
      }
      if (list === 'Payments' && id !== undefined)
        return { status: 200, result: { Payments: [deletePayment(organisation, id)] } };
      const elements = (Object(parsed)[list] ?? []) as XeroRecord[];
      const written = elements.map((one) =>
        writeElement(organisation, { list, isUpdate: method === 'POST', one, query }),
      );
      return { status: 200, result: { [list]: written } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, result: error.body };
    }
  }
}

/** Writes one element of a request. With `summarizeErrors=false`, the answer has its errors. */
function writeElement(
  organisation: XeroOrganisation,
  {
    list,
    isUpdate,
    one,
    query,
  }: { list: ListName; isUpdate: boolean; one: XeroRecord; query: Record<string, string> },
): XeroRecord {
  const write = () => {
    if (list === 'Contacts') return writeContact(organisation, one, isUpdate);
    if (list === 'Invoices') return writeInvoice(organisation, one, isUpdate);
    return createPayment(organisation, one);
  };
  try {
    return { ...organisation.show(list, write(), false), StatusAttributeString: 'OK' };
  } catch (error) {
    if (!(error instanceof Refusal) || query.summarizeErrors !== 'false') throw error;
    const ValidationErrors = [{ Message: error.message }];
    return { ...one, StatusAttributeString: 'ERROR', ValidationErrors };
  }
}
