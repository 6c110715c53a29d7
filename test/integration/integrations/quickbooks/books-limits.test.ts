import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { findBooks, forgetBooks } from '../../../../shared/resources/books/find-books.js';
import { insertOperations } from '../../../../shared/sync/operation-rows.js';
import { eventually } from '../../../support/poll.js';
import { type BookingAccount, useBookingStack } from '../../../support/vendors/booking.js';
import { line } from '../../../support/vendors/books/books-account.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

describe('QuickBooks: limits lose nothing', () => {
  requireContracts();
  const booking = useBookingStack();
  let account: BookingAccount;
  beforeEach(async () => {
    account = await booking.createAccount();
  });

  const run = (text: string, values: unknown[] = []) =>
    account.stack.rows(account.tenant.id, text, [account.tenant.id, ...values]);

  it('differences beyond the 200 open ones are shown once there is room', async () => {
    const [first, one] = await account.releaseBooked();
    const [second] = await account.releaseBooked();
    await account.pay(second.id, 12_500);
    await account.settle();
    await account.waitForNotices();
    await run(
      `insert into sync_issues (tenant_id, id, connection_id, kind, record_kind, message, external_id, digest, seen_at)
       select $1, gen_random_uuid(), $2, 'difference', 'invoice', 'Other', 'other-' || n, 'x', now() from generate_series(1, 200) n`,
      [account.connectionId],
    );
    booking.double.edit(account.company, 'Invoice', one.Id, { TxnTaxDetail: { TotalTax: 5 } });
    const [payment] = account.company.list('Payment');
    booking.double.edit(account.company, 'Payment', String(payment?.Id), { TotalAmt: 100, Line: [] });
    await booking.double.webhooks.settle();
    await eventually('both records wait to be read later', async () => {
      await account.hurry([]);
      const rows = await run(
        `select hint from inbound_notices where tenant_id = $1 and is_waiting and dedupe_id like 'later/%'`,
      );
      return rows.length === 2;
    });
    await run(`delete from sync_issues where tenant_id = $1 and message = 'Other'`);
    const issues = await eventually('both differences are shown', async () => {
      await account.hurry([]);
      const found = await account.listIssues();
      return found.length === 2 && found;
    });
    expect(issues.map(({ record_kind }) => record_kind).sort()).to.deep.equal(['booked_payment', 'invoice']);
    expect(issues.map(({ record_id }) => record_id)).to.include(first.id);
    await account.waitForNotices();
  });

  it('a change of a payment that waits for our own write is read again', async () => {
    const [invoice, booked] = await account.releaseBooked();
    const payment = await account.pay(invoice.id, 5000);
    await account.settle();
    await account.waitForNotices();
    // A write of this payment waits, so the pull of its change is early.
    await run(
      `insert into outbound_operations (tenant_id, id, connection_id, kind, local_id, verb, operation_key, next_at, last_error_kind)
       values ($1, gen_random_uuid(), $2, 'booked_payment', $3, 'put', gen_random_uuid(), now() + interval '1 hour', 'limit')`,
      [account.connectionId, payment.id],
    );
    booking.double.webhooks.habits.isLost = true;
    const own = account.company
      .list('Payment')
      .find(({ PrivateNote }) => String(PrivateNote).endsWith(payment.id));
    booking.double.void(account.company, 'Payment', String(own?.Id));
    await run(
      `update sync_states set next_at = now() where tenant_id = $1 and stream = 'booked_payments' and connection_id = $2`,
      [account.connectionId],
    );
    await account.wake();
    const early = `select hint from inbound_notices where tenant_id = $1 and dedupe_id like 'early/%' and is_waiting`;
    await eventually('the change waits', async () => (await run(early)).length === 1);
    expect(await run(early)).to.deep.equal([{ hint: own?.Id }]);
    await run(
      `delete from outbound_operations where tenant_id = $1 and next_at is not null and local_id = $2`,
      [payment.id],
    );
    const issue = await eventually('the difference is shown', async () => {
      await account.hurry([]);
      return (await account.listIssues())[0];
    });
    expect(issue).to.include({ record_kind: 'booked_payment', record_id: payment.id });
    expect(booked.Balance).to.equal(125);
  });

  it('a success wakes only what waits for its record', async () => {
    const [invoice] = await account.releaseBooked();
    await account.settle();
    const postponed = randomUUID();
    await run(
      `insert into outbound_operations (tenant_id, id, connection_id, kind, local_id, verb, operation_key, next_at, last_error_kind)
       values ($1, $2, $3, 'invoice', $4, 'put', gen_random_uuid(), now() + interval '1 hour', 'limit')`,
      [postponed, account.connectionId, invoice.id],
    );
    await account.releaseBooked({ hurries: false });
    await eventually('the other writes have ended', async () => {
      const open = `select id from outbound_operations where tenant_id = $1 and next_at is not null and id <> $2`;
      return (await run(open, [postponed])).length === 0;
    });
    const [row] = await run(
      `select next_at > now() + interval '50 minutes' as waits from outbound_operations where tenant_id = $1 and id = $2`,
      [postponed],
    );
    expect(row).to.deep.equal({ waits: true });
    await account.settle();
  });

  it('a sync since a time enters older invoices that were paid since, page by page', async () => {
    await account.disconnect();
    const invoice = await account.release({ lines: [line({ unit_price_cents: 100_000 })] });
    await run(`update invoices set released_at = now() - interval '60 days' where tenant_id = $1`);
    await account.connect();
    await account.pay(invoice.id, 5000);
    await account.settle();
    expect(account.findBooked(invoice.invoice_number)).to.equal(undefined);
    const path = `/connections/${account.connectionId}/sync`;
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const { body } = await account.client.post(path, { since });
    expect(body).to.include({ pushed: 2, next_since: null });
    await account.settle();
    expect(account.findBooked(invoice.invoice_number)).to.include({ TotalAmt: 1000, Balance: 950 });
    await run(
      `insert into payments (tenant_id, id, invoice_id, amount_cents, applied_cents, method, received_at)
       select $1, gen_random_uuid(), $2, 1, 0, 'cash', now() + n * interval '1 second' from generate_series(1, 5003) n`,
      [invoice.id],
    );
    const headers = { 'X-Service-Dry-Run': 'true' };
    const first = await account.client.post(path, { since }, { headers });
    expect(first.body.data.pushed, JSON.stringify(first.body)).to.equal(5000);
    const next = await account.client.post(path, { since: first.body.data.next_since }, { headers });
    // The invoice comes again, with its remaining payments.
    expect(next.body.data).to.include({ pushed: 6, next_since: null });
  });

  it('batches lock the operations that they replace in the sequence of their ids', async () => {
    const { db } = account.stack.runtime;
    const tenant_id = account.tenant.id;
    const base = { tenant_id, connection_id: account.connectionId, verb: 'put', is_creation: false };
    // No worker of this version runs such operations.
    const build = (local_id: string) => ({ ...base, kind: 'future_kind', local_id });
    const [second, first] = [randomUUID(), randomUUID()].sort() as [string, string];
    // The operation with the later id is found first by every plan that does not sort by id.
    for (const [id, local_id] of [
      ['ffffffff-ffff-7fff-bfff-ffffffffffff', second],
      ['00000000-0000-7000-8000-000000000001', first],
    ])
      await run(
        `insert into outbound_operations (tenant_id, id, connection_id, kind, local_id, verb, operation_key)
         values ($1, $2, $3, 'future_kind', $4, 'put', gen_random_uuid())`,
        [id, account.connectionId, local_id],
      );
    const text = 'select from outbound_operations where tenant_id = $1 and local_id = $2 for update';
    let replacing: Promise<void> | undefined;
    await db.transaction([tenant_id], async (tx) => {
      await tx.query({ text, values: [tenant_id, first] });
      replacing = db.transaction([tenant_id], (other) => insertOperations(other, [second, first].map(build)));
      await sleep(500);
      // The other batch waits for the first operation, so it has not locked the second one yet.
      await tx.query({ text: `${text} nowait`, values: [tenant_id, second] });
    });
    await replacing;
    await run('delete from outbound_operations where tenant_id = $1 and local_id = any($2::uuid[])', [
      [first, second],
    ]);
  });

  it('a transaction looks its books up once, and again after a change of connections', async () => {
    const { db } = account.stack.runtime;
    let count = 0;
    await db.transaction([account.tenant.id], async (tx) => {
      const query = tx.query.bind(tx);
      tx.query = ((one: { name?: string }) => {
        if (one.name === 'find-books') count++;
        return query(one as never);
      }) as typeof tx.query;
      for (let index = 0; index < 3; index++)
        expect((await findBooks(tx, [account.tenant.id])).get(account.tenant.id)?.id).to.equal(
          account.connectionId,
        );
      expect(count).to.equal(1);
      forgetBooks(tx);
      await findBooks(tx, [account.tenant.id]);
    });
    expect(count).to.equal(2);
  });
});
