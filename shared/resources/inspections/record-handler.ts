import type { Command, CommandOutcome } from '../../contracts/command.js';
import { deriveUuid } from '../../platform/crypto.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord, diffPatch } from '../../records/changes.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../records/record-refs.js';
import type { InspectionReport } from './commands.js';
import { blocksDispatch, deriveInspectionResult, type InspectionDefect } from './findings.js';

const COLUMNS = `tenant_id uuid, id uuid, kind text, truck_id uuid, driver_id uuid, odometer_miles integer, defects jsonb, result text,
  blocks_dispatch boolean, notes text, submitted_at timestamptz`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

/** The name of a defect whose own name the vendor did not return. */
const UNNAMED = 'Defect';

/** The members of an inspection that a vendor's report sets. */
interface RecordedInspection extends Row, RecordRef {
  truck_id: string | null;
  driver_id: string | null;
  odometer_miles: number | null;
  notes: string | null;
  defects: InspectionDefect[];
}

/**
 * Stores vendors' reports about trucks. Reports of one inspection may come in any sequence: a
 * defect that a report resolves, or a person here, stays resolved, and none is removed. Stored
 * notes stay, because a person may have written them.
 */
export async function recordInspections(
  tx: Transaction,
  commands: Command<InspectionReport>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<RecordedInspection>(tx, 'inspections', commands.map(toRecordRef));
  const changed = new Map<string, object>();
  const outcomes = commands.map((command): CommandOutcome => {
    const key = refKey(toRecordRef(command));
    const stored = rows.get(key);
    const next = merge(stored, command);
    const changes = stored ? diffPatch(stored, next) : diffNewRecord(next);
    rows.set(key, { ...stored, ...next, ...toRecordRef(command) });
    if (changes.length > 0) changed.set(key, { ...next, ...toRecordRef(command) });
    return { ok: true, changes, events: [] };
  });
  await store(tx, [...changed.values()]);
  return outcomes;
}

function merge(stored: RecordedInspection | undefined, command: Command<InspectionReport>) {
  const { kind, submitted_at } = command.input;
  const defects = mergeDefects(stored?.defects ?? [], listDefects(command));
  const result = deriveInspectionResult([], defects);
  // An unresolved report follows its vehicle, so that a mended link blocks the right truck.
  const reported = command.input.truck_id;
  const isMoved = reported !== null && result !== 'pass';
  const truck_id = stored && !isMoved ? stored.truck_id : reported;
  const driver_id = command.input.driver_id ?? stored?.driver_id ?? null;
  const odometer_miles = command.input.odometer_miles ?? stored?.odometer_miles ?? null;
  const notes = stored?.notes ?? command.input.notes;
  const blocks_dispatch = blocksDispatch(result, truck_id);
  const merged = { truck_id, driver_id, odometer_miles, defects, result, blocks_dispatch, notes };
  if (!stored) return { ...merged, kind, submitted_at };
  // PostgreSQL refuses a row without these, also where it then updates the stored row.
  return { ...merged, kind: stored.kind, submitted_at: stored.submitted_at };
}

/**
 * Lists the defects of a report. That it was unsafe is a defect of its own, which takes the truck
 * out of service until the vendor or a person here resolves it.
 */
function listDefects({ entityId, actor, input }: Command<InspectionReport>): InspectionDefect[] {
  const { defects, verdict, changed_at } = input;
  const changedAt = new Date(changed_at).toISOString();
  const listed = defects.map(({ external_id, component, resolved_at, resolved_by }): InspectionDefect => {
    const resolvedAt = resolved_at ?? (verdict === 'resolved' ? changedAt : null);
    return {
      id: deriveUuid([entityId, external_id]),
      component,
      severity: verdict === 'safe' ? 'minor' : 'major',
      resolved_at: resolvedAt === null ? null : new Date(resolvedAt).toISOString(),
      resolved_by,
    };
  });
  if (verdict === 'safe') return listed;
  const unsafe: InspectionDefect = {
    id: deriveUuid([entityId, 'unsafe']),
    component: `Reported unsafe (${actor.name})`,
    severity: 'out_of_service',
    resolved_at: verdict === 'resolved' ? changedAt : null,
    resolved_by: null,
  };
  return [unsafe, ...listed];
}

const SEVERITIES: readonly InspectionDefect['severity'][] = ['minor', 'major', 'out_of_service'];

/** Adds reported defects to the stored ones. Of one defect, the worse severity counts. */
function mergeDefects(
  stored: readonly InspectionDefect[],
  reported: readonly InspectionDefect[],
): InspectionDefect[] {
  const merged = new Map(stored.map((defect) => [defect.id, defect]));
  for (const defect of reported) {
    const known = merged.get(defect.id);
    if (!known) {
      merged.set(defect.id, defect);
      continue;
    }
    const isWorse = SEVERITIES.indexOf(defect.severity) > SEVERITIES.indexOf(known.severity);
    const { resolved_at, resolved_by } = known.resolved_at === null ? defect : known;
    const severity = isWorse ? defect.severity : known.severity;
    const component = known.component === UNNAMED ? defect.component : known.component;
    merged.set(defect.id, { ...known, component, severity, resolved_at, resolved_by });
  }
  return [...merged.values()];
}

async function store(tx: Transaction, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'record-inspections',
    text: `insert into inspections as t (${NAMES})
           select ${NAMES} from ${recordsetSql(COLUMNS)} order by tenant_id, id
           on conflict (tenant_id, id) do update set truck_id = excluded.truck_id, driver_id = excluded.driver_id,
             odometer_miles = excluded.odometer_miles, defects = excluded.defects,
             result = excluded.result, blocks_dispatch = excluded.blocks_dispatch, notes = excluded.notes,
             updated_at = ${nextUpdatedAtSql('t')}`,
    values: [JSON.stringify(rows)],
  });
}
