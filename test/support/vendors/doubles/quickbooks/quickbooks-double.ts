import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ContractCheck } from '../../contracts/contract-check.js';
import { type DoubleAnswer, type ReceivedCall, VendorDouble } from '../../contracts/vendor-double.js';
import type { BooksRecord } from './books-record.js';
import { BooksCompany, type EntityName } from './company.js';
import { serveControlPage, serveSignIn } from './control-page.js';
import { BooksSignIns } from './oauth.js';
import { parseQuery } from './query.js';
import { buildFault, Refusal } from './refusal.js';
import { BooksWebhooks } from './webhook-sender.js';
import { voidRecord, writeRecord } from './writes.js';

const ENTITIES: readonly EntityName[] = ['Customer', 'Invoice', 'Payment', 'Item', 'CompanyInfo'];
const PATH = /^\/v3\/company\/(\d+)\/(\w+)(?:\/(\w+))?$/;

let sharedContract: ContractCheck | undefined;

function openContract(): ContractCheck | undefined {
  sharedContract ??= ContractCheck.open('quickbooks', ['openapi.json']);
  return sharedContract;
}

/**
 * Stands in for QuickBooks Online: its sign-in, its API and its webhooks. It keeps the books of
 * companies in memory, and checks requests and answers against the contract.
 */
export class QuickBooksDouble extends VendorDouble {
  readonly calls: { name: string; realm: string; key: string; at: number }[] = [];
  readonly signIns = new BooksSignIns();
  readonly webhooks = new BooksWebhooks();
  readonly companies = new Map<string, BooksCompany>();
  protected readonly contract = openContract();
  protected readonly errorBody = buildFault('10000', 'An application error has occurred.', 'SystemFault');

  override async stop(): Promise<void> {
    await super.stop();
    await this.webhooks.stop();
  }

  openCompany(name = 'Hudson Towing'): BooksCompany {
    const company = new BooksCompany(name, (change) => this.webhooks.send(change));
    this.companies.set(company.realmId, company);
    return company;
  }

  /** Lets the bookkeeper enter a payment for invoices. */
  payInvoices(company: BooksCompany, parts: readonly { invoiceId: string; amount: number }[]): BooksRecord {
    const invoice = company.get('Invoice', parts[0]?.invoiceId);
    const TotalAmt = Number(parts.reduce((sum, { amount }) => sum + amount, 0).toFixed(2));
    const Line = parts.map(({ invoiceId, amount }) => ({
      Amount: amount,
      LinkedTxn: [{ TxnId: invoiceId, TxnType: 'Invoice' }],
    }));
    const TxnDate = new Date().toISOString().slice(0, 10);
    const body = { CustomerRef: invoice.CustomerRef, TotalAmt, TxnDate, Line };
    return writeRecord(company, 'Payment', { body, operation: undefined });
  }

  /** Lets the bookkeeper change a record. */
  edit(company: BooksCompany, entity: EntityName, id: string, members: object): BooksRecord {
    const { SyncToken } = company.get(entity, id);
    const body = { Id: id, SyncToken, sparse: true, ...members };
    return writeRecord(company, entity, { body, operation: undefined });
  }

  void(company: BooksCompany, entity: EntityName, id: string): BooksRecord {
    return voidRecord(company, entity, company.get(entity, id));
  }

