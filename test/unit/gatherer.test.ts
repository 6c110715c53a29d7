import { expect } from 'chai';
import fc from 'fast-check';
import type { Command, CommandResult } from '../../shared/contracts/command.js';
import { newId } from '../../shared/platform/ids.js';
import { CommandGatherer, type SubmitOutcome } from '../../shared/queues/command-gatherer.js';
import { commandOf } from '../support/commands.js';

const MIB = 1024 * 1024;
/** Longer than any of these tests: nobody is late unless the test wants it. */
const NEVER_LATE_MS = 600_000;
const tenantId = newId();

function resultOf(command: Command): CommandResult {
  return { id: command.id, ok: true, status: 201, body: command.id, location: null, replayed: false };
}

interface SentJob {
  commands: Command[];
  refuse: (error: Error) => void;
}

/** A gatherer whose queue is in the test's hand: jobs are noted, and refused on demand. */
class Bench {
  readonly jobs: SentJob[] = [];
  readonly outcomes = new Map<string, SubmitOutcome[]>();
  readonly commands: Command[] = [];
  readonly bytesOf = new Map<string, number>();
  readonly gatherer: CommandGatherer;
  readonly settled: Promise<void>[] = [];

  constructor(timeoutMs = NEVER_LATE_MS) {
    this.gatherer = new CommandGatherer({
      timeoutMs,
      // At once, so that a test can tell every step; what a turn gathers has a test of its own.
      defer: (work) => work(),
      send: (commands) => new Promise((_, refuse) => this.jobs.push({ commands, refuse })),
    });
  }

  submit(bytes = 100, owner = tenantId): Command {
    const command = commandOf('invoice.create', owner, {});
    this.commands.push(command);
    this.bytesOf.set(command.id, bytes);
    const noted = this.gatherer.submit({ command, bytes }).then((outcome) => {
      this.outcomes.set(command.id, [...(this.outcomes.get(command.id) ?? []), outcome]);
    });
    this.settled.push(noted);
    return command;
  }

  submitMany(count: number, bytes = 100, owner = tenantId): Command[] {
    return Array.from({ length: count }, () => this.submit(bytes, owner));
  }

  reply(job: number, only?: (command: Command, index: number) => boolean): void {
    this.gatherer.receive((this.jobs[job]?.commands ?? []).filter(only ?? (() => true)).map(resultOf));
  }

  sizes(): number[] {
    return this.jobs.map((job) => job.commands.length);
  }
}

