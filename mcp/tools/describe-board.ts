import { type JsonObject, quoteText } from '../text/format.js';

/**
 * Maximum number of work orders or trucks in a section of the text. The structured board repeats
 * these items, and each copy costs tokens.
 */
const MAX_ITEMS_PER_SECTION = 20;

interface Board {
  unassigned_work_orders: JsonObject[];
  active_jobs: JsonObject[];
  trucks: JsonObject[];
  counts: Record<'unassigned_work_orders' | 'active_jobs' | 'trucks', number>;
}

/**
 * Describes the board in lines. The most urgent work orders come first. Some clients show only this
 * text.
 */
export function describeBoard(board: JsonObject): string[] {
  const { unassigned_work_orders, active_jobs, trucks, counts } = board as unknown as Board;
  const unitNumbers = new Map(trucks.map(({ id, unit_number }) => [id, unit_number]));
  const jobNumbers = new Map(active_jobs.map(({ id, job_number }) => [id, job_number]));
  return [
    ...formatSection(
      'Waiting for a truck',
      counts.unassigned_work_orders,
      unassigned_work_orders.map(describeWaiting),
    ),
    ...formatSection(
      'Under way',
      counts.active_jobs,
      active_jobs.map((workOrder) => describeActive(workOrder, unitNumbers)),
    ),
    ...formatSection(
      'Trucks',
      counts.trucks,
      trucks.map((truck) => describeTruck(truck, jobNumbers)),
    ),
  ];
}

function formatSection(heading: string, count: number, lines: string[]): string[] {
  if (count === 0) return [];
  const shown = lines.slice(0, MAX_ITEMS_PER_SECTION).map((line) => `- ${line}`);
  const rest = count - shown.length;
  return [`${heading}:`, ...shown, ...(rest > 0 ? [`- and ${rest} more`] : [])];
}

function describeWaiting(workOrder: JsonObject): string {
  return [
    describeCall(workOrder),
    workOrder.status,
    `waiting ${formatDuration(workOrder.waiting_s)}`,
    describeWorkOrderId(workOrder),
  ].join(', ');
}

function describeActive(workOrder: JsonObject, unitNumbers: ReadonlyMap<unknown, unknown>): string {
  const { status, step, truck_id, elapsed_s } = workOrder;
  const progress = step ? `${status} (${step})` : status;
  const since = `dispatched ${formatDuration(elapsed_s)} ago`;
  const unitNumber = unitNumbers.get(truck_id);
  const truck = unitNumber === undefined ? truck_id : quoteText(unitNumber);
  return [describeCall(workOrder), progress, `truck ${truck}`, since, describeWorkOrderId(workOrder)].join(
    ', ',
  );
}

function describeCall({ job_number, service_type, pickup_location }: JsonObject): string {
  return `${job_number} ${service_type}${pickup_location ? ` at ${quoteText(pickup_location)}` : ''}`;
}

function describeWorkOrderId({ id }: JsonObject): string {
  return `work order ${id}`;
}

function describeTruck(truck: JsonObject, jobNumbers: ReadonlyMap<unknown, unknown>): string {
  const { unit_number, duty_class, status, driver, current_work_order_id: workOrderId } = truck;
  const name = (driver as JsonObject | null)?.name;
  return [
    `${quoteText(unit_number)} ${duty_class}, ${status}`,
    name ? `driver ${quoteText(name)}` : 'no driver',
    ...(workOrderId ? [`on ${jobNumbers.get(workOrderId) ?? `work order ${workOrderId}`}`] : []),
  ].join(', ');
}

function formatDuration(seconds: unknown): string {
  const minutes = Math.floor(Number(seconds) / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
