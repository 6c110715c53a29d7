import { expect } from 'chai';
import { SWEEP_STREAM } from '../../../../shared/integrations/contract/books/sweep-stream.js';
import { eventually } from '../../../support/poll.js';
import { useBookingStack } from '../../../support/vendors/booking.js';
import type { BooksAccount } from '../../../support/vendors/books/books-account.js';
import type { Fault } from '../../../support/vendors/contracts/fault.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { buildFault } from '../../../support/vendors/doubles/quickbooks/refusal.js';
import { useXeroStack } from '../../../support/vendors/xero-booking.js';

interface SweepState {
  cursor: string | null;
  /** The hour of the day at which the next sweep starts, where the account is. */
  hour: number;
  is_later: boolean;
}

async function readSweep({ stack, tenant, connectionId }: BooksAccount<unknown>): Promise<SweepState> {
  const [row] = await stack.rows<SweepState>(
    tenant.id,
    `select s.cursor, extract(hour from s.next_at at time zone t.time_zone)::integer as hour, s.next_at > now() as is_later
     from sync_states s join tenants t on t.tenant_id = s.tenant_id
     where s.tenant_id = $1 and s.connection_id = $2 and s.stream = $3`,
    [tenant.id, connectionId, SWEEP_STREAM],
  );
  return row as SweepState;
}

async function waitForSweep(account: BooksAccount<unknown>): Promise<SweepState> {
  return eventually('the sweep waits for the night', async () => {
    const state = await readSweep(account);
    // It is due some time after the connection was made.
    if (state.is_later && state.cursor === null) await account.hurry([SWEEP_STREAM]);
    return state.is_later && state.cursor !== null && state;
  });
}

async function sweepNow(account: BooksAccount<unknown>): Promise<SweepState> {
  await waitForSweep(account);
  await account.hurry([SWEEP_STREAM]);
  return waitForSweep(account);
}

/**
 * Starts the sweep, and waits until it has been through all streams. An error of the connection,
 * such as a reached limit of calls, makes it wait meanwhile.
 */
async function sweepToTheEnd(account: BooksAccount<unknown>): Promise<SweepState> {
  await account.hurry([SWEEP_STREAM]);
  return eventually('the sweep has been through all streams', async () => {
    const state = await readSweep(account);
    if (state.is_later && state.cursor !== 'idle') await account.hurry([SWEEP_STREAM]);
    return state.is_later && state.cursor === 'idle' && state;
  });
}

/** Answers that the vendor would repeat: larger than a worker reads, and refused. */
const HOPELESS: Record<string, (vendor: string) => Fault> = {
  'too large': () => ({ kind: 'status', status: 200, body: { text: 'x'.repeat(4_500_000) } }),
  refused: (vendor) => ({
    kind: 'status',
    status: 400,
    ...(vendor === 'QuickBooks' ? { body: buildFault('4000', 'Error parsing query') } : {}),
  }),
};

/** Answers after which the vendor may answer the next read. */
const PASSING: Record<string, Fault> = {
  'gets 503': { kind: 'status', status: 503 },
  'gets no answer': { kind: 'cut_before' },
};

interface FailedRun {
  error: string;
  consecutive_failures: number;
  opened: number;
  status: string;
}

/** Lists the failed runs of the sweep, with the state of the circuit breaker. */
function listFailedRuns({ stack, tenant }: BooksAccount<unknown>, since: Date): Promise<FailedRun[]> {
  const read = `select r.error, q.consecutive_failures, q.opened, c.status from sync_runs r
    join connections c on c.tenant_id = r.tenant_id and c.id = r.connection_id
    join connection_queues q on q.tenant_id = r.tenant_id and q.connection_id = r.connection_id
    where r.tenant_id = $1 and r.stream = $2 and r.state = 'failed' and r.ended_at >= $3 order by r.id`;
  return stack.rows<FailedRun>(tenant.id, read, [tenant.id, SWEEP_STREAM, since.toISOString()]);
}

