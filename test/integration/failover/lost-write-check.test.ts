import { expect } from 'chai';
import type { Command } from '../../../shared/contracts/command.js';
import { AcknowledgedWrites } from '../../../shared/operations/lost-writes/acknowledged-writes.js';
import { LostWriteCheck } from '../../../shared/operations/lost-writes/lost-write-check.js';
import { storeOperation } from '../../../shared/operations/store.js';
import { newId } from '../../../shared/platform/ids.js';
import { eventually } from '../../support/poll.js';
import { useOwnStack, useTenant } from '../../support/use-stack.js';
import { buildCommand } from '../../support/writes/commands.js';

const CONFIRM_MS = 500;
const OLD = { systemIdentifier: '7301', timeline: 1 };
const NEW = { systemIdentifier: '7301', timeline: 2 };

describe('the check for lost writes', () => {
  const stack = useOwnStack({ worker: false });
  const tenant = useTenant(stack);
  const other = useTenant(stack, 'Other Towing');
  let acknowledged: AcknowledgedWrites;
  let check: LostWriteCheck;
  let ends: { checked: number; lost: number }[];
  let errors: string[];

  const open = (confirmMs = CONFIRM_MS) => {
    acknowledged = new AcknowledgedWrites();
    ends = [];
    errors = [];
    const { config, db, metrics } = stack.runtime;
    const logger = {
      debug: () => undefined,
      error: (_entry: unknown, text: string) => void errors.push(text),
      info: (entry: { checked: number; lost: number }) =>
        void ends.push({ checked: entry.checked, lost: entry.lost }),
    } as unknown as typeof stack.runtime.logger;
    check = new LostWriteCheck({ config, db, logger, metrics }, acknowledged, confirmMs);
  };
  beforeEach(() => open());
  afterEach(() => check.close());

  /** Remembers a write that the primary does not have. */
  const acknowledge = (account = tenant.id): Command => {
    const command = buildCommand('customer.create', account, { company_name: 'C' });
    acknowledged.add(command);
    return command;
  };
  const insertAudit = ({ id, tenantId, entityId }: Command) =>
    stack.rows(
      tenantId,
      `insert into audit_entries (tenant_id, id, actor_type, source, action, entity_type, entity_id, outcome, request_id)
       values ($1, $2, 'system', 'job', 'customer.created', 'customer', $3, 'ok', 'r')`,
      [tenantId, id, entityId],
    );
  const listLost = async (account = tenant.id) =>
    (
      await stack.rows<{ command_id: string }>(
        account,
        'select l.command_id from lost_writes l where l.tenant_id = $1',
        [account],
      )
    ).map(({ command_id }) => command_id);
  const waitForEnd = () => eventually('the end of the check', () => ends[0]);

  it('a write that a worker runs again between the two looks is not reported', async () => {
    const slow = acknowledge();
    const lost = acknowledge();
    check.start(OLD, NEW);
    await new Promise((resolve) => setTimeout(resolve, CONFIRM_MS / 5));
    await insertAudit(slow);
    expect(await waitForEnd()).to.deep.equal({ checked: 2, lost: 1 });
    expect(await listLost())
      .to.include(lost.id)
      .and.not.include(slow.id);
    expect(errors).to.deep.equal(['acknowledged writes were lost: the new primary had not received them']);
  });

  it('a write that waits as an operation is not reported', async () => {
    const waiting = acknowledge();
    await storeOperation(stack.runtime.db, waiting, 60);
    check.start(OLD, NEW);
    expect(await waitForEnd()).to.deep.equal({ checked: 1, lost: 0 });
    expect(await listLost()).to.not.include(waiting.id);
  });

  it('a write whose reply arrives during the check is reported', async () => {
    check.start(OLD, NEW);
    await new Promise((resolve) => setTimeout(resolve, CONFIRM_MS / 5));
    const late = acknowledge();
    expect(await waitForEnd()).to.deep.equal({ checked: 1, lost: 1 });
    expect(await listLost()).to.include(late.id);
  });

  it('a process that stops ends its check at once, and reports nothing that it has not checked twice', async () => {
    open(600_000);
    const lost = acknowledge();
    check.start(OLD, NEW);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await check.close();
    expect(ends).to.deep.equal([]);
    expect(errors).to.deep.equal(['could not check whether acknowledged writes were lost']);
    expect(await listLost()).to.not.include(lost.id);
  });

  it('a lost write is counted and logged once, although the primary changes again', async () => {
    const { lostWrites } = stack.runtime.metrics;
    const readCount = async () => (await lostWrites.get()).values[0]?.value ?? 0;
    const before = await readCount();
    acknowledge();
    for (const lost of [1, 0]) {
      check.start(OLD, NEW);
      expect(await waitForEnd()).to.include({ lost });
      ends.length = 0;
    }
    expect((await readCount()) - before).to.equal(1);
    expect(errors).to.have.length(1);
  });

  it('a write of an account that is itself lost is reported', async () => {
    const account = newId();
    const lost = acknowledge(account);
    check.start(OLD, NEW);
    expect(await waitForEnd()).to.include({ lost: 1 });
    expect(await listLost(account)).to.deep.equal([lost.id]);
  });

  it('more writes than one transaction takes are reported to their accounts', async () => {
    const commands = Array.from({ length: 700 }, (_, nth) =>
      acknowledge(nth % 7 === 0 ? other.id : tenant.id),
    );
    check.start(OLD, NEW);
    expect(await waitForEnd()).to.deep.equal({ checked: 700, lost: 700 });
    expect(await listLost()).to.include.members(
      commands.filter(({ tenantId }) => tenantId === tenant.id).map(({ id }) => id),
    );
    expect(await listLost(other.id)).to.have.members(
      commands.filter(({ tenantId }) => tenantId === other.id).map(({ id }) => id),
    );
    const { items } = (await other.client.get('/notices?kind=writes_lost')).body.data;
    expect(items).to.not.be.empty;
  });
});
