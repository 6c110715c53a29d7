import { quoted } from './quoted.js';
import type { Shown } from './tools/tool.js';

/** Lines of each kind: the text stands beside the structured board, and both cost tokens. */
const MAX_LINES = 20;

interface Board {
  unassigned_work_orders: Shown[];
  active_jobs: Shown[];
  trucks: Shown[];
  counts: Record<'unassigned_work_orders' | 'active_jobs' | 'trucks', number>;
}

/**
 * The dispatch board on short lines, the most urgent jobs first, for clients that show the text
 * alone.
 */
export function describeBoard(board: Shown): string[] {
  const { unassigned_work_orders, active_jobs, trucks, counts } = board as unknown as Board;
  const unitNumbers = new Map(trucks.map(({ id, unit_number }) => [id, unit_number]));
  const jobNumbers = new Map(active_jobs.map(({ id, job_number }) => [id, job_number]));
  return [
    ...section(
      'Waiting for a truck',
      counts.unassigned_work_orders,
      unassigned_work_orders.map(describeWaiting),
    ),
    ...section(
      'Under way',
      counts.active_jobs,
      active_jobs.map((job) => describeActive(job, unitNumbers)),
    ),
    ...section(
      'Trucks',
      counts.trucks,
      trucks.map((truck) => describeTruck(truck, jobNumbers)),
    ),
  ];
}

function section(heading: string, count: number, lines: string[]): string[] {
  if (count === 0) return [];
  const shown = lines.slice(0, MAX_LINES).map((line) => `- ${line}`);
  const rest = count - shown.length;
  return [`${heading}:`, ...shown, ...(rest > 0 ? [`- and ${rest} more`] : [])];
}

function describeWaiting(job: Shown): string {
  return [describeCall(job), job.status, `waiting ${duration(job.waiting_s)}`, workOrder(job)].join(', ');
}

function describeActive(job: Shown, unitNumbers: ReadonlyMap<unknown, unknown>): string {
  const { status, step, truck_id, elapsed_s } = job;
  const progress = step ? `${status} (${step})` : status;
  const since = `dispatched ${duration(elapsed_s)} ago`;
  const unitNumber = unitNumbers.get(truck_id);
  const truck = unitNumber === undefined ? truck_id : quoted(unitNumber);
  return [describeCall(job), progress, `truck ${truck}`, since, workOrder(job)].join(', ');
}

function describeCall({ job_number, service_type, pickup_location }: Shown): string {
  return `${job_number} ${service_type}${pickup_location ? ` at ${quoted(pickup_location)}` : ''}`;
}

function workOrder({ id }: Shown): string {
  return `work order ${id}`;
}

function describeTruck(truck: Shown, jobNumbers: ReadonlyMap<unknown, unknown>): string {
  const { unit_number, duty_class, status, driver, current_work_order_id: jobId } = truck;
  const name = (driver as Shown | null)?.name;
  return [
    `${quoted(unit_number)} ${duty_class}, ${status}`,
    name ? `driver ${quoted(name)}` : 'no driver',
    ...(jobId ? [`on ${jobNumbers.get(jobId) ?? `work order ${jobId}`}`] : []),
  ].join(', ');
}

function duration(seconds: unknown): string {
  const minutes = Math.floor(Number(seconds) / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