/** Reads for how many seconds the sweep waits after its last failure. */
async function readWaitSeconds({ stack, tenant }: BooksAccount<unknown>): Promise<number> {
  const read = `select extract(epoch from s.next_at - max(r.ended_at))::float8 as seconds from sync_states s
    join sync_runs r on r.tenant_id = s.tenant_id and r.connection_id = s.connection_id and r.stream = s.stream
    where s.tenant_id = $1 and s.stream = $2 and r.state = 'failed' group by s.next_at`;
  const [row] = await stack.rows<{ seconds: number }>(tenant.id, read, [tenant.id, SWEEP_STREAM]);
  return Number(row?.seconds);
}

/** Waits until only the sweep has anything to read or to write. */
async function settle(account: BooksAccount<unknown>): Promise<void> {
  await account.waitForWrites();
  await account.waitForNotices();
  await waitForSweep(account);
}

async function waitForFailures(
  account: BooksAccount<unknown>,
  { since, failures }: { since: Date; failures: number },
): Promise<void> {
  await eventually(
    `the sweep has failed ${failures} times`,
    async () => (await listFailedRuns(account, since)).length === failures,
  );
}

/** Makes the sweep due at once, and leaves the circuit breaker as it is. */
async function makeDue(account: BooksAccount<unknown>): Promise<void> {
  const update = 'update sync_states set next_at = now() where tenant_id = $1 and stream = $2';
  await account.stack.rows(account.tenant.id, update, [account.tenant.id, SWEEP_STREAM]);
  await account.wake();
}

const OPENED = {
  QuickBooks: () => {
    const booking = useBookingStack();
    return () => booking.createAccount();
  },
  Xero: () => {
    const booking = useXeroStack();
    return () => booking.createAccount();
  },
} satisfies Record<string, () => () => Promise<BooksAccount<unknown>>>;

