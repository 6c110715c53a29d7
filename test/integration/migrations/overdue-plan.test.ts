import { expect } from 'chai';
import type { SqlQuery, Transaction } from '../../../shared/platform/postgres/database.js';
import { findOverdueInvoices } from '../../../shared/resources/invoices/overdue-sweep.js';
import { insertOpenInvoices } from '../../support/records/open-invoices.js';
import { useStack } from '../../support/use-stack.js';
import { explainRun, type RunNode } from '../../support/writes/explain.js';

const TENANTS = 10;
/**
 * The number of invoices per account and kind that become due much later. {@link
 * insertOpenInvoices} inserts three kinds.
 */
const FAR = 700;
/** Number of invoices per account that are past due, but whose claim is with a motor club. */
const WITH_CLUB = 300;
/** The number of due invoices per kind. Only the first account has due invoices. */
const DUE = 5;
/**
 * The sweep may read at most this many pages for each account, and `PAGES_PER_DUE` more for each
 * due invoice. For an account, it needs three index probes and the settings. For a due invoice, it
 * needs the row, the customer and the motor club.
 */
const PAGES_PER_TENANT = 25;
const PAGES_PER_DUE = 20;

describe('the overdue sweep over many accounts', () => {
  const stack = useStack({}, 'query plans');
  const tenantIds: string[] = [];
  let due: string[] = [];

  before(async () => {
    for (let n = 0; n < TENANTS; n += 1) {
      const { id } = await stack.createTenant();
      tenantIds.push(id);
      const found = await insertOpenInvoices(stack, id, {
        far: FAR,
        withClub: WITH_CLUB,
        due: n === 0 ? DUE : 0,
      });
      due = [...due, ...found];
    }
  });

  /** Returns the query that the sweep sends, so that the test can run it with EXPLAIN. */
  async function captureSweepQuery(): Promise<SqlQuery> {
    let captured: SqlQuery | undefined;
    const query = async (sent: SqlQuery) => {
      captured = sent;
      return [];
    };
    await findOverdueInvoices({ query } as unknown as Transaction, 1000);
    return captured as SqlQuery;
  }

  it('the overdue sweep reads the due invoices and a few pages per account, however many others are open', async () => {
    const found = await stack.runtime.db.transaction(tenantIds, (tx) => findOverdueInvoices(tx, 1000));
    expect(found.map(({ entityId }) => entityId)).to.have.members(due);
    const nodes = await explainRun(stack.runtime.db, tenantIds.join(), await captureSweepQuery());
    const [whole] = nodes as [RunNode];
    const open = TENANTS * (FAR * 3 + WITH_CLUB);
    const pages = whole['Shared Hit Blocks'] + whole['Shared Read Blocks'];
    expect(whole['Actual Rows']).to.equal(due.length);
    expect(pages, `pages for ${open} open invoices`).to.be.below(
      TENANTS * PAGES_PER_TENANT + due.length * PAGES_PER_DUE,
    );
    const indexes = nodes
      .filter((node) => node['Relation Name'] === 'invoices')
      .map((node) => node['Index Name']);
    expect([...new Set(indexes)]).to.have.members([
      'invoices_due_by_date',
      'invoices_due_by_own_terms',
      'invoices_due_by_account_terms',
    ]);
  });

  it('the overdue sweep serves accounts round-robin, so that many due invoices of one do not delay another', async () => {
    const [few, many] = [await stack.createTenant(), await stack.createTenant()];
    const ids = await insertOpenInvoices(stack, few.id, { far: 0, due: 1, withClub: 0 });
    await insertOpenInvoices(stack, many.id, { far: 0, due: 50, withClub: 0 });
    const found = await stack.runtime.db.transaction([many.id, few.id], (tx) => findOverdueInvoices(tx, 10));
    expect(found).to.have.length(10);
    expect(found.map(({ entityId }) => entityId)).to.include.members(ids);
  });
});
