import type { Job } from 'bullmq';
import { expect } from 'chai';
import type { Command } from '../../../shared/contracts/command.js';
import type { ClockJob } from '../../../shared/queues/clock.js';
import { buildClockCommand } from '../../../shared/records/sweeps/clock-command.js';
import { runExportSchedule } from '../../../shared/resources/export-schedules/commands.js';
import { createClockProcessor } from '../../../workers/clock/processor.js';
import type { Json, TestClient } from '../client.js';
import { eventually } from '../poll.js';
import { scheduleInput } from '../records/samples.js';
import type { TestStack } from '../stack.js';
import { ExportAccount } from './exports.js';

/**
 * Returns a function that runs the clock's task for export schedules once. Use it for stacks that
 * run without a clock.
 */
export function createScheduleClock(stack: TestStack): () => Promise<unknown> {
  const process = createClockProcessor(stack.runtime);
  return () => process({ name: 'run-export-schedules', data: {} } as Job<ClockJob>, '');
}

export class ScheduleAccount {
  readonly exports: ExportAccount;

  constructor(
    readonly stack: TestStack,
    readonly tenantId: string,
    readonly client: TestClient,
  ) {
    this.exports = new ExportAccount(stack, tenantId, client);
  }

  async create(overrides: Record<string, unknown> = {}): Promise<Json> {
    const response = await this.client.post('/export-schedules', scheduleInput(overrides));
    expect(response.status, response.text).to.equal(201);
    return response.body;
  }

  async read(id: string): Promise<Json> {
    const response = await this.client.get(`/export-schedules/${id}`);
    expect(response.status, response.text).to.equal(200);
    return response.body;
  }

  async patch(id: string, patch: object): Promise<Json> {
    const response = await this.client.patch(`/export-schedules/${id}`, patch);
    expect(response.status, response.text).to.equal(200);
    return response.body;
  }

  /**
   * Sets a schedule's next run to a time in the past, and returns the schedule.
   * @param since is an SQL interval, counted back from now
   */
  async makeDue(id: string, since = '1 minute'): Promise<Json> {
    const text = `update export_schedules set next_run_at = date_trunc('milliseconds', now()) - $3::interval where tenant_id = $1 and id = $2`;
    await this.stack.rows(this.tenantId, text, [this.tenantId, id, since]);
    return this.read(id);
  }

  /** Builds the command that the clock would submit for a due schedule. */
  buildRunCommand(id: string, due_at: string): Command {
    const target = { tenant_id: this.tenantId, id, environment: 'live' as const };
    return buildClockCommand(runExportSchedule, target, { due_at, estimated_rows: null });
  }

  async listExports(id: string): Promise<Json[]> {
    return (await this.client.get(`/exports?schedule_id=${id}`)).body.data.items;
  }

  /**
   * Waits until a schedule has run, so that its next run is in the future. Returns the schedule.
   */
  waitForRun(id: string): Promise<Json> {
    return eventually('a run', async () => {
      const schedule = await this.read(id);
      return Date.parse(schedule.next_run_at) > Date.now() && schedule;
    });
  }

  /** Returns a schedule's audit entries, newest first. */
  async readAuditEntries(id: string): Promise<Json[]> {
    return (await this.client.get(`/audit-log?entity_id=${id}`)).body.data.items;
  }
}

/**
 * Returns the date of a time in a time zone, as `YYYY-MM-DD`, which is the format of date filters.
 */
export function formatDateIn(timeZone: string, at: string | number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(at));
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

export function readHourIn(timeZone: string, at: string): number {
  return Number(
    new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(new Date(at)),
  );
}
