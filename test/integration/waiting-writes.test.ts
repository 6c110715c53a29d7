import { expect } from 'chai';
import { expectError } from '../support/expect-error.js';
import { invoiceInput, lineItem } from '../support/samples.js';
import { TestStack } from '../support/stack.js';

describe('writes that wait because no worker takes them', () => {
  let stack: TestStack;

  before(async () => {
    stack = await TestStack.start({ worker: false, environment: { WRITE_TIMEOUT_MS: '10000' } });
  });
  after(() => stack.stop());

  it('have 32 MiB of bodies of one account at most; another account still finds room', async () => {
    const noisy = await stack.createTenant();
    const quiet = await stack.createTenant();
    // Each body has 0.4 MB.
    const line = lineItem({ description: 'd'.repeat(2000) });
    const sent = Array.from({ length: 90 }, () =>
      noisy.client.post('/invoices', invoiceInput({ line_items: Array(200).fill(line) })),
    );
    const other = quiet.client.post('/invoices', invoiceInput());
    const answers = await Promise.all(sent);
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused).to.have.length.within(1, 20);
    for (const answer of refused) {
      expectError(answer, 503, 'service_unavailable');
      expect(answer.body.error.message).to.equal(
        'Too many writes are waiting. Send this one again in a moment.',
      );
    }
    for (const answer of answers)
      if (!refused.includes(answer)) expect(answer.status, answer.text).to.equal(202);
    expect((await other).status).to.equal(202);
  });
});
