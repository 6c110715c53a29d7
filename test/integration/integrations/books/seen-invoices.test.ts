import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import {
  endReconciliations,
  startReconciliation,
} from '../../../../shared/resources/books/reconciliation/rows.js';
import { deleteSeenInvoices } from '../../../../shared/resources/books/reconciliation/seen-sweep.js';
import { createClockTasks } from '../../../support/clock.js';
import { useStack, useTenant } from '../../../support/use-stack.js';

const SEEN = 250;

describe('what a comparison of months has seen in the books', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  async function insertSeen(connectionId: string): Promise<void> {
    await stack.rows(
      tenant.id,
      `insert into compared_book_invoices (tenant_id, connection_id, external_id, reconciliation_id)
       select $1, $2, n::text, gen_random_uuid() from generate_series(1, ${SEEN}) n`,
      [tenant.id, connectionId],
    );
  }

  async function countSeen(connectionId: string): Promise<number> {
    const text = 'select from compared_book_invoices where tenant_id = $1 and connection_id = $2';
    return (await stack.rows(tenant.id, text, [tenant.id, connectionId])).length;
  }

  it('is deleted by the clock in batches once the comparison has ended, and kept while it runs', async () => {
    const { db } = stack.runtime;
    const [ended, running] = [newId(), newId()];
    for (const connectionId of [ended, running]) {
      await db.transaction([tenant.id], (tx) =>
        startReconciliation(tx, { tenantId: tenant.id, connectionId }, { from: '2026-01', to: '2026-01' }),
      );
      await insertSeen(connectionId);
    }
    await db.transaction([tenant.id], (tx) =>
      endReconciliations(tx, [{ tenant_id: tenant.id, id: ended }], { error: null }),
    );
    expect(await countSeen(ended), 'ending deletes nothing in its own transaction').to.equal(SEEN);
    expect(await db.transaction([tenant.id], (tx) => deleteSeenInvoices(tx, 100))).to.equal(100);
    expect(await countSeen(ended)).to.equal(SEEN - 100);
    await createClockTasks(stack.runtime)('delete-seen-book-invoices');
    expect(await countSeen(ended)).to.equal(0);
    expect(await countSeen(running)).to.equal(SEEN);
  });
});
