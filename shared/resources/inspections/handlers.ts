import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { InspectionCreate, InspectionPatch } from '../../contracts/generated.js';
import { toUtcDateTime } from '../../contracts/schemas/fields.js';
import type { ErrorDetail } from '../../platform/errors.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { mergeRecords, type PlannedMerge, planMerge } from '../../records/merge-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { parseColumnNames, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { invalidReferencesOutcome, refuseUnknownReferences } from '../../records/references.js';
import { inspectionFields } from './fields.js';
import {
  blocksDispatch,
  deriveInspectionResult,
  type InspectionDefect,
  type InspectionItem,
  normalizeFindings,
  normalizeInspectedVehicle,
} from './findings.js';
import { recordInspections } from './record-handler.js';

export async function createInspections(
  tx: Transaction,
  commands: Command<InspectionCreate>[],
): Promise<CommandOutcome[]> {
  const refused = await refuseUnknownReferences(tx, commands, inspectionFields.references);
  await insertInspections(
    tx,
    commands.filter((command) => !refused.has(command)),
  );
  return commands.map(
    (command) => refused.get(command) ?? { ok: true, changes: diffNewRecord(command.input), events: [] },
  );
}

const COLUMNS = `tenant_id uuid, id uuid, ${inspectionFields.settable}, result text, blocks_dispatch boolean`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

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
 * Applies each PATCH, and recomputes `result` and `blocks_dispatch`, because a resolved or reopened
 * defect may change both.
 */
export async function updateInspections(
  tx: Transaction,
  commands: Command<InspectionPatch>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<InspectionRow>(tx, 'inspections', commands.map(toRecordRef));
  return mergeRecords(tx, commands, {
    table: 'inspections',
    columns: `${inspectionFields.changeable}, result text, blocks_dispatch boolean`,
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

/** Resolves or reopens a defect. Reopening clears `resolved_by`. */
function applyDefectChange(
  defect: InspectionDefect,
  change: { resolved_at: string | null; resolved_by?: string | null },
): InspectionDefect {
  if (change.resolved_at === null) return { ...defect, resolved_at: null, resolved_by: null };
  const { resolved_by = defect.resolved_by } = change;
  return { ...defect, resolved_at: toUtcDateTime(change.resolved_at), resolved_by };
}

export const inspectionHandlers: CommandHandlers = {
  'inspection.create': createInspections,
  'inspection.update': updateInspections,
  'inspection.record': recordInspections,
};
