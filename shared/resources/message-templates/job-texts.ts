import type { Config } from '../../config/config.js';
import type { Change, Command, Prompt } from '../../contracts/command.js';
import type { WORK_ORDER_STATUSES } from '../../contracts/vocabulary.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import { type PlannedText, storeTexts } from '../planned-messages/texts.js';
import { describeDrive, selectCurrentDrive } from '../trucks/current-drive.js';
import {
  deriveLinkKeys,
  markAssignment,
  sealDriverLink,
  sealTrackingLink,
} from '../work-order-links/link.js';
import { fillJobText, type TemplateKey } from './vocabulary.js';

/** A moment in the course of a work order at which the account may send a text. */
export interface JobMoment extends RecordRef {
  command: Command;
  key: TemplateKey;
}

/** Lists the moments that an action on a work order causes: a new assignment, or the completion. */
export function listMomentsOfMove(
  action: string,
  { command, row, changes }: { command: Command; row: RecordRef; changes: readonly Change[] },
): JobMoment[] {
  const { tenant_id, id } = row;
  const isNew = changes.some(({ field }) => field !== 'eta');
  const keys: TemplateKey[] =
    action === 'complete' ? ['completed'] : action === 'assign' && isNew ? ['assigned', 'driver_link'] : [];
  return keys.map((key) => ({ tenant_id, id, command, key }));
}

interface Row extends RecordRef {
  key: TemplateKey;
  text: string;
  company: string;
  contact_name: string | null;
  contact_phone: string | null;
  driver_phone: string | null;
  job_number: string;
  truck: string | null;
  driver: string | null;
  eta_minutes: number | null;
  /** The drive of the truck, as `describeDrive` reads it. */
  drive: string | null;
  pickup: string | null;
  status: (typeof WORK_ORDER_STATUSES)[number];
  truck_id: string | null;
  driver_id: string | null;
  dispatch_time: string | null;
}

/**
 * Stores the texts that the accounts' enabled templates send about work orders. Call this function
 * after the work orders are stored. Each template sends one text per assignment.
 * @returns the wake-up jobs of each command, by the command's id
 */
export async function sendJobTexts(
  tx: Transaction,
  moments: readonly JobMoment[],
  config: Config,
): Promise<Map<string, Prompt[]>> {
  if (moments.length === 0) return new Map();
  const commands = new Map(moments.map(({ command, key, ...ref }) => [`${refKey(ref)} ${key}`, command]));
  const rows = await tx.query<Row>({
    name: 'read-job-texts',
    text: `select r.tenant_id, r.id, m.key, m.text, coalesce(t.business_name, t.name) as company, w.contact_name, w.contact_phone,
             w.job_number, k.unit_number as truck, d.name as driver, d.phone as driver_phone, w.pickup_location as pickup, w.status,
             w.truck_id, w.driver_id, to_json(w.dispatch_time)#>>'{}' as dispatch_time,
             ceil(extract(epoch from w.eta - now()) / 60)::int as eta_minutes, ${selectCurrentDrive('w')} as drive
           from ${recordsetSql('tenant_id uuid, id uuid, key text')}
           join message_templates m on m.tenant_id = r.tenant_id and m.key = r.key and m.enabled
           join work_orders w on w.tenant_id = r.tenant_id and w.id = r.id
           join tenants t on t.tenant_id = r.tenant_id
           left join trucks k on k.tenant_id = w.tenant_id and k.id = w.truck_id
           left join drivers d on d.tenant_id = w.tenant_id and d.id = w.driver_id
           where not exists (select from messages s where s.tenant_id = w.tenant_id and s.work_order_id = w.id and s.template = m.key
             and s.created_at >= coalesce(w.dispatch_time, w.created_at))`,
    values: [JSON.stringify(moments.map(({ tenant_id, id, key }) => ({ tenant_id, id, key })))],
  });
  const texts = rows.flatMap((row): PlannedText[] => {
    const command = commands.get(`${refKey(row)} ${row.key}`);
    const to = row.key === 'driver_link' ? row.driver_phone : row.contact_phone;
    if (!command || !to) return [];
    return [{ command, to, text: write(row, config), work_order_id: row.id, template: row.key }];
  });
  return storeTexts(tx, texts, config);
}

function write(row: Row, config: Config): string {
  const keys = deriveLinkKeys(config);
  const target = { tenantId: row.tenant_id, workOrderId: row.id };
  const mark = markAssignment(row);
  return fillJobText(row.text, {
    company: row.company,
    first_name: row.contact_name?.trim().split(/\s+/)[0] ?? '',
    job_number: row.job_number,
    truck: row.truck ?? '',
    driver: row.driver ?? '',
    eta: describeArrival(row),
    pickup: row.pickup ?? '',
    tracking_link: `${config.publicUrl}/t/${sealTrackingLink(keys, target)}`,
    driver_link: mark === undefined ? '' : `${config.publicUrl}/d/${sealDriverLink(keys, target, mark)}`,
  });
}

/**
 * Returns the words for `{eta}`: the time that the dispatcher has promised. Without one, a truck on
 * the way has an estimate, which the text marks as such.
 */
function describeArrival({ key, eta_minutes, drive }: Row): string {
  if (eta_minutes !== null && eta_minutes > 0) return `, about ${eta_minutes} minutes away`;
  const now = Date.now();
  const arrival = key === 'en_route' ? describeDrive(drive, now).estimated_arrival_at : null;
  if (!arrival) return '';
  const minutes = Math.ceil((arrival.getTime() - now) / 60_000);
  return `, about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} away (estimated)`;
}
