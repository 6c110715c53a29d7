import { expect } from 'chai';
import { Lifecycle, type SignalOptions } from '../../../shared/platform/lifecycle.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { useProcesses } from '../../support/load/processes.js';
import { buildScriptCommand } from '../../support/network/run-script.js';
import { eventually } from '../../support/poll.js';

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });

function createLifecycle(closers: Record<string, () => Promise<void> | void>): {
  lifecycle: Lifecycle;
  closed: string[];
} {
  const lifecycle = new Lifecycle(logger);
  const closed: string[] = [];
  for (const [name, close] of Object.entries(closers)) {
    lifecycle.onClose(name, () => {
      closed.push(name);
      return close();
    });
  }
  return { lifecycle, closed };
}

const hang = () => new Promise<void>(() => undefined);
const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Lifecycle', () => {
  it('closers run last-in first-out, one after the other', async () => {
    const running: string[] = [];
    const step = (name: string) => async () => {
      running.push(`${name} begins`);
      await nextTick();
      running.push(`${name} ends`);
    };
    const { lifecycle } = createLifecycle({
      postgres: step('postgres'),
      queue: step('queue'),
      http: step('http'),
    });
    expect(await lifecycle.close()).to.equal(true);
    expect(running).to.deep.equal(
      ['http', 'queue', 'postgres'].flatMap((name) => [`${name} begins`, `${name} ends`]),
    );
  });

  it('each closer runs once, however often close is called', async () => {
    const { lifecycle, closed } = createLifecycle({ a: nextTick, b: nextTick });
    expect(await Promise.all([lifecycle.close(), lifecycle.close()])).to.deep.equal([true, true]);
    await lifecycle.close();
    expect(closed).to.deep.equal(['b', 'a']);
  });

  it('isClosing is true from the first call of close', async () => {
    const { lifecycle } = createLifecycle({ a: nextTick });
    expect(lifecycle.isClosing).to.equal(false);
    const closing = lifecycle.close();
    expect(lifecycle.isClosing).to.equal(true);
    await closing;
  });

  for (const [failure, fail] of Object.entries({
    'throws immediately': () => {
      throw new Error('cannot close');
    },
    rejects: async () => {
      await nextTick();
      throw new Error('cannot close');
    },
  })) {
    it(`other closers run although one ${failure}, and close resolves with false`, async () => {
      const { lifecycle, closed } = createLifecycle({ postgres: nextTick, broken: fail, http: nextTick });
      expect(await lifecycle.close()).to.equal(false);
      expect(closed).to.deep.equal(['http', 'broken', 'postgres']);
    });
  }

  it('a closer that hangs past the deadline is abandoned, and the rest still run', async () => {
    const { lifecycle, closed } = createLifecycle({ postgres: nextTick, stuck: hang, http: nextTick });
    expect(await lifecycle.close(60)).to.equal(false);
    expect(closed).to.deep.equal(['http', 'stuck', 'postgres']);
  });
});

/**
 * Returns the source of a script. `start` and `close` are source texts of expressions that return
 * promises.
 */
const script = (start: string, close: string, options: object) => `
  import { Lifecycle } from './shared/platform/lifecycle.ts';
  import { createLogger } from './shared/platform/logger.ts';
  const lifecycle = new Lifecycle(createLogger({ level: 'silent', name: 'test', pretty: false }));
  lifecycle.onClose('last', () => process.stdout.write('last closed\\n'));
  lifecycle.onClose('first', () => { process.stdout.write('closing\\n'); return ${close}; });
  const staying = setInterval(() => undefined, 1000);
  const starting = ${start};
  lifecycle.closeOnSignals(starting, ${JSON.stringify(options)});
  process.stdout.write('ready\\n');
  starting.then(() => process.stdout.write('started\\n'));
`;
const RESOLVED = 'Promise.resolve()';

describe('Lifecycle.closeOnSignals', () => {
  const processes = useProcesses();
  const start = (startPromise: string, close: string, options: SignalOptions = {}) =>
    processes.start({ command: buildScriptCommand('-e', script(startPromise, close, options)) });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`${signal} closes in sequence and exits with 0`, async () => {
      const child = start(RESOLVED, RESOLVED);
      await child.waitForOutput(/started/);
      expect((await child.stop(signal)).code).to.equal(0);
      expect(child.output).to.equal('ready\nstarted\nclosing\nlast closed\n');
    });
  }

  it('the process exits with 1 when a closer failed', async () => {
    const child = start(RESOLVED, 'Promise.reject(new Error("x"))');
    await child.waitForOutput(/started/);
    expect((await child.stop()).code).to.equal(1);
    expect(child.output).to.include('last closed');
  });

  it('a signal during the start waits for the start before it closes', async () => {
    const child = start(
      'new Promise((resolve) => process.once("SIGTERM", () => setTimeout(resolve, 50)))',
      RESOLVED,
    );
    await child.waitForOutput(/ready/);
    await child.stop();
    expect(child.output).to.equal('ready\nstarted\nclosing\nlast closed\n');
  });

  it('the process closes and exits with 0 when the start exceeds startGraceMs', async () => {
    const child = start('new Promise(() => undefined)', RESOLVED, { startGraceMs: 50 });
    await child.waitForOutput(/ready/);
    expect((await child.stop()).code).to.equal(0);
    expect(child.output).to.equal('ready\nclosing\nlast closed\n');
  });

  it("two signals in quick succession count as one, because npm doubles the terminal's Ctrl-C", async () => {
    const untilSecond =
      'new Promise((end) => { process.on("SIGINT", end); process.stdout.write("listening\\n"); })';
    const child = start(RESOLVED, untilSecond);
    await child.waitForOutput(/started/);
    child.signal('SIGINT');
    await child.waitForOutput(/listening/);
    expect((await child.stop('SIGINT')).code).to.equal(0);
    expect(child.output).to.include('last closed');
  });

  it('repeated signals end a process whose close hangs, without closing the rest', async () => {
    const child = start(RESOLVED, 'new Promise(() => undefined)');
    await child.waitForOutput(/started/);
    await eventually('the end after repeated signals', () => {
      child.signal('SIGTERM');
      return child.end;
    });
    expect(child.end?.code).to.equal(1);
    expect(child.output).to.not.include('last closed');
  });
});
