import { randomUUID } from 'node:crypto';
import { Refusal } from './refusal.js';
import { parseWhere, type XeroRecord } from './where.js';

export type ListName = 'Contacts' | 'Invoices' | 'Payments' | 'Accounts' | 'TaxRates';

const IDS: Readonly<Record<ListName, string>> = {
  Contacts: 'ContactID',
  Invoices: 'InvoiceID',
  Payments: 'PaymentID',
  Accounts: 'AccountID',
  TaxRates: 'TaxType',
};

/** What a short answer omits. Xero does not publish it, so it also omits what it may contain. */
const LONG_MEMBERS: readonly string[] = ['LineItems', 'Payments', 'Url', 'Addresses', 'Phones'];

export interface XeroChange {
  tenantId: string;
  category: 'CONTACT' | 'INVOICE';
  id: string;
  type: 'CREATE' | 'UPDATE';
  at: number;
}

export const toCents = (amount: unknown): number => Math.round(Number(amount ?? 0) * 100);
export const toMsDate = (ms: number): string => `/Date(${ms}+0000)/`;
export const readMs = (value: unknown): number => Number(/-?\d+/.exec(String(value))?.[0] ?? 0);
export const idOf = (list: ListName, record: XeroRecord): string => String(record[IDS[list]]);

/** An organisation at Xero: its records, and settings that change its behavior. */
export class XeroOrganisation {
  readonly tenantId = randomUUID();
  /** Maps each idempotency key to the answer that the double gave. */
  readonly answers = new Map<string, { request: string; body: unknown }>();
  /** True if Xero computes the tax of each line itself, and ignores ours. */
  computesTax = false;
  /** The day until which the books are locked, as YYYY-MM-DD. */
  lockedUntil = '';
  isDemo = false;
  private readonly records = new Map<ListName, Map<string, XeroRecord>>();
  /** The ids of the invoices with each number. */
  private readonly numbered = new Map<string, Set<string>>();
  /** The ids of the records that the application has created. */
  private readonly ofApplication = new Set<string>();

  constructor(
    readonly name: string,
    private readonly onChange: (change: XeroChange) => void,
  ) {
    for (const [Code, Name, Type, Class] of [
      ['200', 'Towing income', 'REVENUE', 'REVENUE'],
      ['210', 'Storage income', 'SALES', 'REVENUE'],
      ['260', 'Other income', 'OTHERINCOME', 'REVENUE'],
      ['090', 'Checking', 'BANK', 'ASSET'],
      ['429', 'Fuel', 'EXPENSE', 'EXPENSE'],
    ])
      this.put('Accounts', { Code, Name, Type, Class, Status: 'ACTIVE', EnablePaymentsToAccount: false });
    this.put('TaxRates', { TaxType: 'OUTPUT', Name: 'Sales tax', Status: 'ACTIVE', EffectiveRate: 8.25 });
    this.put('TaxRates', { TaxType: 'NONE', Name: 'Tax Exempt', Status: 'ACTIVE', EffectiveRate: 0 });
  }

  list(list: ListName): XeroRecord[] {
    return [...(this.records.get(list)?.values() ?? [])];
  }

  count(list: ListName): number {
    return this.records.get(list)?.size ?? 0;
  }

  find(list: ListName, id: unknown): XeroRecord | undefined {
    return this.records.get(list)?.get(String(id));
  }

  get(list: ListName, id: unknown): XeroRecord {
    const found = this.find(list, id);
    if (!found) throw new Refusal(`The resource you are looking for cannot be found: ${String(id)}`, 404);
    return found;
  }

  /** Lists the invoices with a number, without a search of all invoices. */
  listNumbered(number: unknown): XeroRecord[] {
    return [...(this.numbered.get(String(number)) ?? [])].map((id) => this.get('Invoices', id));
  }

  findAccount(name: string): XeroRecord {
    return this.list('Accounts').find(({ Name }) => Name === name) as XeroRecord;
  }

  /** Stores a new record, or changes members of a stored record. */
  put(list: ListName, members: XeroRecord, isOfApplication = false): XeroRecord {
    const idName = IDS[list];
    const id = String(members[idName] ?? randomUUID());
    const before = this.find(list, id);
    const at = Date.now();
    const time = list === 'TaxRates' ? {} : { UpdatedDateUTC: toMsDate(at) };
    const record: XeroRecord = { ...before, ...members, [idName]: id, ...time };
    const all = this.records.get(list) ?? new Map<string, XeroRecord>();
    this.records.set(list, all.set(id, record));
    if (list === 'Invoices') this.indexNumber(record, before);
    if (isOfApplication && !before) this.ofApplication.add(id);
    const category = list === 'Contacts' ? 'CONTACT' : list === 'Invoices' ? 'INVOICE' : undefined;
    const { tenantId } = this;
    if (category) this.onChange({ tenantId, category, id, type: before ? 'UPDATE' : 'CREATE', at });
    return record;
  }

  private indexNumber(record: XeroRecord, before: XeroRecord | undefined): void {
    const [number, id] = [String(record.InvoiceNumber), idOf('Invoices', record)];
    if (before) this.numbered.get(String(before.InvoiceNumber))?.delete(id);
    this.numbered.set(number, (this.numbered.get(number) ?? new Set()).add(id));
  }

  /** Answers the read of a list, with the filters that the product uses. */
  read(list: ListName, query: Record<string, string>, modifiedSince: string | undefined): object {
    const { where, IDs, searchTerm, createdByMyApp, summaryOnly, order } = query;
    const matches = where === undefined ? () => true : parseWhere(where);
    const ids = IDs?.split(',');
    const since = modifiedSince === undefined ? 0 : Date.parse(`${modifiedSince}Z`);
    const found = this.list(list).filter(
      (record) =>
        matches(record) &&
        (ids === undefined || ids.includes(idOf(list, record))) &&
        (searchTerm === undefined || String(record.Name).toLowerCase().includes(searchTerm.toLowerCase())) &&
        (createdByMyApp !== 'true' || this.ofApplication.has(idOf(list, record))) &&
        (since === 0 || readMs(record.UpdatedDateUTC) >= since),
    );
    if (order === 'UpdatedDateUTC ASC')
      found.sort((a, b) => readMs(a.UpdatedDateUTC) - readMs(b.UpdatedDateUTC));
    else if (order === 'InvoiceID ASC')
      found.sort((a, b) => (String(a.InvoiceID) < String(b.InvoiceID) ? -1 : 1));
    else if (order !== undefined) throw new Refusal(`order ${order}`);
    if (query.page === undefined) return { [list]: found.map((one) => this.show(list, one, true)) };
    const pageSize = Math.min(Number(query.pageSize ?? 100), 1000);
    const page = Number(query.page);
    const part = found.slice((page - 1) * pageSize, page * pageSize);
    const itemCount = found.length;
    const pagination = { page, pageSize, pageCount: Math.ceil(itemCount / pageSize), itemCount };
    return { pagination, [list]: part.map((one) => this.show(list, one, summaryOnly === 'true')) };
  }

  /** Returns a record as an answer shows it. */
  show(list: ListName, record: XeroRecord, isShort: boolean): XeroRecord {
    const entries = Object.entries(record).filter(([name]) => !isShort || !LONG_MEMBERS.includes(name));
    const shown: XeroRecord = Object.fromEntries(entries);
    if (list === 'Invoices') {
      const { ContactID, Name } = this.get('Contacts', Object(record.Contact).ContactID);
      shown.Contact = { ContactID, Name };
    }
    return shown;
  }
}
