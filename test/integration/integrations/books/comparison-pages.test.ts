/**
 * A comparison of months reads page by page, while people and the worker change both sides. It
 * loses no invoice, counts none twice, and ends.
 */
import { expect } from 'chai';
import { markSeen } from '../../../../shared/resources/books/reconciliation/found-rows.js';
import {
  lockReconciliation,
  startReconciliation,
} from '../../../../shared/resources/books/reconciliation/rows.js';
import {
  type Comparing,
  describeBooks,
  describeXero,
  THIS_MONTH,
} from '../../../support/vendors/comparing/comparing.js';
import { withPgClient } from '../../../support/writes/rows.js';

/** More than one page of either vendor. */
const MANY = 620;
const REFUSED = 'The query is not valid.';
/** An error in the form of either vendor. */
const REFUSAL = {
  Message: REFUSED,
  Fault: { type: 'ValidationFault', Error: [{ Message: REFUSED, code: '4000' }] },
};

describeBooks('pages of a comparison of months', (open) => {
  let comparing: Comparing;

  beforeEach(async () => {
    comparing = await open();
  });

  const failReads = (status: number, body?: object) => {
    comparing.account.double.misbehave = (name) =>
      name === comparing.edits.listCall ? { kind: 'status', status, ...(body ? { body } : {}) } : undefined;
  };
  const waitForError = () => comparing.waitFor('the error is shown', ({ error }) => error !== null);

  it('an invoice that the list has missed is read by its id, and counts', async () => {
    const { account, edits } = comparing;
    const [invoice] = await account.releaseBooked();
    await account.settle();
    // As if it were entered after the list, or moved to a page that was read before.
    edits.redate(invoice.invoice_number, '2025-12-15');
    comparing.atListCall(2, () => {
      edits.redate(invoice.invoice_number, `${THIS_MONTH}-01`);
      return undefined;
    });
    const { months, differences } = await comparing.compare();
    expect(differences, JSON.stringify(await comparing.listDifferences())).to.equal(0);
    expect(months[0].theirs).to.deep.include({ invoices: 1, invoiced_cents: 12_500 });
  });

  it('changes between two pages make the list miss no invoice, and count none twice', async () => {
    const { account, edits } = comparing;
    const [invoice] = await account.releaseBooked();
    await account.settle();
    edits.copyMany(invoice.invoice_number, MANY);
    comparing.atListCall(2, () => {
      for (let nth = 1; nth <= 60; nth++) edits.redate(`HAND-${nth}`, '2025-12-15');
      for (let nth = 61; nth <= 80; nth++) edits.renumber(`HAND-${nth}`, `AGAIN-${nth}`);
      return undefined;
    });
    const { months, differences } = await comparing.compare();
    expect(months[0].theirs.invoices).to.equal(MANY + 1);
    expect(months[0].ours.invoices).to.equal(1);
    expect(differences).to.equal(MANY);
  });

  it('a page that fails is shown and read again, and a new start counts everything once', async () => {
    const { account, edits } = comparing;
    const [invoice] = await account.releaseBooked();
    await account.settle();
    edits.copyMany(invoice.invoice_number, MANY);
    comparing.atListCall(2, () => ({ kind: 'status', status: 503 }));
    await comparing.start();
    const { status, months } = await waitForError();
    expect(status).to.equal('running');
    expect(months[0].theirs.invoices).to.be.within(1, MANY);
    account.double.misbehave = () => undefined;
    const report = await comparing.compare();
    expect(report).to.deep.include({ error: null, differences: MANY });
    expect(report.months[0].theirs.invoices).to.equal(MANY + 1);
  });

  it('a comparison fails with its reason if the vendor refuses it, or fails again and again', async () => {
    failReads(400, REFUSAL);
    const refused = await comparing.compare(undefined, 'failed');
    expect(refused.error).to.equal(REFUSED);
    expect(refused.ended_at).to.be.a('string');
    failReads(503);
    await comparing.start();
    await waitForError();
    await comparing.patchStored('failures = 19, next_at = now()');
    await comparing.account.hurry([]);
    expect((await comparing.waitForStatus('failed')).error).to.be.a('string');
  });

  it('a page that no retry can read ends the comparison at once, and does not pause the connection', async () => {
    const { account } = comparing;
    failReads(200, { padding: 'x'.repeat(5_000_000) });
    const tooLong = await comparing.compare(undefined, 'failed');
    expect(tooLong.error).to.equal('The response is too long.');
    account.double.misbehave = () => undefined;
    await account.releaseBooked();
    await account.settle();
    await withPgClient(account.stack.databaseUrl, async (client) => {
      await client.query('alter table compared_book_invoices add constraint refused check (false) not valid');
      const internal = await comparing
        .compare(undefined, 'failed')
        .finally(() => client.query('alter table compared_book_invoices drop constraint refused'));
      expect(internal.error).to.equal('Something went wrong on our side.');
    });
    expect((await account.client.get(`/connections/${account.connectionId}`)).body.status).to.equal('active');
  });

  it('a list that has too many pages ends the comparison', async () => {
    const { account, edits } = comparing;
    const [invoice] = await account.releaseBooked();
    await account.settle();
    edits.copyMany(invoice.invoice_number, MANY);
    failReads(503);
    await comparing.start();
    await waitForError();
    account.double.misbehave = () => undefined;
    await comparing.patchStored(`place = '{"side":"theirs","after":null,"pages":999}', next_at = now()`);
    await account.hurry([]);
    expect((await comparing.waitForStatus('failed')).error).to.match(/too many invoices .* Compare fewer/);
  });

  it('a comparison ends when the connection is disconnected', async () => {
    failReads(503);
    await comparing.start();
    await waitForError();
    comparing.account.double.misbehave = () => undefined;
    await comparing.account.disconnect();
    expect(await comparing.read()).to.deep.include({
      status: 'failed',
      error: 'The connection was disconnected.',
    });
  });

  it('a page that needs no call leaves the failures of the vendor as they are', async () => {
    const { account } = comparing;
    const { stack, tenant } = account;
    failReads(503);
    await comparing.start({ from: '2025-01', to: '2025-01' });
    await waitForError();
    account.double.misbehave = () => undefined;
    await account.pullAll();
    const ids = [tenant.id, account.connectionId];
    const isQueue = 'tenant_id = $1 and connection_id = $2';
    await stack.rows(
      tenant.id,
      `update connection_queues set consecutive_failures = 3 where ${isQueue}`,
      ids,
    );
    await comparing.patchStored(`place = '{"side":"ours","after":null,"pages":0}', next_at = now()`);
    await account.wake();
    await comparing.waitForStatus('complete');
    const text = `select consecutive_failures from connection_queues where ${isQueue}`;
    expect(await stack.rows(tenant.id, text, ids)).to.deep.equal([{ consecutive_failures: 3 }]);
  });

  it('a comparison is no stream, because workers of earlier versions read every due stream', async () => {
    const { stack, tenant, connectionId } = comparing.account;
    await comparing.compare();
    const text = 'select stream from sync_states where tenant_id = $1 and connection_id = $2';
    const streams = await stack.rows<{ stream: string }>(tenant.id, text, [tenant.id, connectionId]);
    expect(streams.map(({ stream }) => stream)).to.have.members([
      'describe',
      'choices',
      'customers',
      'invoices',
      'booked_payments',
      'books_sweep',
    ]);
  });

  it('a page that was stored while the next comparison started does not count for it', async () => {
    const { stack, tenant, connectionId } = comparing.account;
    const ref = { tenantId: tenant.id, connectionId };
    const { db } = stack.runtime;
    const months = { from: THIS_MONTH, to: THIS_MONTH };
    const inAccount = <T>(run: Parameters<typeof db.transaction<T>>[1]) =>
      db.transaction<T>([tenant.id], run);
    const findRow = async () => {
      const [row] = await stack.rows<{ id: string }>(
        tenant.id,
        'select id from book_reconciliations where tenant_id = $1',
        [tenant.id],
      );
      const reconciliation = await inAccount((tx) => lockReconciliation(tx, ref, String(row?.id)));
      if (!reconciliation) throw new Error('no comparison runs');
      return reconciliation;
    };
    const seen = [{ externalId: '145', invoiceId: null }];
    await inAccount((tx) => startReconciliation(tx, ref, months));
    const before = await findRow();
    await inAccount(async (tx) => {
      // The time of this transaction is earlier than that of the page.
      await tx.query({ text: 'select now()' });
      expect([
        ...(await inAccount((page) => markSeen(page, ref, { reconciliation: before, seen }))),
      ]).to.deep.equal(['145']);
      await startReconciliation(tx, ref, months);
    });
    const reconciliation = await findRow();
    const fresh = await inAccount((tx) => markSeen(tx, ref, { reconciliation, seen }));
    expect([...fresh]).to.deep.equal(['145']);
    const again = await inAccount((tx) => markSeen(tx, ref, { reconciliation, seen }));
    expect([...again]).to.deep.equal([]);
  });
});

