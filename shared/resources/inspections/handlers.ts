import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { InspectionCreate, InspectionPatch } from '../../contracts/generated.js';
import { toUtcDateTime } from '../../contracts/schemas/fields.js';
import type { ErrorDetail } from '../../platform/errors.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { mergeRecords, type PlannedMerge, planMerge } from '../../records/merge-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { parseColumnNames, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { findExistingRecords, invalidReferencesOutcome } from '../../records/references.js';
import {
  blocksDispatch,
  deriveInspectionResult,
  type InspectionDefect,
  type InspectionItem,
  normalizeFindings,
  normalizeInspectedVehicle,
} from './findings.js';

/**
 * The records that an inspection may reference: the member, its table, and its label in error
 * messages.
 */
const REFERENCES = [
  { field: 'truck_id', table: 'trucks', label: 'truck' },
  { field: 'driver_id', table: 'drivers', label: 'driver' },
  { field: 'work_order_id', table: 'work_orders', label: 'work order' },
] as const;

const COLUMNS = `tenant_id uuid, id uuid, kind text, truck_id uuid, driver_id uuid, work_order_id uuid, vehicle jsonb, odometer_miles integer,
  items jsonb, defects jsonb, photos jsonb, result text, blocks_dispatch boolean, notes text`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

/** Inserts inspections. The findings determine the result. */
export async function createInspections(
  tx: Transaction,
  commands: Command<InspectionCreate>[],
): Promise<CommandOutcome[]> {
  const unknown = await findUnknownReferences(tx, commands);
  const valid = commands.filter((command) => !unknown.has(command.id));
  await insertInspections(tx, valid);
  return commands.map((command) => {
    const details = unknown.get(command.id);
    if (details) return invalidReferencesOutcome(details);
    const changes = diffNewRecord(command.input as unknown as Record<string, unknown>);
    return { ok: true, changes, events: [] };
  });
}

/**
 * Returns validation errors for unknown ids, by command id. Commands without errors are not in the
 * map.
 */
async function findUnknownReferences(
  tx: Transaction,
  commands: Command<InspectionCreate>[],
): Promise<Map<string, ErrorDetail[]>> {
  const known = await Promise.all(
    REFERENCES.map(({ field, table }) => {
      const refs = commands.flatMap(({ tenantId, input }) => {
        const id = input[field];
        return id ? [{ tenant_id: tenantId, id }] : [];
      });
      return findExistingRecords(tx, table, refs);
    }),
  );
  const unknown = new Map<string, ErrorDetail[]>();
  for (const command of commands) {
    const details = REFERENCES.flatMap(({ field, label }, index): ErrorDetail[] => {
      const id = command.input[field];
      if (!id || known[index]?.has(refKey({ tenant_id: command.tenantId, id }))) return [];
      return [{ field, code: 'unknown', message: `${field} is not a ${label} of this account` }];
    });
    if (details.length > 0) unknown.set(command.id, details);
  }
  return unknown;
}

async function insertInspections(tx: Transaction, commands: Command<InspectionCreate>[]): Promise<void> {
  if (commands.length === 0) return;
  const rows = commands.map((command) => {
    const findings = normalizeFindings(command.input);
    const result = deriveInspectionResult(findings.items, findings.defects);
    return {
      ...command.input,
      ...toRecordRef(command),
      ...findings,
      vehicle: normalizeInspectedVehicle(command.input.vehicle),
      result,
      blocks_dispatch: blocksDispatch(result, command.input.truck_id),
    };
  });
  await tx.query({
    name: 'insert-inspections',
    text: `insert into inspections (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
}

interface InspectionRow extends Row {
  truck_id: string | null;
  items: InspectionItem[];
  defects: InspectionDefect[];
}

/**
 * Resolves or reopens defects and edits the notes. The result and the dispatch block of the truck
 * are derived again.
 */
export async function updateInspections(
  tx: Transaction,
  commands: Command<InspectionPatch>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<InspectionRow>(tx, 'inspections', commands.map(toRecordRef));
  return mergeRecords(tx, commands, {
    table: 'inspections',
    columns: 'defects jsonb, result text, blocks_dispatch boolean, notes text',
    plan: (command) => planUpdate(command, rows.get(refKey(toRecordRef(command)))),
  });
}

function planUpdate(
  command: Command<InspectionPatch>,
  row: InspectionRow | undefined,
): PlannedMerge | CommandOutcome {
  if (!row) return notFoundOutcome('inspection');
  const { defects: requested = [], ...fields } = command.input;
  const unknown = requested.flatMap(({ id }, index): ErrorDetail[] => {
    if (row.defects.some((defect) => defect.id === id)) return [];
    const field = `defects[${index}].id`;
    return [{ field, code: 'unknown', message: `${field} is not a defect of this inspection` }];
  });
  if (unknown.length > 0) return invalidReferencesOutcome(unknown);
  const defects = row.defects.map((defect) => {
    const change = requested.find(({ id }) => id === defect.id);
    return change ? applyDefectChange(defect, change) : defect;
  });
  const result = deriveInspectionResult(row.items, defects);
  return planMerge(row, {
    ...fields,
    defects,
    result,
    blocks_dispatch: blocksDispatch(result, row.truck_id),
  });
}

/** Returns the defect after one change. Reopening clears resolved_by. */
function applyDefectChange(
  defect: InspectionDefect,
  change: { resolved_at: string | null; resolved_by?: string | null },
): InspectionDefect {
  if (change.resolved_at === null) return { ...defect, resolved_at: null, resolved_by: null };
  const { resolved_by = defect.resolved_by } = change;
  return { ...defect, resolved_at: toUtcDateTime(change.resolved_at), resolved_by };
}
