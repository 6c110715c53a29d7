import { expect } from 'chai';
import type { Command } from '../../../shared/contracts/command.js';
import { newId } from '../../../shared/platform/ids.js';
import {
  type Database,
  openDatabase,
  type SqlQuery,
  type Transaction,
} from '../../../shared/platform/postgres/database.js';
import { acquireAgentLocks } from '../../../shared/records/agent-locks.js';
import { createInvoices } from '../../../shared/resources/invoices/handlers/create-handler.js';
import { updateInvoices } from '../../../shared/resources/invoices/handlers/update-handler.js';
import { cancelOpenApprovals, insertApprovals } from '../../../shared/resources/pending-approvals/store.js';
import { createWorkOrders } from '../../../shared/resources/work-orders/handlers.js';
import { findEarlierResults } from '../../../workers/writes/earlier-results.js';
import { renderResponses } from '../../../workers/writes/store-outcomes.js';
import { createDatabase } from '../../support/stores.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { buildCommand } from '../../support/writes/commands.js';

/**
 * Collects the queries that a handler sends. Only the query for tax rates returns a row, because
 * without a tax rate the handler inserts nothing.
 */
async function collectQueries(
  tenantId: string,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<SqlQuery[]> {
  const collected: SqlQuery[] = [];
  const tx = {
    query: async (query: SqlQuery) => {
      collected.push(query);
      return query.name === 'tax-rates' ? [{ tenant_id: tenantId, id: null, known: true, rate: 0 }] : [];
    },
    queryAtCommit: (query: SqlQuery) => collected.push(query),
  } as unknown as Transaction;
  // A handler may fail because the results are empty. The test needs only the queries that the
  // handler sends before it fails.
  await work(tx).catch(() => undefined);
  return collected;
}

const completedCommand = (command: Command) => ({
  command,
  outcome: { ok: true as const, changes: [], events: [{ type: 'invoice.created' as const }] },
});

describe('query plans of write commands', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let emptyDb: Database;

  before(async () => {
    // Use a new database. In a shared database, rows and ANALYZE of other test files would give the
    // tables statistics.
    const databaseUrl = await createDatabase();
    const { logger } = stack.runtime;
    emptyDb = openDatabase({ databaseUrl, poolSize: 2, applicationName: 'test', logger });
  });
  after(() => emptyDb.close());

  it('queries of write commands look up rows by key even when planned for tables without statistics', async () => {
    const invoice = buildCommand('invoice.create', tenant.id, { invoice_number: 'P-1', line_items: [] });
    const patch = buildCommand('invoice.update', tenant.id, { notes: 'x' });
    const actor = { type: 'agent', id: newId(), name: 'agent' } as const;
    const draft = buildCommand(
      'invoice.create',
      tenant.id,
      { invoice_number: 'P-2', line_items: [] },
      { actor },
    );
    const approved = { tenant_id: tenant.id, id: newId(), status: 'approved' };
    const proposal = {
      kind: 'invoice_approval' as const,
      action: 'invoice.approve' as const,
      payload: {},
      amount_cents: 1,
      entity_id: newId(),
      counted_cents: null,
      held_by: null,
      justification: 'x',
      record_version: null,
      tenant_id: tenant.id,
      id: newId(),
      invoice_id: newId(),
    };
    const workOrder = buildCommand('work_order.create', tenant.id, { service_type: 'tow' });
    const queries = [
      ...(await collectQueries(tenant.id, (tx) => findEarlierResults(tx, [invoice]))),
      ...(await collectQueries(tenant.id, (tx) => createInvoices(tx, [invoice] as Command<never>[]))),
      ...(await collectQueries(tenant.id, (tx) => createInvoices(tx, [draft] as Command<never>[]))),
      ...(await collectQueries(tenant.id, (tx) => cancelOpenApprovals(tx, [approved]))),
      ...(await collectQueries(tenant.id, (tx) =>
        insertApprovals(tx, [{ command: draft, approval: proposal }]),
      )),
      ...(await collectQueries(tenant.id, (tx) =>
        updateInvoices(tx, [patch] as Command<never>[], stack.runtime.config),
      )),
      ...(await collectQueries(tenant.id, (tx) => createWorkOrders(tx, [workOrder] as Command<never>[]))),
      ...(await collectQueries(tenant.id, (tx) => renderResponses(tx, [completedCommand(invoice)]))),
      ...(await collectQueries(tenant.id, (tx) => renderResponses(tx, [completedCommand(workOrder)]))),
    ];
    expect(queries.map((query) => query.name)).to.include.members([
      'find-earlier',
      'insert-invoices',
      'settle-invoice',
      'settle-work_order',
      'lock-invoices',
      'insert-work-orders',
      'count-agent-drafts',
      'lock-open-approvals',
      'insert-approvals',
    ]);
    for (const { name, text, values } of queries) {
      const plan = await emptyDb.transaction([tenant.id], async (tx) => {
        await tx.query({ text: `prepare checked(jsonb) as ${text}` });
        const parameter = String(values?.[0]).replaceAll("'", "''");
        const rows = await tx.query<Record<string, string>>({
          text: `explain execute checked('${parameter}')`,
        });
        await tx.query({ text: 'deallocate checked' });
        return (
          rows
            .map((row) => String(row['QUERY PLAN']))
            // Ignore lines with `counter`. They join new invoice numbers with the batch's rows,
            // which are not in a table.
            .filter((line) => !line.includes('counter'))
            .join('\n')
        );
      });
      // With a join filter, PostgreSQL reads all rows of a tenant. With a sequential scan, it reads
      // the whole table.
      expect(plan, name).to.not.match(/Seq Scan on (?!r\b|input\b)|Join Filter/);
    }
  });

  it('commands of actors that are not agents send no query for the approval threshold', async () => {
    const invoice = buildCommand('invoice.create', tenant.id, { invoice_number: 'P-3', line_items: [] });
    const patch = buildCommand('invoice.update', tenant.id, { line_items: [] });
    const names = (queries: SqlQuery[]) => queries.map(({ name }) => name);
    expect(
      names(await collectQueries(tenant.id, (tx) => acquireAgentLocks(tx, [invoice, patch]))),
    ).to.deep.equal([]);
    const creating = await collectQueries(tenant.id, (tx) =>
      createInvoices(tx, [invoice] as Command<never>[]),
    );
    expect(names(creating)).to.deep.equal(['tax-rates', 'insert-invoices']);
    const updating = await collectQueries(tenant.id, (tx) =>
      updateInvoices(tx, [patch] as Command<never>[], stack.runtime.config),
    );
    expect(names(updating)).to.deep.equal(['lock-invoices']);
  });
});