for (const [vendor, open] of Object.entries(OPENED))
  describe(`the nightly sweep of the books at ${vendor}`, () => {
    requireContracts();
    const createAccount = open();
    let account: BooksAccount<unknown>;
    before(async () => {
      account = await createAccount();
    });

    it('the sweep of a new connection is not due while a release may still replace workers', async () => {
      const { cursor, is_later } = await readSweep(account);
      expect([cursor, is_later]).to.deep.equal([null, true]);
    });

    it('a payment that its webhook and the change feed both missed is found by the nightly sweep', async () => {
      const invoice = await account.release();
      await account.waitForBooked(invoice.invoice_number);
      await account.waitForWrites();
      await account.waitForNotices();
      await account.pullAll();
      account.double.webhooks.habits.isLost = true;
      const { bookkeeper } = account;
      const booked = bookkeeper.listInvoices().find(({ number }) => number === invoice.invoice_number);
      bookkeeper.payUnseen(String(booked?.id), 2501);
      await account.pullAll();
      expect(await account.listPayments(invoice.id)).to.deep.equal([]);
      await sweepNow(account);
      const { balance_due_cents } = await account.waitForInvoice(invoice.id, 'partially_paid');
      expect(balance_due_cents).to.equal(9999);
      // The next night finds nothing new.
      await sweepNow(account);
      expect(await account.listPayments(invoice.id)).to.have.length(1);
      expect(await account.listIssues()).to.deep.equal([]);
    });

    it('the next sweep starts between 1:00 and 5:00 at night where the account is', async () => {
      const before = await waitForSweep(account);
      expect(before.hour).to.be.within(1, 4);
      // A sync that a person asks for does not repeat everything at once.
      const sync = await account.client.post(`/connections/${account.connectionId}/sync`, {});
      expect(sync.status).to.equal(200);
      expect(await readSweep(account)).to.deep.equal(before);
    });

    it('a sweep that has read its pages of one night goes on at the same place in the next night', async () => {
      await waitForSweep(account);
      const since = new Date(Date.now() - 86_400_000).toISOString();
      const cursor = JSON.stringify({ since, stream: 0, cursor: null, pages: 149 });
      const update = 'update sync_states set cursor = $3 where tenant_id = $1 and stream = $2';
      await account.stack.rows(account.tenant.id, update, [account.tenant.id, SWEEP_STREAM, cursor]);
      const stopped = await sweepNow(account);
      expect(JSON.parse(String(stopped.cursor))).to.deep.equal({ since, stream: 1, cursor: null, pages: 0 });
      expect(stopped.hour).to.be.within(1, 4);
      const ended = await sweepNow(account);
      expect(ended.cursor).to.equal('idle');
    });

    for (const [problem, build] of Object.entries(HOPELESS))
      it(`a sweep whose pages are ${problem} is recorded, and waits for the night without a pause of the writes`, async () => {
        await waitForSweep(account);
        const since = new Date();
        account.double.misbehave = (name) => (name.startsWith('GET') ? build(vendor) : undefined);
        const { hour } = await sweepToTheEnd(account);
        account.double.misbehave = () => undefined;
        expect(hour).to.be.within(1, 4);
        const runs = await listFailedRuns(account, since);
        const streams = runs.map(({ error }) => error.split(':')[0]);
        expect(streams).to.deep.equal(['customers', 'invoices', 'booked_payments']);
        for (const { opened, status } of runs) expect([opened, status]).to.deep.equal([0, 'active']);
        const { invoice_number } = await account.release();
        await account.waitForBooked(invoice_number);
      });

    for (const [problem, fault] of Object.entries(PASSING))
      it(`a page of the sweep that ${problem} again and again is left out, and the writes to the books do not wait`, async () => {
        await settle(account);
        const since = new Date();
        account.double.misbehave = (name) => (name.startsWith('GET') ? fault : undefined);
        // After the last failure of a page, the sweep reads the next stream at once.
        for (const first of [1, 6, 11])
          for (const [nth, seconds] of [30, 120, 480, 1920].entries()) {
            await makeDue(account);
            await waitForFailures(account, { since, failures: first + nth });
            expect(await readWaitSeconds(account)).to.be.closeTo(seconds, 1);
          }
        await makeDue(account);
        await waitForFailures(account, { since, failures: 15 });
        const { cursor, hour } = await waitForSweep(account);
        expect(cursor).to.equal('idle');
        expect(hour).to.be.within(1, 4);
        const runs = await listFailedRuns(account, since);
        const leftOut = runs.filter(({ error }) => error.includes('left out of this sweep'));
        const streams = leftOut.map(({ error }) => error.split(':')[0]);
        expect(streams).to.deep.equal(['customers', 'invoices', 'booked_payments']);
        expect(runs.filter(({ error }) => error.includes('read this page again'))).to.have.length(12);
        for (const { consecutive_failures, opened, status } of runs)
          expect([consecutive_failures, opened, status]).to.deep.equal([0, 0, 'active']);
        account.double.misbehave = () => undefined;
        const { invoice_number } = await account.release();
        await account.waitForBooked(invoice_number);
      });

    it('a page of the sweep that is read at last leaves nothing out, and its failures do not count for the next page', async () => {
      await settle(account);
      const since = new Date();
      const fault = PASSING['gets 503'];
      account.double.misbehave = (name) => (name.startsWith('GET') ? fault : undefined);
      for (const failures of [1, 2, 3, 4]) {
        await makeDue(account);
        await waitForFailures(account, { since, failures });
      }
      // Only the page of the customers is read.
      let reads = 0;
      const isFirst = (name: string) => name.startsWith('GET') && ++reads === 1;
      account.double.misbehave = (name) => (!name.startsWith('GET') || isFirst(name) ? undefined : fault);
      await makeDue(account);
      await waitForFailures(account, { since, failures: 5 });
      const place = JSON.parse(String((await readSweep(account)).cursor));
      expect(place).to.deep.include({ stream: 1, failures: 1 });
      account.double.misbehave = () => undefined;
      expect((await sweepNow(account)).cursor).to.equal('idle');
      const runs = await listFailedRuns(account, since);
      expect(runs).to.have.length(5);
      for (const { error } of runs) expect(error).to.include('read this page again');
    });
  });

