import { expect } from 'chai';
import { expectError } from '../../support/expect-error.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

describe('writes that wait because no worker runs', () => {
  const stack = useStack({ worker: false });

  it('waiting writes hold at most 32 MiB of bodies per account, and another account is still accepted', async () => {
    const noisy = await stack.createTenant();
    const quiet = await stack.createTenant();
    // The 90 bodies have 0.4 MB each.
    const largeLineItem = lineItem({ description: 'd'.repeat(2000) });
    const sent = Array.from({ length: 90 }, () =>
      noisy.client.post('/invoices', invoiceInput({ line_items: Array(200).fill(largeLineItem) })),
    );
    const other = quiet.client.post('/invoices', invoiceInput());
    const responses = await Promise.all(sent);
    const refused = responses.filter(({ status }) => status === 503);
    for (const response of refused) {
      expectError(response, 503, 'service_unavailable');
      expect(response.body.error.message).to.equal(
        'Too many writes are waiting. Send this one again in a moment.',
      );
    }
    expect(refused).to.have.length.within(1, 20);
    for (const response of responses)
      if (!refused.includes(response)) expect(response.status, response.text).to.equal(202);
    expect((await other).status).to.equal(202);
  });

  it('a write without a reply gets 202 although the account has too many slow reads', async () => {
    const { client, id } = await stack.createTenant();
    const { config, db } = stack.runtime;
    const answer = client.post('/invoices', invoiceInput());
    // Shortly before the write stops waiting for its reply, start slow reads. They occupy all
    // connections that the account's reads may use, and fill the queue for these connections.
    await new Promise((resolve) => setTimeout(resolve, config.writeTimeoutMs - 1000));
    // Use a different query each time, because reads of a query that is known to be slow wait in
    // another queue.
    const readSlowly = (count: number) =>
      Promise.allSettled(
        Array.from({ length: count }, (_, nth) => db.read(id, { text: `select pg_sleep(2), ${nth}` })),
      );
    const sharing = readSlowly(3);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const waiting = readSlowly(60);
    const { status, text } = await answer;
    expect(status, text).to.equal(202);
    const refused = (await waiting).filter((read) => read.status === 'rejected');
    expect(refused, 'the reads that were refused').not.to.deep.equal([]);
    await sharing;
  });
});
