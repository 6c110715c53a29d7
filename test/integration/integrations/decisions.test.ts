import { expect } from 'chai';
import { eventually } from '../../support/poll.js';
import { type TextingAccount, useTextingStack } from '../../support/vendors/texting.js';

describe('a decision about a sync issue', () => {
  const texting = useTextingStack();
  let account: TextingAccount;

  before(async () => {
    account = await (await texting.createAccount()).connect();
  });

  /**
   * Sends a text to a number that the vendor refuses, and returns the resulting sync issue, which a
   * person must decide.
   */
  const openIssue = async () => {
    const id = await account.sendText('+12125550000');
    return eventually('the issue', async () => {
      const { body } = await account.client.get('/sync-issues?status=open');
      return body.data.items.find(({ record_id }: { record_id: string }) => record_id === id);
    });
  };

  it('the decision to ignore a sync issue keeps its operation out of the replay of a period', async () => {
    const issue = await openIssue();
    await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'ignore' });
    const path = `/connections/${account.connectionId}/operations/replay`;
    const { body } = await account.client.post(path, { since: '2026-01-01T00:00:00Z' });
    expect(body.replayed).to.equal(0);
  });

  it("a decision about a sync issue locks the connection's queue first, so that it cannot deadlock with a replay or a worker", async () => {
    const { stack } = texting;
    const issue = await openIssue();
    const resolved = await stack.runtime.db.transaction([account.tenant.id], async (tx) => {
      await tx.query({ text: "set local lock_timeout = '500ms'" });
      await tx.query({ text: 'select 1 from connection_queues for no key update' });
      const response = account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'retry' });
      await eventually('its command waits', async () => {
        const waiting = await stack.rows(account.tenant.id, 'select 1 from pg_locks where not granted');
        return waiting.length > 0;
      });
      await tx.query({ text: 'update outbound_operations set last_error = last_error' });
      await tx.query({ text: 'update sync_issues set note = note' });
      return { response };
    });
    expect((await resolved.response).body.status).to.equal('resolved');
  });

  it('a sync issue asks for a decision when the vendor accepts two records under one id, and both count as sent', async () => {
    const first = await account.sendText('+12125559001');
    await account.waitForMessages([first], 'sent');
    texting.double.repeatsLastId = true;
    const second = await account.sendText('+12125559002');
    await account.waitForMessages([second], 'sent');
    texting.double.repeatsLastId = false;
    const [operation] = await account.findOperations(second);
    expect(operation).to.include({ state: 'done', attempts: 1, external_id: null });
    const issue = await eventually('the issue', async () => {
      const { body } = await account.client.get('/sync-issues?kind=conflict');
      return body.data.items[0];
    });
    expect(issue).to.include({ record_id: second, status: 'open' });
  });
});
