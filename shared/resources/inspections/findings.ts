import type { InspectionCreate } from '../../contracts/generated.js';
import { toUtcDateTime } from '../../contracts/schemas/fields.js';
import { newId } from '../../platform/ids.js';

export interface InspectionDefect {
  id: string;
  component: string;
  severity: 'minor' | 'major' | 'out_of_service';
  resolved_at: string | null;
  resolved_by: string | null;
}

export interface InspectionItem {
  key: string;
  label: string | null;
  state: 'ok' | 'attention' | 'fail' | 'na';
  note: string | null;
}

export type InspectionResult = 'pass' | 'pass_with_defects' | 'out_of_service';

/**
 * Derives the result from the unresolved defects and the failed items. Clients cannot set the
 * result (docs/decisions.md §9).
 */
export function deriveInspectionResult(
  items: readonly InspectionItem[],
  defects: readonly InspectionDefect[],
): InspectionResult {
  const unresolved = defects.filter((defect) => defect.resolved_at === null);
  if (unresolved.some((defect) => defect.severity === 'out_of_service')) return 'out_of_service';
  return unresolved.length > 0 || items.some((item) => item.state === 'fail') ? 'pass_with_defects' : 'pass';
}

/** True if an inspection with this result takes its truck out of service. */
export function blocksDispatch(result: InspectionResult, truckId: unknown): boolean {
  return result === 'out_of_service' && Boolean(truckId);
}

/**
 * Prepares items, defects and photos for storage: sets absent members to null, converts times to
 * UTC, and gives each defect an id.
 */
export function normalizeFindings(input: InspectionCreate) {
  const items: InspectionItem[] = (input.items ?? []).map(({ key, label = null, state, note = null }) => ({
    key,
    label,
    state,
    note,
  }));
  const defects: InspectionDefect[] = (input.defects ?? []).map(
    ({ component, severity, resolved_at, resolved_by = null }) => ({
      id: newId(),
      component,
      severity,
      resolved_at: toUtcDateTime(resolved_at),
      resolved_by: resolved_at ? resolved_by : null,
    }),
  );
  const photos = (input.photos ?? []).map(({ slot, phase = null, url, taken_at }) => ({
    slot,
    phase,
    url,
    taken_at: toUtcDateTime(taken_at),
  }));
  return { items, defects, photos };
}

/** Sets absent members of the vehicle to null. */
export function normalizeInspectedVehicle(vehicle: InspectionCreate['vehicle']) {
  if (!vehicle) return null;
  const { vin = null, plate = null, make = null, model = null, year = null } = vehicle;
  return { vin, plate, make, model, year };
}
