import { expect } from 'chai';
import { AcknowledgedWrites } from '../../../shared/operations/lost-writes/acknowledged-writes.js';
import { newId } from '../../../shared/platform/ids.js';

const MINUTE_MS = 60_000;

function createCommand(type = 'invoice.create') {
  return { id: newId(), tenantId: newId(), entityId: newId(), type, environment: 'live' as const };
}

const listAll = (writes: AcknowledgedWrites, options?: { from?: number }) => [...writes.list(options)].flat();

describe('the memory of acknowledged writes', () => {
  it('returns each write as it was added, oldest first', () => {
    const writes = new AcknowledgedWrites();
    const commands = [createCommand(), createCommand('payment.create'), createCommand()];
    const now = Date.now();
    for (const [index, command] of commands.entries()) writes.add(command, now + index);
    expect(listAll(writes)).to.deep.equal(
      commands.map((command, index) => ({
        tenant_id: command.tenantId,
        command_id: command.id,
        record_id: command.entityId,
        type: command.type,
        environment: 'live',
        acknowledged_at: now + index,
      })),
    );
  });

  it('keeps the last writes when it is full, and no more', () => {
    const writes = new AcknowledgedWrites(100);
    const commands = Array.from({ length: 250 }, () => createCommand());
    for (const command of commands) writes.add(command);
    const kept = listAll(writes).map(({ command_id }) => command_id);
    expect(kept).to.deep.equal(commands.slice(-100).map(({ id }) => id));
  });

  it('keeps writes from before an outage, however long it lasted, when new ones follow', () => {
    const writes = new AcknowledgedWrites();
    const now = Date.now();
    const commands = [createCommand(), createCommand(), createCommand()];
    for (const [nth, minutes] of [600, 599, 0].entries())
      writes.add(commands[nth] as (typeof commands)[number], now - minutes * MINUTE_MS);
    const kept = listAll(writes).map(({ command_id }) => command_id);
    expect(kept).to.deep.equal(commands.map(({ id }) => id));
  });

  it('lists only the writes from a given number on', () => {
    const writes = new AcknowledgedWrites(10);
    for (let nth = 0; nth < 25; nth += 1) writes.add(createCommand());
    const from = writes.nextNumber;
    const added = createCommand();
    writes.add(added);
    expect(listAll(writes, { from }).map(({ command_id }) => command_id)).to.deep.equal([added.id]);
  });

  it('omits writes that are overwritten while it lists', () => {
    const writes = new AcknowledgedWrites(1000);
    const commands = Array.from({ length: 2000 }, () => createCommand());
    for (const command of commands.slice(0, 1000)) writes.add(command);
    const listed: string[] = [];
    for (const list of writes.list()) {
      listed.push(...list.map(({ command_id }) => command_id));
      if (listed.length === 500) for (const command of commands.slice(1000, 1700)) writes.add(command);
    }
    const expected = [...commands.slice(0, 500), ...commands.slice(700, 1000)];
    expect(listed).to.deep.equal(expected.map(({ id }) => id));
  });

  it('takes at most 3 MB for 50,000 writes, and no more for further ones', () => {
    const writes = new AcknowledgedWrites();
    expect(writes.bytes).to.be.below(3_000_000);
    const command = createCommand();
    const before = process.memoryUsage();
    for (let nth = 0; nth < 200_000; nth += 1) writes.add(command);
    expect(listAll(writes)).to.have.length(50_000);
    expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).to.be.below(1_000_000);
  });
});
