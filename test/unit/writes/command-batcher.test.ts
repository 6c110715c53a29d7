import { expect } from 'chai';
import fc from 'fast-check';
import type { Command, CommandResult } from '../../../shared/contracts/command.js';
import { newId } from '../../../shared/platform/ids.js';
import { CommandBatcher, type SubmitOutcome } from '../../../shared/queues/batching/command-batcher.js';
import { countRuns } from '../../support/count-runs.js';
import { buildCommand } from '../../support/writes/commands.js';

const MIB = 1024 * 1024;
/** This timeout is longer than any of these tests, so that no command times out by accident. */
const NEVER_LATE_MS = 600_000;
const tenantId = newId();

function createResult(command: Command): CommandResult {
  return { id: command.id, ok: true, status: 201, body: command.id, location: null, replayed: false };
}

/** Runs `work` while Date.now stands still. */
function withStoppedClock<Result>(work: () => Result): Result {
  const { now } = Date;
  const time = now();
  Date.now = () => time;
  try {
    return work();
  } finally {
    Date.now = now;
  }
}

interface SentJob {
  commands: Command[];
  refuse: (error: Error) => void;
}

/** Wraps a batcher. The test can read the batcher's jobs and refuse them. */
class TestBatcher {
  readonly jobs: SentJob[] = [];
  readonly outcomes = new Map<string, SubmitOutcome[]>();
  readonly commands: Command[] = [];
  readonly bytesOf = new Map<string, number>();
  readonly batcher: CommandBatcher;
  readonly completions: Promise<void>[] = [];

  constructor(timeoutMs = NEVER_LATE_MS) {
    this.batcher = new CommandBatcher({
      timeoutMs,
      // Send immediately instead of in the next event-loop tick, so that a test sees every step.
      defer: (work) => work(),
      send: (commands) => new Promise((_, refuse) => this.jobs.push({ commands, refuse })),
    });
  }

  submit(bytes = 100, owner = tenantId): Command {
    const command = buildCommand('invoice.create', owner, {});
    this.commands.push(command);
    this.bytesOf.set(command.id, bytes);
    const completion = this.batcher.submit({ command, bytes }).then((outcome) => {
      this.outcomes.set(command.id, [...(this.outcomes.get(command.id) ?? []), outcome]);
    });
    this.completions.push(completion);
    return command;
  }

  submitMany(count: number, bytes = 100, owner = tenantId): Command[] {
    return Array.from({ length: count }, () => this.submit(bytes, owner));
  }

  reply(job: number, only?: (command: Command, index: number) => boolean): void {
    this.batcher.receive((this.jobs[job]?.commands ?? []).filter(only ?? (() => true)).map(createResult));
  }

  sizes(): number[] {
    return this.jobs.map((job) => job.commands.length);
  }
}