  protected async serve(call: ReceivedCall, response: ServerResponse): Promise<void> {
    const { method, url, headers, body } = call;
    const authorization = String(headers.authorization ?? '');
    if (url.pathname === '/double/') return serveControlPage(this, { method, body, response });
    if (url.pathname === '/connect/oauth2') return serveSignIn(this, { method, url, body, response });
    const name = `${method} ${PATH.exec(url.pathname)?.[2] ?? url.pathname}`;
    const realm = PATH.exec(url.pathname)?.[1] ?? '';
    this.calls.push({ name, realm, key: url.searchParams.get('requestid') ?? '', at: Date.now() });
    if (url.pathname.startsWith('/oauth2/') || url.pathname.startsWith('/v2/oauth2/')) {
      const fault = this.misbehave(name);
      if (fault?.kind === 'status')
        return void response.writeHead(fault.status).end(JSON.stringify(fault.body ?? {}));
      const isToken = url.pathname.endsWith('/bearer');
      const { status, result } = isToken
        ? this.signIns.answerToken(authorization, new URLSearchParams(body))
        : this.signIns.answerRevocation(authorization, body);
      if (fault?.kind === 'cut_after') return void response.destroy();
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(result));
      return;
    }
    await this.serveCall(name, call, response);
  }

  protected refuseByLimit(seconds: number): DoubleAnswer {
    const result = buildFault('3001', 'ThrottleExceeded', 'THROTTLED');
    return { status: 429, result, headers: { 'retry-after': `${seconds}` } };
  }

  protected buildHeaders(): Record<string, string> {
    return { intuit_tid: `1-${randomUUID()}` };
  }

  protected answer({ method, url, headers, body }: ReceivedCall): DoubleAnswer {
    const [, realmId = '', path = '', id] = PATH.exec(url.pathname) ?? [];
    const company = this.signIns.findCompany(String(headers.authorization ?? '').replace('Bearer ', ''));
    if (!company)
      return { status: 401, result: buildFault('3200', 'AuthenticationFailed', 'AUTHENTICATION') };
    if (company.realmId !== realmId)
      return {
        status: 403,
        result: buildFault('3100', 'ApplicationAuthorizationFailed', 'AuthorizationFault'),
      };
    const query = Object.fromEntries(url.searchParams);
    const key = query.requestid ?? '';
    const isWrite = method === 'POST';
    const parsed = body === '' ? undefined : (JSON.parse(body) as Record<string, unknown>);
    const call = { method, path: url.pathname, query, ...(parsed ? { body: parsed } : {}) };
    const missing = [
      ...(isWrite && key === '' ? ['no requestid'] : []),
      ...(key.length > 50 ? ['requestid has more than 50 characters'] : []),
      ...(query.minorversion === '75' ? [] : ['minorversion is not 75']),
    ];
    const faults = this.checkRequest(call, missing);
    if (faults.length > 0) return { status: 400, result: buildFault('2010', faults.join('; ')) };
    if (key !== '') {
      const request = `${path} ${body}`;
      const earlier = company.requests.get(key) ?? request;
      if (earlier !== request) this.violations.push(`another request under the key ${key}`);
      company.requests.set(key, earlier);
      const known = company.answers.get(key);
      if (known) return { status: known.status, result: known.body };
    }
    const { status, result } = this.run(company, { path, id, query, parsed });
    this.checkAnswer(call, { status, result });
    if (key !== '' && status === 200) company.answers.set(key, { status, body: structuredClone(result) });
    return { status, result };
  }

  private run(
    company: BooksCompany,
    {
      path,
      id,
      query,
      parsed,
    }: {
      path: string;
      id: string | undefined;
      query: Record<string, string>;
      parsed: Record<string, unknown> | undefined;
    },
  ): { status: number; result: unknown } {
    const time = new Date().toISOString();
    try {
      if (path === 'query') {
        const wanted = parseQuery(query.query ?? '');
        const found = company.query(wanted);
        const list = found.length > 0 ? { [wanted.entity]: found } : {};
        return { status: 200, result: { QueryResponse: list, time } };
      }
      if (path === 'cdc') {
        const entities = (query.entities ?? '').split(',') as EntityName[];
        const lists = entities.map((entity) => ({
          [entity]: company.listChanges(entity, query.changedSince ?? ''),
        }));
        return { status: 200, result: { CDCResponse: [{ QueryResponse: lists }], time } };
      }
      const entity = ENTITIES.find((one) => one.toLowerCase() === path);
      if (!entity) throw new Refusal('2500', `no ${path}`);
      const operation = query.include ?? query.operation;
      const record = parsed
        ? writeRecord(company, entity, { body: parsed, operation })
        : company.get(entity, id);
      return { status: 200, result: { [entity]: record, time } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, result: error.body };
    }
  }
}
