import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { usePayingStack } from '../../../support/vendors/paying.js';

describe('webhooks of payments during the steps of their connections', () => {
  requireContracts();
  const paying = usePayingStack();

  it('webhooks that name their record are stored while a step holds the queue, and are paid once after it', async () => {
    const account = await paying.createAccount();
    const ids = [await account.createInvoice(), await account.createInvoice(), await account.createInvoice()];
    const urls: string[] = [];
    for (const id of ids) urls.push((await account.openPayLink(id)).url);
    const [first = '', ...others] = urls;
    // The first webhook records the time of its arrival. The next ten seconds record none.
    account.double.pay(first);
    await account.waitForInvoice(ids[0] as string, 'paid');
    const { id: tenantId } = account.tenant;
    const countStored = async () =>
      (await paying.stack.rows(tenantId, "select 1 from inbound_notices where stream = 'payments'")).length;
    const before = await countStored();
    await paying.stack.runtime.db.transaction([tenantId], async (tx) => {
      await tx.query({ text: 'select 1 from connection_queues for no key update' });
      account.double.webhooks.habits.copies = 2;
      for (const url of others) account.double.pay(url);
      await eventually('both are stored', async () => (await countStored()) === before + others.length);
    });
    account.double.webhooks.habits.copies = 1;
    for (const id of ids) {
      await account.waitForInvoice(id, 'paid');
      expect(await account.listPayments(id)).to.have.length(1);
    }
  });
});