describe('batches of commands', () => {
  it('the first command is sent immediately, without waiting for others', () => {
    const scenario = new TestBatcher();
    const command = scenario.submit();
    expect(scenario.jobs).to.have.length(1);
    expect(scenario.jobs[0]?.commands).to.deep.equal([command]);
  });

  it('commands of one event-loop tick share a job, sent at the end of that tick', async () => {
    const jobs: Command[][] = [];
    const send = async (commands: Command[]) => void jobs.push(commands);
    const batcher = new CommandBatcher({ timeoutMs: NEVER_LATE_MS, send });
    const [first, second, third] = [1, 2, 3].map(() => buildCommand('invoice.create', tenantId, {})) as [
      Command,
      Command,
      Command,
    ];
    const completions = [first, second].map((command) => batcher.submit({ command, bytes: 1 }));
    await new Promise((resolve) => setImmediate(resolve));
    completions.push(batcher.submit({ command: third, bytes: 1 }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(jobs).to.deep.equal([[first, second], [third]]);
    batcher.receive([first, second, third].map(createResult));
    await Promise.all(completions);
  });

  it('at most three jobs are in flight, and commands that arrive meanwhile form the next job', async () => {
    const scenario = new TestBatcher();
    const commands = scenario.submitMany(10);
    expect(scenario.sizes()).to.deep.equal([1, 1, 1]);
    scenario.reply(1);
    expect(scenario.sizes()).to.deep.equal([1, 1, 1, 7]);
    expect(scenario.jobs[3]?.commands).to.deep.equal(commands.slice(3));
    for (const job of [0, 2, 3]) scenario.reply(job);
    await Promise.all(scenario.completions);
    expect(scenario.batcher.size).to.equal(0);
  });

  it('a job is in flight until its last command has a reply', () => {
    const scenario = new TestBatcher();
    scenario.submitMany(5);
    scenario.reply(0);
    expect(scenario.sizes()).to.deep.equal([1, 1, 1, 2]);
    scenario.submit();
    scenario.reply(3, (_, index) => index === 0);
    expect(scenario.sizes(), 'half a reply frees no slot').to.have.length(4);
    scenario.reply(3, (_, index) => index === 1);
    expect(scenario.sizes()).to.deep.equal([1, 1, 1, 2, 1]);
  });

  it('a job has at most 256 commands', () => {
    const scenario = new TestBatcher();
    scenario.submitMany(3 + 600);
    for (const job of [0, 1, 2]) scenario.reply(job);
    expect(scenario.sizes()).to.deep.equal([1, 1, 1, 256, 256, 88]);
  });

  it('a job has at most one mebibyte of bodies, and a larger body is sent alone', () => {
    const scenario = new TestBatcher();
    scenario.submitMany(3);
    scenario.submitMany(3, MIB / 2);
    scenario.submit(1);
    scenario.submit(2 * MIB);
    scenario.submit(1);
    for (const job of [0, 1, 2]) scenario.reply(job);
    expect(scenario.sizes().slice(3)).to.deep.equal([2, 2, 1]);
    scenario.reply(3);
    expect(scenario.sizes().slice(3)).to.deep.equal([2, 2, 1, 1]);
  });

  it('a refused job refuses each of its commands and frees its slot', async () => {
    const scenario = new TestBatcher();
    scenario.submitMany(5);
    scenario.reply(0);
    const error = new Error('queue unreachable');
    scenario.submit();
    scenario.jobs[3]?.refuse(error);
    await Promise.all([scenario.completions[3], scenario.completions[4]]);
    for (const command of scenario.jobs[3]?.commands ?? []) {
      expect(scenario.outcomes.get(command.id)).to.deep.equal([{ refused: error }]);
    }
    expect(scenario.sizes(), 'the next job left').to.deep.equal([1, 1, 1, 2, 1]);
  });

  it('a command is late at its deadline and is not sent if it was still waiting', async () => {
    const scenario = new TestBatcher(20);
    // Stop the clock, so that all four commands have the same deadline on any machine.
    const commands = withStoppedClock(() => scenario.submitMany(4));
    await Promise.all(scenario.completions);
    for (const command of commands) expect(scenario.outcomes.get(command.id)).to.deep.equal(['late']);
    const next = scenario.submit();
    expect(scenario.jobs.map((job) => job.commands)).to.deep.equal([
      ...commands.slice(0, 3).map((one) => [one]),
      [next],
    ]);
    await Promise.all(scenario.completions);
  });

  it('a reply after the deadline is dropped', async () => {
    const scenario = new TestBatcher(20);
    const command = scenario.submit();
    await Promise.all(scenario.completions);
    scenario.reply(0);
    await Promise.resolve();
    expect(scenario.outcomes.get(command.id)).to.deep.equal(['late']);
  });

  it('the next job includes the first command of other tenants, however many one tenant has', () => {
    const scenario = new TestBatcher();
    const many = scenario.submitMany(2000);
    const others = ['second', 'third'].map((owner) => scenario.submit(100, owner));
    scenario.reply(0);
    const [job] = scenario.jobs.slice(-1);
    expect(job?.commands).to.have.length(256).and.to.include.members(others);
    const own = job?.commands.filter((command) => command.tenantId === tenantId);
    expect(own, 'in sequence').to.deep.equal(many.slice(3, 3 + 254));
  });

  it('a command too large for a job comes first in the next job', () => {
    const scenario = new TestBatcher();
    scenario.submitMany(3);
    const small = scenario.submit(MIB / 2);
    const large = scenario.submit(MIB, 'second');
    const last = scenario.submit(1);
    scenario.reply(0);
    expect(scenario.jobs.at(-1)?.commands).to.deep.equal([small, last]);
    scenario.reply(1);
    expect(scenario.jobs.at(-1)?.commands).to.deep.equal([large]);
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

/** Returns how many jobs are in flight: those with a command that has no outcome yet. */
function openJobs(scenario: TestBatcher, known: ReadonlySet<string>): number {
  return scenario.jobs.filter((job) => job.commands.some((command) => !known.has(command.id))).length;
}

async function runStep(scenario: TestBatcher, step: Step, completedIds: Set<string>): Promise<void> {
  if (step.do === 'submit') scenario.submitMany(step.count, step.bytes, step.owner);
  const job = 'job' in step ? step.job % Math.max(scenario.jobs.length, 1) : 0;
  const members = scenario.jobs[job]?.commands ?? [];
  if (step.do === 'reply') {
    const now = members.filter((_, index) => index % step.share === 0);
    for (const command of now) completedIds.add(command.id);
    scenario.reply(job, (_, index) => index % step.share === 0);
  }
  if (step.do === 'refuse' && members.length > 0) {
    for (const command of members) completedIds.add(command.id);
    scenario.jobs[job]?.refuse(new Error(`refused ${job}`));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (step.do === 'expire') await scenario.completions.at(-1);
}

function listIds(commands: Command[], owner: string): string[] {
  return commands.filter((command) => command.tenantId === owner).map((command) => command.id);
}

function expectThreeFreeSlots(scenario: TestBatcher): void {
  const before = scenario.jobs.length;
  scenario.submitMany(5);
  expect(scenario.jobs.length - before, 'slots leaked or doubled').to.equal(3);
}

function expectWithinBounds(scenario: TestBatcher, commands: Command[]): void {
  expect(commands.length).to.be.within(1, 256);
  const bytes = commands.reduce((sum, command) => sum + (scenario.bytesOf.get(command.id) ?? 0), 0);
  if (commands.length > 1) expect(bytes).to.be.at.most(MIB);
}

function expectOwnOutcomes(scenario: TestBatcher): void {
  for (const command of scenario.commands) {
    const outcomes = scenario.outcomes.get(command.id) ?? [];
    expect(outcomes, `outcomes of one command`).to.have.length(1);
    const [outcome] = outcomes;
    if (typeof outcome === 'object' && 'ok' in outcome) expect(outcome).to.deep.equal(createResult(command));
  }
}

describe('batches of commands under any interleaving', () => {
  it('each command gets its own result once, the limits hold and no slot leaks', async () => {
    const property = fc.asyncProperty(fc.array(steps, { maxLength: 40 }), async (plan) => {
      const scenario = new TestBatcher();
      const completedIds = new Set<string>();
      for (const step of plan) {
        await runStep(scenario, step, completedIds);
        expect(openJobs(scenario, completedIds), 'jobs in flight').to.be.at.most(3);
      }
      // Reply until no more jobs are sent.
      for (let job = 0; job < scenario.jobs.length; job += 1) scenario.reply(job);
      await Promise.all(scenario.completions);
      expect(scenario.batcher.size).to.equal(0);
      const sent = scenario.jobs.flatMap((job) => job.commands);
      expect(sent, 'each command leaves once').to.have.length(scenario.commands.length);
      for (const owner of ['first', 'second', 'third'])
        expect(listIds(sent, owner), 'in sequence of arrival').to.deep.equal(
          listIds(scenario.commands, owner),
        );
      for (const { commands } of scenario.jobs) expectWithinBounds(scenario, commands);
      expectOwnOutcomes(scenario);
      expectThreeFreeSlots(scenario);
    });
    await fc.assert(property, { numRuns: countRuns(150) });
  });

  it('each command gets one outcome and no slot leaks when commands time out at any step', async () => {
    const expiring = fc.array(fc.oneof(steps, fc.constant<Step>({ do: 'expire' })), { maxLength: 8 });
    const property = fc.asyncProperty(expiring, async (plan) => {
      const scenario = new TestBatcher(2);
      for (const step of plan) await runStep(scenario, step, new Set());
      await Promise.all(scenario.completions);
      expectOwnOutcomes(scenario);
      expect(scenario.batcher.size).to.equal(0);
      expectThreeFreeSlots(scenario);
      await Promise.all(scenario.completions);
    });
    await fc.assert(property, { numRuns: countRuns(60) });
  });
});