describeXero('long comparisons of months', (open) => {
  it('more differences than are stored are counted once each', async () => {
    const comparing = await open();
    const { account, edits } = comparing;
    const [invoice] = await account.releaseBooked();
    await account.releaseBooked();
    await account.settle();
    edits.copyMany(invoice.invoice_number, 5000);
    const text = `delete from external_ids where tenant_id = $1 and kind = 'invoice'`;
    await account.stack.rows(account.tenant.id, text, [account.tenant.id]);
    const { differences, omitted, months } = await comparing.compare();
    expect({ differences, omitted }).to.deep.equal({ differences: 5002, omitted: 2 });
    expect(months[0]).to.deep.include({ differences: 5002 });
    expect(months[0].ours.invoices).to.equal(2);
  });

  it('drafts are in no sum and differ from nothing, but are counted', async () => {
    const comparing = await open();
    const { account, edits } = comparing;
    const [invoice] = await account.releaseBooked();
    await account.settle();
    for (const [nth, Status] of ['DRAFT', 'SUBMITTED'].entries()) {
      edits.copy(invoice.invoice_number, `DRAFT-${nth}`);
      edits.set(`DRAFT-${nth}`, { Status });
    }
    const { differences, months } = await comparing.compare();
    expect(differences).to.equal(0);
    expect(months[0]).to.deep.include({ drafts: 2 });
    expect(months[0].theirs.invoices).to.equal(1);
  });
});
