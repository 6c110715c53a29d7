import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { findNextWorkMs } from '../../../shared/sync/begin-step.js';
import { type StartRule, startNextOperations } from '../../../shared/sync/operation-rows.js';
import { KNOWN_KINDS } from '../../../workers/integrations/kinds/record-kinds.js';
import { type TextingAccount, useTextingStack } from '../../support/vendors/texting.js';

const HOUR_MS = 3_600_000;

describe('the next work of a connection', () => {
  const texting = useTextingStack();
  let account: TextingAccount;

  before(async () => {
    account = await (await texting.createAccount()).connect();
    await account.client.post(`/connections/${account.connectionId}/pause`);
    await account.run("update connections set status = 'active' where id = $1");
    await account.run("update sync_states set next_at = now() + interval '1 day' where connection_id = $1");
    await account.run('update connection_queues set owner = gen_random_uuid() where connection_id = $1');
  });
  afterEach(() => account.run('delete from outbound_operations where connection_id = $1'));

  const insert = (kind: string, localId: string, wait: string, id = newId()) =>
    account.run(
      `insert into outbound_operations (tenant_id, id, connection_id, kind, local_id, verb, operation_key, next_at)
       values ('${account.tenant.id}', '${id}', $1, '${kind}', '${localId}', 'send', gen_random_uuid(), now() + interval '${wait}')`,
    );
  const look = (together?: StartRule['together']) => {
    const ref = { tenantId: account.tenant.id, connectionId: account.connectionId };
    const rule = { kinds: KNOWN_KINDS, isEnding: false, ...(together ? { together } : {}) };
    return texting.stack.runtime.db.transaction([ref.tenantId], async (tx) => ({
      started: (await startNextOperations(tx, ref, rule)).map(({ kind, local_id }) => `${kind} ${local_id}`),
      nextInMs: await findNextWorkMs(tx, ref, KNOWN_KINDS),
    }));
  };

  it('an operation that waits for an earlier one of its record is not the next work, so that no worker loops', async () => {
    const localId = newId();
    // Sort the ids, because two ids from the same millisecond have a random order.
    const [earlier, later] = [newId(), newId()].sort();
    await insert('message', localId, '1 h', earlier);
    await insert('message', localId, '0 s', later);
    const { started, nextInMs } = await look();
    expect(started).to.deep.equal([]);
    expect(nextInMs).to.be.within(HOUR_MS - 60_000, HOUR_MS);
  });

  it('an operation of a kind that this version does not know is not the next work', async () => {
    await insert('made_up', newId(), '0 s');
    const { started, nextInMs } = await look();
    expect(started).to.deep.equal([]);
    // The next work is the regular pull, which is due in an hour or later.
    expect(nextInMs).to.be.above(HOUR_MS - 60_000);
    const [row] = await account.run<{ attempts: number }>(
      'select attempts from outbound_operations where connection_id = $1',
    );
    expect(row?.attempts).to.equal(0);
  });

  it('the next page of a running comparison of months is the next work, although it is no stream', async () => {
    await account.run(
      `insert into book_reconciliations (tenant_id, connection_id, id, from_month, to_month, next_at)
       values ('${account.tenant.id}', $1, $1, '2026-01-01', '2026-01-01', now() - interval '1 s')`,
    );
    expect((await look()).nextInMs).to.be.below(0);
    await account.run("update connections set status = 'needs_reauth' where id = $1");
    expect((await look()).nextInMs ?? HOUR_MS).to.be.above(0);
    await account.run("update connections set status = 'active' where id = $1");
    await account.run('delete from book_reconciliations where connection_id = $1');
  });

  it('operations of different records start together, one of each record, if their kind allows it', async () => {
    const [first, second, third] = [newId(), newId(), newId()];
    await insert('message', first, '-5 s');
    await insert('message', first, '-4 s');
    await insert('pay_link', second, '-3 s');
    await insert('message', second, '-2 s');
    await insert('message', third, '-1 s');
    const { started } = await look({ kinds: ['message'], max: 4 });
    expect(started).to.have.members([`message ${first}`, `message ${second}`, `message ${third}`]);
  });

  it('no more operations start together than allowed', async () => {
    for (const wait of ['-4 s', '-3 s', '-2 s', '-1 s']) await insert('message', newId(), wait);
    expect((await look({ kinds: ['message'], max: 2 })).started).to.have.length(2);
    expect((await look({ kinds: ['message'], max: 1 })).started).to.have.length(1);
  });

  it('an operation of a kind that is written alone starts alone', async () => {
    await insert('pay_link', newId(), '-2 s');
    await insert('pay_link', newId(), '-1 s');
    await insert('message', newId(), '0 s');
    expect((await look({ kinds: ['message'], max: 4 })).started).to.have.length(1);
  });
});
