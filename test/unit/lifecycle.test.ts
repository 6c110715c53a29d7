import { expect } from 'chai';
import { Lifecycle, type SignalOptions } from '../../shared/platform/lifecycle.js';
import { createLogger } from '../../shared/platform/logger.js';
import { eventually } from '../support/poll.js';
import { useProcesses } from '../support/processes.js';
import { scriptCommand } from '../support/run-script.js';

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });

function lifecycleOf(closers: Record<string, () => Promise<void> | void>): {
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
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Lifecycle', () => {
  it('closes last-in first-out, one after the other', async () => {
    const running: string[] = [];
    const step = (name: string) => async () => {
      running.push(`${name} begins`);
      await turn();
      running.push(`${name} ends`);
    };
    const { lifecycle } = lifecycleOf({
      postgres: step('postgres'),
      queue: step('queue'),
      http: step('http'),
    });
    expect(await lifecycle.close()).to.equal(true);
    expect(running).to.deep.equal(
      ['http', 'queue', 'postgres'].flatMap((name) => [`${name} begins`, `${name} ends`]),
    );
  });

  it('runs each closer once, however often it is told to close', async () => {
    const { lifecycle, closed } = lifecycleOf({ a: turn, b: turn });
    expect(await Promise.all([lifecycle.close(), lifecycle.close()])).to.deep.equal([true, true]);
    await lifecycle.close();
    expect(closed).to.deep.equal(['b', 'a']);
  });

  it('knows that it is closing from the first moment on', async () => {
    const { lifecycle } = lifecycleOf({ a: turn });
    expect(lifecycle.isClosing).to.equal(false);
    const closing = lifecycle.close();
    expect(lifecycle.isClosing).to.equal(true);
    await closing;
  });

  for (const [how, fail] of Object.entries({
    'throws at once': () => {
      throw new Error('cannot close');
    },
    rejects: async () => {
      await turn();
      throw new Error('cannot close');
    },
  })) {
    it(`runs the other closers although one ${how}, and tells that it was not clean`, async () => {
      const { lifecycle, closed } = lifecycleOf({ postgres: turn, broken: fail, http: turn });
      expect(await lifecycle.close()).to.equal(false);
      expect(closed).to.deep.equal(['http', 'broken', 'postgres']);
    });
  }

  it('gives up on a closer that hangs past the deadline, and still runs the rest', async () => {
    const { lifecycle, closed } = lifecycleOf({ postgres: turn, stuck: hang, http: turn });
    expect(await lifecycle.close(60)).to.equal(false);
    expect(closed).to.deep.equal(['http', 'stuck', 'postgres']);
  });
});

/** A process that closes on signals, with a closer that takes as long as the text says. */
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
const AT_ONCE = 'Promise.resolve()';

describe('Lifecycle.closeOnSignals', () => {
  const processes = useProcesses();
  const start = (how: string, close: string, options: SignalOptions = {}) =>
    processes.start({ command: scriptCommand('-e', script(how, close, options)) });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`closes in order on ${signal} and exits 0`, async () => {
      const child = start(AT_ONCE, AT_ONCE);
      await child.prints(/started/);
      expect((await child.stop(signal)).code).to.equal(0);
      expect(child.output).to.equal('ready\nstarted\nclosing\nlast closed\n');
    });
  }

  it('exits 1 when a closer failed', async () => {
    const child = start(AT_ONCE, 'Promise.reject(new Error("x"))');
    await child.prints(/started/);
    expect((await child.stop()).code).to.equal(1);
    expect(child.output).to.include('last closed');
  });

  it('waits for the start to end before it closes what is half open', async () => {
    const child = start(
      'new Promise((resolve) => process.once("SIGTERM", () => setTimeout(resolve, 50)))',
      AT_ONCE,
    );
    await child.prints(/ready/);
    await child.stop();
    expect(child.output).to.equal('ready\nstarted\nclosing\nlast closed\n');
  });

  it('closes what is open, and exits 0, when the start does not end within startGraceMs', async () => {
    const child = start('new Promise(() => undefined)', AT_ONCE, { startGraceMs: 50 });
    await child.prints(/ready/);
    expect((await child.stop()).code).to.equal(0);
    expect(child.output).to.equal('ready\nclosing\nlast closed\n');
  });

  it('takes signals that come together for one: npm doubles the Ctrl-C of a terminal', async () => {
    const untilSecond =
      'new Promise((end) => { process.on("SIGINT", end); process.stdout.write("listening\\n"); })';
    const child = start(AT_ONCE, untilSecond);
    await child.prints(/started/);
    child.signal('SIGINT');
    await child.prints(/listening/);
    expect((await child.stop('SIGINT')).code).to.equal(0);
    expect(child.output).to.include('last closed');
  });

  it('exits without closing for a person who keeps signalling a close that hangs', async () => {
    const child = start(AT_ONCE, 'new Promise(() => undefined)');
    await child.prints(/started/);
    await eventually('the end after repeated signals', () => {
      child.signal('SIGTERM');
      return child.end;
    });
    expect(child.end?.code).to.equal(1);
    expect(child.output).to.not.include('last closed');
  });
});
