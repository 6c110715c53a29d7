import { expect } from 'chai';
import type { Command } from '../../shared/contracts/command.js';
import { newId } from '../../shared/platform/ids.js';
import type { Statement, Transaction } from '../../shared/platform/postgres.js';
import { takeAgentTurns } from '../../shared/resources/approvals/agent-turns.js';
import { cancelOpenApprovals, insertApprovals } from '../../shared/resources/approvals/store.js';
import { createInvoices } from '../../shared/resources/invoices/create-handler.js';
import { updateInvoices } from '../../shared/resources/invoices/update-handler.js';
import { createWorkOrders } from '../../shared/resources/work-orders/handlers.js';
import { findEarlier } from '../../workers/writes/earlier.js';
import { renderAnswers } from '../../workers/writes/settle.js';
import { commandOf } from '../support/commands.js';
import { TestStack, type TestTenant } from '../support/stack.js';

/** Collects what a handler sends, and answers with no rows but a tax rate, without which nothing is inserted. */
async function statementsOf(
  tenantId: string,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<Statement[]> {
  const seen: Statement[] = [];
  const tx = {
    query: async (statement: Statement) => {
      seen.push(statement);
      return statement.name === 'tax-rates' ? [{ tenant_id: tenantId, id: null, known: true, rate: 0 }] : [];
    },
    queryAtCommit: (statement: Statement) => seen.push(statement),
  } as unknown as Transaction;
  // A handler may give up on the empty answers; what it sent until then is what we want.
  await work(tx).catch(() => undefined);
  return seen;
}

const settled = (command: Command) => ({
  command,
  outcome: { ok: true as const, changes: [], events: [{ type: 'invoice.created' as const }] },
});

describe('plans of the write path', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  it('look rows up by key even on tables that had no statistics when they were planned', async () => {
    const invoice = commandOf('invoice.create', tenant.id, { invoice_number: 'P-1', line_items: [] });
    const patch = commandOf('invoice.update', tenant.id, { notes: 'x' });
    const actor = { type: 'agent', id: newId(), name: 'agent' } as const;
    const draft = commandOf(
      'invoice.create',
      tenant.id,
      { invoice_number: 'P-2', line_items: [] },
      { actor },
    );
    const approved = { tenant_id: tenant.id, id: newId(), status: 'approved' };
    const proposal = {
      ...({ kind: 'invoice_approval', action: 'invoice.approve', payload: {}, amount_cents: 1 } as const),
      entity_id: newId(),
      counted_cents: null,
      held_by: null,
      justification: 'x',
      record_version: null,
      tenant_id: tenant.id,
      id: newId(),
      invoice_id: newId(),
    };
    const job = commandOf('work_order.create', tenant.id, { service_type: 'tow' });
    const statements = [
      ...(await statementsOf(tenant.id, (tx) => findEarlier(tx, [invoice]))),
      ...(await statementsOf(tenant.id, (tx) => createInvoices(tx, [invoice] as Command<never>[]))),
      ...(await statementsOf(tenant.id, (tx) => createInvoices(tx, [draft] as Command<never>[]))),
      ...(await statementsOf(tenant.id, (tx) => cancelOpenApprovals(tx, [approved]))),
      ...(await statementsOf(tenant.id, (tx) =>
        insertApprovals(tx, [{ command: draft, approval: proposal }]),
      )),
      ...(await statementsOf(tenant.id, (tx) =>
        updateInvoices(tx, [patch] as Command<never>[], stack.runtime.config),
      )),
      ...(await statementsOf(tenant.id, (tx) => createWorkOrders(tx, [job] as Command<never>[]))),
      ...(await statementsOf(tenant.id, (tx) => renderAnswers(tx, [settled(invoice)]))),
      ...(await statementsOf(tenant.id, (tx) => renderAnswers(tx, [settled(job)]))),
    ];
    expect(statements.map((statement) => statement.name)).to.include.members([
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
    for (const { name, text, values } of statements) {
      const plan = await stack.runtime.db.transaction([tenant.id], async (tx) => {
        await tx.query({ text: `prepare checked(jsonb) as ${text}` });
        const parameter = String(values?.[0]).replaceAll("'", "''");
        const rows = await tx.query<Record<string, string>>({
          text: `explain execute checked('${parameter}')`,
        });
        await tx.query({ text: 'deallocate checked' });
        return (
          rows
            .map((row) => String(row['QUERY PLAN']))
            // The new numbers are joined to the batch itself, which is no table.
            .filter((line) => !line.includes('counter'))
            .join('\n')
        );
      });
      // A join filter means that a whole tenant is read and sifted; a sequential scan means the whole table.
      expect(plan, name).to.not.match(/Seq Scan on (?!r\b|input\b)|Join Filter/);
    }
  });

  it('of anybody but agents hold no statement of the gate', async () => {
    const invoice = commandOf('invoice.create', tenant.id, { invoice_number: 'P-3', line_items: [] });
    const patch = commandOf('invoice.update', tenant.id, { line_items: [] });
    const names = (statements: Statement[]) => statements.map(({ name }) => name);
    expect(names(await statementsOf(tenant.id, (tx) => takeAgentTurns(tx, [invoice, patch])))).to.deep.equal(
      [],
    );
    const creating = await statementsOf(tenant.id, (tx) => createInvoices(tx, [invoice] as Command<never>[]));
    expect(names(creating)).to.deep.equal(['tax-rates', 'insert-invoices']);
    const updating = await statementsOf(tenant.id, (tx) =>
      updateInvoices(tx, [patch] as Command<never>[], stack.runtime.config),
    );
    expect(names(updating)).to.deep.equal(['lock-invoices']);
  });
});