describe('CommandGatherer', () => {
  it('sends the first command at once, without waiting for company', () => {
    const bench = new Bench();
    const command = bench.submit();
    expect(bench.jobs).to.have.length(1);
    expect(bench.jobs[0]?.commands).to.deep.equal([command]);
  });

  it('lets what arrives in one turn of the event loop share a job, and sends it at the end of that turn', async () => {
    const jobs: Command[][] = [];
    const send = async (commands: Command[]) => void jobs.push(commands);
    const gatherer = new CommandGatherer({ timeoutMs: NEVER_LATE_MS, send });
    const [first, second, third] = [1, 2, 3].map(() => commandOf('invoice.create', tenantId, {})) as [
      Command,
      Command,
      Command,
    ];
    const settled = [first, second].map((command) => gatherer.submit({ command, bytes: 1 }));
    await new Promise((resolve) => setImmediate(resolve));
    settled.push(gatherer.submit({ command: third, bytes: 1 }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(jobs).to.deep.equal([[first, second], [third]]);
    gatherer.receive([first, second, third].map(resultOf));
    await Promise.all(settled);
  });

  it('keeps at most three jobs in flight and gathers what arrives meanwhile into the next', async () => {
    const bench = new Bench();
    const commands = bench.submitMany(10);
    expect(bench.sizes()).to.deep.equal([1, 1, 1]);
    bench.reply(1);
    expect(bench.sizes()).to.deep.equal([1, 1, 1, 7]);
    expect(bench.jobs[3]?.commands).to.deep.equal(commands.slice(3));
    for (const job of [0, 2, 3]) bench.reply(job);
    await Promise.all(bench.settled);
    expect(bench.gatherer.size).to.equal(0);
  });

  it('counts a job as in flight until the last of its commands is answered', () => {
    const bench = new Bench();
    bench.submitMany(5);
    bench.reply(0);
    expect(bench.sizes()).to.deep.equal([1, 1, 1, 2]);
    bench.submit();
    bench.reply(3, (_, index) => index === 0);
    expect(bench.sizes(), 'half a reply frees no slot').to.have.length(4);
    bench.reply(3, (_, index) => index === 1);
    expect(bench.sizes()).to.deep.equal([1, 1, 1, 2, 1]);
  });

  it('puts at most 256 commands into a job', () => {
    const bench = new Bench();
    bench.submitMany(3 + 600);
    for (const job of [0, 1, 2]) bench.reply(job);
    expect(bench.sizes()).to.deep.equal([1, 1, 1, 256, 256, 88]);
  });

  it('puts at most one mebibyte of bodies into a job, and a larger body alone', () => {
    const bench = new Bench();
    bench.submitMany(3);
    bench.submitMany(3, MIB / 2);
    bench.submit(1);
    bench.submit(2 * MIB);
    bench.submit(1);
    for (const job of [0, 1, 2]) bench.reply(job);
    expect(bench.sizes().slice(3)).to.deep.equal([2, 2, 1]);
    bench.reply(3);
    expect(bench.sizes().slice(3)).to.deep.equal([2, 2, 1, 1]);
  });

  it('tells every command of a refused job, and frees its slot', async () => {
    const bench = new Bench();
    bench.submitMany(5);
    bench.reply(0);
    const error = new Error('queue away');
    bench.submit();
    bench.jobs[3]?.refuse(error);
    await Promise.all([bench.settled[3], bench.settled[4]]);
    for (const command of bench.jobs[3]?.commands ?? []) {
      expect(bench.outcomes.get(command.id)).to.deep.equal([{ refused: error }]);
    }
    expect(bench.sizes(), 'the next job left').to.deep.equal([1, 1, 1, 2, 1]);
  });

  it('gives up a command at its deadline, and never sends one that was given up before it left', async () => {
    const bench = new Bench(20);
    const commands = bench.submitMany(4);
    await Promise.all(bench.settled);
    for (const command of commands) expect(bench.outcomes.get(command.id)).to.deep.equal(['late']);
    const next = bench.submit();
    expect(bench.jobs.map((job) => job.commands)).to.deep.equal([
      ...commands.slice(0, 3).map((one) => [one]),
      [next],
    ]);
    await Promise.all(bench.settled);
  });

  it('drops a reply that comes after the deadline', async () => {
    const bench = new Bench(20);
    const command = bench.submit();
    await Promise.all(bench.settled);
    bench.reply(0);
    await Promise.resolve();
    expect(bench.outcomes.get(command.id)).to.deep.equal(['late']);
  });

  it('takes the first of another tenant along with the next job, however much of one tenant is held', () => {
    const bench = new Bench();
    const many = bench.submitMany(2000);
    const others = ['second', 'third'].map((owner) => bench.submit(100, owner));
    bench.reply(0);
    const [job] = bench.jobs.slice(-1);
    expect(job?.commands).to.have.length(256).and.to.include.members(others);
    const own = job?.commands.filter((command) => command.tenantId === tenantId);
    expect(own, 'in its own order').to.deep.equal(many.slice(3, 3 + 254));
  });

  it('leaves a command that is too large for a job first in the next one', () => {
    const bench = new Bench();
    bench.submitMany(3);
    const small = bench.submit(MIB / 2);
    const large = bench.submit(MIB, 'second');
    const after = bench.submit(1);
    bench.reply(0);
    expect(bench.jobs.at(-1)?.commands).to.deep.equal([small, after]);
    bench.reply(1);
    expect(bench.jobs.at(-1)?.commands).to.deep.equal([large]);
  });
});

type Step =
  | { do: 'submit'; count: number; bytes: number; owner: string }
  | { do: 'reply'; job: number; share: number }
  | { do: 'refuse'; job: number }
  | { do: 'expire' };

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      count: fc.integer({ min: 1, max: 40 }),
      bytes: fc.integer({ min: 0, max: MIB }),
      owner: fc.constantFrom('first', 'second', 'third'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('reply' as const),
      job: fc.nat(60),
      share: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refuse' as const), job: fc.nat(60) }) },
);

/** Jobs with a command that has no outcome yet: what the gatherer must count as in flight. */
function openJobs(bench: Bench, known: ReadonlySet<string>): number {
  return bench.jobs.filter((job) => job.commands.some((command) => !known.has(command.id))).length;
}

async function take(bench: Bench, step: Step, answered: Set<string>): Promise<void> {
  if (step.do === 'submit') bench.submitMany(step.count, step.bytes, step.owner);
  const job = 'job' in step ? step.job % Math.max(bench.jobs.length, 1) : 0;
  const members = bench.jobs[job]?.commands ?? [];
  if (step.do === 'reply') {
    const now = members.filter((_, index) => index % step.share === 0);
    for (const command of now) answered.add(command.id);
    bench.reply(job, (_, index) => index % step.share === 0);
  }
  if (step.do === 'refuse' && members.length > 0) {
    for (const command of members) answered.add(command.id);
    bench.jobs[job]?.refuse(new Error(`refused ${job}`));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (step.do === 'expire') await bench.settled.at(-1);
}

function idsOf(commands: Command[], owner: string): string[] {
  return commands.filter((command) => command.tenantId === owner).map((command) => command.id);
}

/** However it came here: three slots are free, no more and no fewer. */
function expectThreeFreeSlots(bench: Bench): void {
  const before = bench.jobs.length;
  bench.submitMany(5);
  expect(bench.jobs.length - before, 'slots leaked or doubled').to.equal(3);
}

function expectWithinBounds(bench: Bench, commands: Command[]): void {
  expect(commands.length).to.be.within(1, 256);
  const bytes = commands.reduce((sum, command) => sum + (bench.bytesOf.get(command.id) ?? 0), 0);
  if (commands.length > 1) expect(bytes).to.be.at.most(MIB);
}

function expectOwnOutcomes(bench: Bench): void {
  for (const command of bench.commands) {
    const outcomes = bench.outcomes.get(command.id) ?? [];
    expect(outcomes, `outcomes of one command`).to.have.length(1);
    const [outcome] = outcomes;
    if (typeof outcome === 'object' && 'ok' in outcome) expect(outcome).to.deep.equal(resultOf(command));
  }
}

describe('CommandGatherer under any interleaving', () => {
  it('settles each command once with its own result, keeps its bounds and never leaks a slot', async () => {
    const property = fc.asyncProperty(fc.array(steps, { maxLength: 40 }), async (plan) => {
      const bench = new Bench();
      const answered = new Set<string>();
      for (const step of plan) {
        await take(bench, step, answered);
        expect(openJobs(bench, answered), 'jobs in flight').to.be.at.most(3);
      }
      // Whatever is left is answered, until nothing is sent any more.
      for (let job = 0; job < bench.jobs.length; job += 1) bench.reply(job);
      await Promise.all(bench.settled);
      expect(bench.gatherer.size).to.equal(0);
      const sent = bench.jobs.flatMap((job) => job.commands);
      expect(sent, 'each command leaves once').to.have.length(bench.commands.length);
      for (const owner of ['first', 'second', 'third'])
        expect(idsOf(sent, owner), 'in order of arrival').to.deep.equal(idsOf(bench.commands, owner));
      for (const { commands } of bench.jobs) expectWithinBounds(bench, commands);
      expectOwnOutcomes(bench);
      expectThreeFreeSlots(bench);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('does so too when commands run into their deadline anywhere on the way', async () => {
    const expiring = fc.array(fc.oneof(steps, fc.constant<Step>({ do: 'expire' })), { maxLength: 8 });
    const property = fc.asyncProperty(expiring, async (plan) => {
      const bench = new Bench(2);
      for (const step of plan) await take(bench, step, new Set());
      await Promise.all(bench.settled);
      expectOwnOutcomes(bench);
      expect(bench.gatherer.size).to.equal(0);
      expectThreeFreeSlots(bench);
      await Promise.all(bench.settled);
    });
    await fc.assert(property, { numRuns: 60 });
  });
});
