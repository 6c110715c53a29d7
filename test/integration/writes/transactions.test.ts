import { expect } from 'chai';
import { TransactionEndedError } from '../../../shared/platform/errors.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const ONE = { text: 'select 1 as one' };

describe('database transactions', () => {
  const stack = useStack({ worker: false });
  const tenant = useTenant(stack);

  /**
   * Each function ends a transaction in a different way, and passes the transaction object to
   * `keep`.
   */
  const endings: Record<string, (keep: (tx: Transaction) => void) => Promise<unknown>> = {
    'has committed': (keep) => stack.runtime.db.transaction([tenant.id], async (tx) => keep(tx)),
    'was rehearsed': (keep) => stack.runtime.db.runAndRollBack([tenant.id], async (tx) => keep(tx)),
    'was rolled back by an error': (keep) =>
      stack.runtime.db
        .transaction([tenant.id], async (tx) => {
          keep(tx);
          throw new Error('work failed');
        })
        .catch(() => undefined),
    'was rolled back by PostgreSQL': (keep) =>
      stack.runtime.db
        .transaction([tenant.id], async (tx) => {
          keep(tx);
          await tx.query({ text: 'select 1 / 0' });
        })
        .catch(() => undefined),
  };

  async function endedTransaction(end: (typeof endings)[string]): Promise<Transaction> {
    const kept: Transaction[] = [];
    await end((tx) => kept.push(tx));
    return kept[0] as Transaction;
  }

  for (const [name, end] of Object.entries(endings)) {
    it(`a database transaction refuses query and queryAtCommit after it ${name}`, async () => {
      const tx = await endedTransaction(end);
      const refusal = await tx.query(ONE).catch((error: unknown) => error);
      expect(refusal).to.be.instanceOf(TransactionEndedError);
      expect(() => tx.queryAtCommit(ONE)).to.throw(TransactionEndedError);
    });
  }

  it('a late query on an ended transaction never sees rows of the tenant that uses its connection next', async () => {
    const other = await stack.createTenant();
    const tx = await endedTransaction((keep) =>
      stack.runtime.db.transaction([tenant.id], async (open) => keep(open)),
    );
    const late = await stack.runtime.db.transaction([other.id], async (open) => {
      await open.query(ONE);
      return tx.query({ text: 'select tenant_id from tenants' }).catch((error: unknown) => error);
    });
    expect(late).to.be.instanceOf(TransactionEndedError);
  });

  it('a database transaction refuses a query of a branch that continues after another branch failed', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const work = async (tx: Transaction) => {
      const failing = tx.query({ text: 'select 1 / 0' });
      late = failing.catch(async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return tx.query(ONE).catch((error: unknown) => error);
      });
      await Promise.all([failing, late]);
    };
    const failure = await stack.runtime.db.transaction([tenant.id], work).catch((error: unknown) => error);
    expect(String(failure)).to.include('division by zero');
    expect(await late).to.be.instanceOf(TransactionEndedError);
  });
});