describe('the nightly sweep of deleted and of old records', () => {
  requireContracts();
  const booking = useBookingStack();

  it('a payment whose deletion at QuickBooks was missed becomes an issue with both sides', async () => {
    const account = await booking.createAccount();
    const [invoice, booked] = await account.releaseBooked();
    const paid = booking.double.payInvoices(account.company, [{ invoiceId: booked.Id, amount: 125 }]);
    await account.waitForInvoice(invoice.id, 'paid');
    await account.waitForNotices();
    await account.pullAll();
    booking.double.webhooks.habits.isLost = true;
    account.company.remove('Payment', paid.Id, new Date(Date.now() - 6 * 3_600_000).toISOString());
    await account.pullAll();
    expect(await account.listIssues()).to.deep.equal([]);
    await sweepNow(account);
    const { ours, theirs } = await account.waitForIssue('difference');
    expect([ours, theirs]).to.deep.equal([{ amount_cents: 12_500 }, { amount_cents: 0 }]);
  });

  it('a sweep whose token is not renewed waits before it asks for another one, and keeps the access', async () => {
    const account = await booking.createAccount();
    await settle(account);
    const since = new Date();
    const expire =
      'update connection_secrets set access_expires_at = now() where tenant_id = $1 and connection_id = $2';
    const ids = [account.tenant.id, account.connectionId];
    await account.stack.rows(account.tenant.id, expire, ids);
    let requests = 0;
    booking.double.misbehave = (name) => {
      if (!name.endsWith('/bearer')) return undefined;
      requests += 1;
      return { kind: 'status', status: 400, body: { error: 'invalid_grant' } };
    };
    await makeDue(account);
    await waitForFailures(account, { since, failures: 1 });
    const [run] = await listFailedRuns(account, since);
    expect(run?.error).to.equal('The vendor refused to renew the access.');
    const read = `select extract(epoch from throttled_until - now())::float8 as seconds from connection_queues
      where tenant_id = $1 and connection_id = $2`;
    const [queue] = await account.stack.rows<{ seconds: number }>(account.tenant.id, read, ids);
    expect(queue?.seconds).to.be.within(20, 30);
    expect(await readWaitSeconds(account)).to.be.within(29, 31);
    expect(requests).to.equal(1);
    booking.double.misbehave = () => undefined;
    expect((await sweepNow(account)).cursor).to.equal('idle');
    expect((await account.readConnection()).status).to.equal('active');
  });

  it('a payment from long before the connection was made is not taken over by the nightly sweep', async () => {
    const account = await booking.createAccount();
    const [invoice, booked] = await account.releaseBooked();
    await account.waitForWrites();
    await account.waitForNotices();
    await account.pullAll();
    booking.double.webhooks.habits.isLost = true;
    const payAt = (amount: number, daysAgo: number) => {
      const paid = booking.double.payInvoices(account.company, [{ invoiceId: booked.Id, amount }]);
      const LastUpdatedTime = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
      for (const record of [paid, account.company.get('Invoice', booked.Id)])
        Object.assign(Object(record.MetaData), { LastUpdatedTime });
    };
    payAt(20, 3);
    payAt(30, 0.5);
    await account.pullAll();
    await sweepNow(account);
    await account.waitForInvoice(invoice.id, 'partially_paid');
    const payments = await account.listPayments(invoice.id);
    expect(payments.map(({ amount_cents }) => amount_cents)).to.deep.equal([3000]);
  });
});
