import { mock } from 'node:test';
import { expect } from 'chai';
import type { Database } from '../../../../shared/platform/postgres/database.js';
import { KnownPrimary } from '../../../../shared/platform/primary/known-primary.js';
import { NewestPosition } from '../../../../shared/platform/replica/newest-position.js';

/** A primary whose answers the test sends. */
class FakePrimary {
  readonly answers: ((lsn: string) => void)[] = [];

  readonly query = (() =>
    new Promise((resolve) => {
      this.answers.push((lsn) =>
        resolve([{ system_identifier: '7', wal_file: '000000020000000000000001', lsn }] as never[]),
      );
    })) as Database['query'];
}

describe('the newest position of the primary', () => {
  let server: FakePrimary;
  let positions: NewestPosition;

  beforeEach(() => {
    server = new FakePrimary();
    positions = new NewestPosition(server, new KnownPrimary());
  });
  const drainTicks = () => new Promise((resolve) => setImmediate(resolve));
  const settle = (read: Promise<{ lsn: string }>) =>
    read.then(
      ({ lsn }) => lsn,
      (error: Error) => error.message,
    );

  it('callers share a query that was sent after their call, and never an earlier one', async () => {
    const first = settle(positions.read());
    await drainTicks();
    const [second, third] = [settle(positions.read()), settle(positions.read())];
    server.answers[0]?.('0/1');
    await drainTicks();
    server.answers[1]?.('0/2');
    expect(await Promise.all([first, second, third])).to.deep.equal(['0/1', '0/2', '0/2']);
    expect(server.answers).to.have.length(2);
  });

  it('a caller waits for half a second, and another query is sent once the first counts as lost', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const hung = settle(positions.read());
      await drainTicks();
      mock.timers.tick(500);
      expect(await hung).to.equal('the primary did not answer in time');
      const waiting = settle(positions.read());
      await drainTicks();
      expect(server.answers).to.have.length(1);
      mock.timers.tick(500);
      expect(await waiting).to.equal('the primary did not answer in time');
      mock.timers.tick(4000);
      await drainTicks();
      expect(server.answers).to.have.length(2);
      server.answers[1]?.('0/2');
      await drainTicks();
      const next = settle(positions.read());
      await drainTicks();
      server.answers[2]?.('0/3');
      expect(await next).to.equal('0/3');
    } finally {
      mock.timers.reset();
    }
  });

  it('the position of an old primary is refused', async () => {
    const primary = new KnownPrimary();
    primary.learn({ systemIdentifier: '7', timeline: 3 });
    const read = settle(new NewestPosition(server, primary).read());
    await drainTicks();
    server.answers[0]?.('0/4');
    expect(await read).to.match(/the newest primary has timeline 3/);
  });
});
