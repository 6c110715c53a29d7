import { expect } from 'chai';
import { autopaySweep } from '../../../../shared/resources/autopay-attempts/sweep.js';
import { findClaimDeadlines } from '../../../../shared/resources/claims/deadlines.js';
import { runIsolated } from '../../../../workers/writes/isolate-commands.js';
import { eventually } from '../../../support/poll.js';
import { type ClubAccount, useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { createBatchContext } from '../../../support/writes/batch-context.js';

describe('an invoice with a claim at RoadSync asks one payer', () => {
  requireContracts();
  const clubs = useClubStack();
  let account: ClubAccount;

  before(async () => {
    account = await clubs.createAccount();
  });
  afterEach(async () => {
    await setPartner(account.connectionId);
    await connection('resume');
  });

  const setPartner = (id: string | null) =>
    account.client.patch(`/customers/${account.customerId}`, { billing_connection_id: id });
  const connection = (action: 'pause' | 'resume') =>
    account.client.post(`/connections/${account.connectionId}/${action}`, {});
  const send = (id: string) => account.client.post(`/invoices/${id}/send`, {});
  const withdraw = (id: string) => account.client.post(`/claims/${id}/withdraw`, { reason: 'Bill by mail' });
  const listMessages = async (id: string) =>
    (await account.client.get(`/messages?invoice_id=${id}`)).body.data.items;

  /** Releases an invoice that RoadSync refuses. Its claim stays queued. */
  async function releaseRefused(): Promise<string> {
    const { shiftIds } = account.company.location;
    shiftIds.push('night');
    const id = await account.release(10_000);
    await eventually('it has failed', async () => (await account.readInvoice(id)).status === 'failed');
    shiftIds.pop();
    return id;
  }

  it('a customer without partner gets no mail until the claim is withdrawn', async () => {
    const id = await releaseRefused();
    await setPartner(null);
    const claim = await account.readClaim(id);
    const refused = await send(id);
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      409,
      `The invoice has a claim at a billing partner, which is queued. Withdraw it with POST /claims/${claim.id}/withdraw first.`,
    ]);
    const patched = await account.client.patch(`/invoices/${id}`, { status: 'sending' });
    expect(patched.status).to.equal(409);
    expect(await listMessages(id)).to.deep.equal([]);
    expect((await withdraw(claim.id)).status).to.equal(200);
    expect((await send(id)).status).to.equal(200);
    expect(await listMessages(id)).to.have.length(1);
    for (const issue of await account.listIssues())
      await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'ignore' });
    await account.hurry([]);
    expect(await account.readInvoice(id)).to.include({ status: 'sending' });
  });

  it('a failed mail is not retried while RoadSync may collect the invoice', async () => {
    await setPartner(null);
    const id = await account.createInvoice(10_000);
    await send(id);
    const [message] = await listMessages(id);
    const { stack, tenant } = account;
    const values = [tenant.id, id];
    const fail = `update messages set state = 'failed', error = 'x' where tenant_id = $1 and invoice_id = $2`;
    await stack.rows(tenant.id, fail, values);
    const failInvoice = `update invoices set status = 'failed', delivery_state = 'failed' where tenant_id = $1 and id = $2`;
    await stack.rows(tenant.id, failInvoice, values);
    await setPartner(account.connectionId);
    expect((await send(id)).status).to.equal(200);
    const retried = await account.client.post(`/messages/${message.id}/retry`, {});
    expect([retried.status, retried.body.error.code]).to.deep.equal([409, 'invalid_status_transition']);
    await account.waitForClaim(id, 'submitted');
  });

  it('an invoice that was mailed stays sent when its claim expires', async () => {
    const id = await releaseRefused();
    const { stack, tenant } = account;
    const values = [tenant.id, id];
    const mail = `update invoices set status = 'sending', delivery_state = 'sent' where tenant_id = $1 and id = $2`;
    await stack.rows(tenant.id, mail, values);
    const end = 'update claims set submit_by = now() where tenant_id = $1 and invoice_id = $2';
    await stack.rows(tenant.id, end, values);
    const found = await stack.runtime.db.transaction([tenant.id], (tx) => findClaimDeadlines(tx, 100));
    await runIsolated(createBatchContext(stack.runtime), found);
    await account.waitForClaim(id, 'expired');
    expect(await account.readInvoice(id)).to.include({ status: 'sending' });
  });

  it('an invoice whose queued or submitted claim is withdrawn can be sent again', async () => {
    await connection('pause');
    const queued = await account.release(10_000);
    const { id: claimId } = await account.readClaim(queued);
    await withdraw(claimId);
    await connection('resume');
    const { invoiceId, claim } = await account.releaseSent();
    await withdraw(claim.id);
    for (const id of [queued, invoiceId]) {
      const { status, delivery } = await account.readInvoice(id);
      expect([status, delivery.state, delivery.reason]).to.deep.equal(['failed', 'failed', 'Bill by mail']);
      const sent = await send(id);
      expect(sent.status, sent.text).to.equal(200);
      await account.waitForClaim(id, 'submitted');
    }
  });

  it('autopay does not charge an invoice until its claim is withdrawn', async () => {
    await connection('pause');
    const { stack, tenant } = account;
    const setAutopay = (value: string) =>
      stack.rows(tenant.id, `update customers set autopay = ${value} where tenant_id = $1`, [tenant.id]);
    await setAutopay(
      `jsonb_build_object('payment_method_id', gen_random_uuid(), 'when', 'release', 'since', now() - interval '1 day')`,
    );
    const id = await account.release(10_000);
    const isCharged = async () => {
      const found = await stack.runtime.db.transaction([tenant.id], (tx) => autopaySweep.find(tx, 1_000));
      return found.some(({ input }) => (input as { invoice_id?: string }).invoice_id === id);
    };
    expect(await isCharged()).to.equal(false);
    await withdraw((await account.readClaim(id)).id);
    expect(await isCharged()).to.equal(true);
    await setAutopay('null');
  });

  it('an invoice that is partly paid before RoadSync takes its claim counts as sent', async () => {
    await connection('pause');
    const id = await account.release(10_000);
    await account.client.post(`/invoices/${id}/payments`, { amount_cents: 3_000, method: 'cash' });
    await connection('resume');
    await account.waitForClaim(id, 'submitted');
    const { status, delivery, sent_at } = await account.readInvoice(id);
    expect([status, delivery.state]).to.deep.equal(['partially_paid', 'sent']);
    expect(sent_at).to.be.a('string');
  });
});
