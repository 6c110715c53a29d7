import { randomInt } from 'node:crypto';
import type { BooksRecord } from './books-record.js';
import { type ParsedQuery, readMember } from './query.js';
import { Refusal } from './refusal.js';

export type EntityName = 'Customer' | 'Invoice' | 'Payment' | 'Item' | 'Account' | 'TaxCode' | 'CompanyInfo';

export interface BooksChange {
  realmId: string;
  entity: EntityName;
  id: string;
  operation: 'Create' | 'Update' | 'Void' | 'Delete';
  at: string;
}

export const toCents = (amount: unknown): number => Math.round(Number(amount ?? 0) * 100);

const toKey = ({ DocNumber }: BooksRecord): string => String(DocNumber ?? '').toLowerCase();

/** A company at QuickBooks: its records, and settings that change its behavior. */
export class BooksCompany {
  readonly realmId = String(9_000_000_000_000 + randomInt(1_000_000_000));
  /** Maps each request id to its first request, which QuickBooks may also have refused. */
  readonly requests = new Map<string, string>();
  /** Maps the request id of each write that succeeded to the answer of the double. */
  readonly answers = new Map<string, { status: number; body: unknown }>();
  /** The number of cents by which the company's tax differs from the product's tax. */
  taxOffCents = 0;
  /** The day until which the books are closed, as YYYY-MM-DD. */
  closedUntil = '';
  /** The ids of records whose changes the change feed does not show. */
  readonly missedByFeed = new Set<string>();
  private readonly records = new Map<EntityName, Map<string, BooksRecord>>();
  /** The ids of the invoices with each number, in lower case. */
  private readonly numbered = new Map<string, Set<string>>();
  private readonly deleted: { entity: EntityName; id: string; at: string }[] = [];
  private lastId = 0;

  constructor(
    readonly name: string,
    private readonly onChange: (change: BooksChange) => void,
  ) {
    this.put('CompanyInfo', { CompanyName: name, Country: 'US' }, this.realmId);
    for (const [Name, AccountType] of [
      ['Towing income', 'Income'],
      ['Storage income', 'Income'],
      ['Other income', 'Other Income'],
      ['Checking', 'Bank'],
      ['Undeposited Funds', 'Other Current Asset'],
      ['Fuel', 'Expense'],
    ])
      this.put('Account', { Name, FullyQualifiedName: Name, AccountType, Active: true });
    this.put('TaxCode', { Name: 'TAX', Active: true, Taxable: true }, 'TAX');
    this.put('TaxCode', { Name: 'NON', Active: true, Taxable: false }, 'NON');
  }

  list(entity: EntityName): BooksRecord[] {
    return [...(this.records.get(entity)?.values() ?? [])];
  }

  count(entity: EntityName): number {
    return this.records.get(entity)?.size ?? 0;
  }

  find(entity: EntityName, id: unknown): BooksRecord | undefined {
    return this.records.get(entity)?.get(String(id));
  }

  /** Lists the invoices with a number, in any case, without a search of all invoices. */
  listNumbered(number: string): BooksRecord[] {
    return [...(this.numbered.get(number.toLowerCase()) ?? [])].map((id) => this.get('Invoice', id));
  }

  findAccount(name: string): string {
    return this.list('Account').find(({ Name }) => Name === name)?.Id as string;
  }

  get(entity: EntityName, id: unknown): BooksRecord {
    const found = this.find(entity, id);
    if (!found) throw new Refusal('610', `Object Not Found: ${entity} ${String(id)}`);
    return found;
  }

  /** Stores a new record, or changes members of a stored record. */
  put(entity: EntityName, members: Record<string, unknown>, id?: string): BooksRecord {
    const key = id ?? String(++this.lastId);
    const before = this.find(entity, key);
    const at = new Date().toISOString();
    const MetaData = { CreateTime: Object(before?.MetaData).CreateTime ?? at, LastUpdatedTime: at };
    const SyncToken = before ? String(Number(before.SyncToken) + 1) : '0';
    const record = { domain: 'QBO', sparse: false, ...before, ...members, Id: key, SyncToken, MetaData };
    const all = this.records.get(entity) ?? new Map<string, BooksRecord>();
    this.records.set(entity, all.set(key, record));
    if (entity === 'Invoice') this.indexNumber(record, before);
    const isVoid = before !== undefined && /^Voided/.test(String(members.PrivateNote ?? ''));
    const operation = before ? (isVoid ? 'Void' : 'Update') : 'Create';
    this.onChange({ realmId: this.realmId, entity, id: key, operation, at });
    return record;
  }

  private indexNumber(record: BooksRecord, before: BooksRecord | undefined): void {
    if (before) this.numbered.get(toKey(before))?.delete(record.Id);
    this.numbered.set(toKey(record), (this.numbered.get(toKey(record)) ?? new Set()).add(record.Id));
  }

  /** @param at when the change feed says that the record was deleted */
  remove(entity: EntityName, id: string, at = new Date().toISOString()): void {
    const before = this.find(entity, id);
    if (entity === 'Invoice' && before) this.numbered.get(toKey(before))?.delete(id);
    this.records.get(entity)?.delete(id);
    this.deleted.push({ entity, id, at });
    this.onChange({ realmId: this.realmId, entity, id, operation: 'Delete', at });
  }

  /** Makes an item inactive. QuickBooks does not delete items, and frees the item's name. */
  deactivateItem(id: string): void {
    const { Name } = this.get('Item', id);
    this.put('Item', { Active: false, Name: `${String(Name)} (deleted)` }, id);
  }

  query({ entity, number, orderBy, start, max, matches }: ParsedQuery): BooksRecord[] {
    const isNumbered = entity === 'Invoice' && number !== undefined;
    const candidates = isNumbered ? this.listNumbered(number) : this.list(entity as EntityName);
    const found = candidates.filter((record) => record.Active !== false && matches(record));
    if (orderBy)
      found.sort((a, b) => (String(readMember(a, orderBy)) < String(readMember(b, orderBy)) ? -1 : 1));
    return found.slice(start - 1, start - 1 + max);
  }

  /**
   * Lists the records that have changed since a time. Of a deleted record, lists only the id and
   * the time.
   */
  listChanges(entity: EntityName, since: string): object[] {
    const isSince = (at: unknown) => Date.parse(String(at)) >= Date.parse(since);
    return [
      ...this.list(entity).filter(
        ({ Id, MetaData }) => isSince(Object(MetaData).LastUpdatedTime) && !this.missedByFeed.has(Id),
      ),
      ...this.deleted
        .filter((one) => one.entity === entity && isSince(one.at))
        .map(({ id, at }) => ({
          Id: id,
          status: 'Deleted',
          domain: 'QBO',
          MetaData: { LastUpdatedTime: at },
        })),
    ].slice(0, 1000);
  }
}
