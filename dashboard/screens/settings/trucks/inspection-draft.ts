import type { Schemas, Truck } from '../../../api/records';

type Create = Schemas['InspectionCreate'];
type Severity = Schemas['DefectSeverity'];

/** What a person found at an item of the checklist. An empty text is no answer yet. */
export type Finding = '' | 'ok' | 'na' | Severity;

export interface CheckedItem {
  key: string;
  label: string;
  finding: Finding;
  note: string;
}

/** A defect of a part that is not in the checklist. */
export interface OtherDefect {
  /** Identifies the row in the form. */
  row: number;
  component: string;
  severity: Severity;
}

/** A link to a photo that is stored elsewhere. */
export interface PhotoLink {
  /** Identifies the row in the form. */
  row: number;
  /** What the photo shows, a word such as `damage`. */
  slot: string;
  url: string;
}

/** Maximum number of photos that REST accepts. */
export const MAX_PHOTOS = 200;

export interface InspectionDraft {
  kind: 'pre_trip' | 'post_trip';
  driver_id: string | null;
  odometer_miles: number | null;
  items: readonly CheckedItem[];
  others: readonly OtherDefect[];
  photos: readonly PhotoLink[];
  notes: string;
}

/** The same parts as on the driver's page, so that all inspections can be compared. */
const CHECKLIST = [
  ['brakes', 'Brakes'],
  ['tires', 'Tires and wheels'],
  ['lights', 'Lights and beacon'],
  ['steering', 'Steering and horn'],
  ['leaks', 'Fluids and leaks'],
  ['winch', 'Winch and cable'],
  ['straps', 'Chains, straps and hooks'],
  ['safety', 'Cones, vest, extinguisher'],
] as const;

export function createDraft({ driver_id }: Truck): InspectionDraft {
  return {
    kind: 'pre_trip',
    driver_id,
    odometer_miles: null,
    items: CHECKLIST.map(([key, label]) => ({ key, label, finding: '', note: '' })),
    others: [],
    photos: [],
    notes: '',
  };
}

export function isDefect(finding: Finding): finding is Severity {
  return finding !== '' && finding !== 'ok' && finding !== 'na';
}

export function isComplete({ items }: InspectionDraft): boolean {
  return items.every(({ finding }) => finding !== '');
}

export function blocksDispatch({ items, others }: InspectionDraft): boolean {
  return (
    items.some(({ finding }) => finding === 'out_of_service') ||
    others.some(({ severity }) => severity === 'out_of_service')
  );
}

/** The place of the first other defect in the request. The checklist's defects come before it. */
export function countListedDefects({ items }: InspectionDraft): number {
  return items.filter(({ finding }) => isDefect(finding)).length;
}

/** Builds the request. A defect of the checklist is a failed item and a defect. */
export function buildInspection(truckId: string, draft: InspectionDraft): Create {
  const { kind, driver_id, odometer_miles, items, others, photos, notes } = draft;
  return {
    kind,
    truck_id: truckId,
    driver_id,
    odometer_miles,
    items: items.map(({ key, label, finding, note }) => ({
      key,
      label,
      state: finding === 'ok' || finding === 'na' ? finding : 'fail',
      note: (isDefect(finding) && note.trim()) || null,
    })),
    defects: [
      ...items.flatMap(({ label, finding }) =>
        isDefect(finding) ? [{ component: label, severity: finding }] : [],
      ),
      ...others.map(({ component, severity }) => ({ component: component.trim(), severity })),
    ],
    photos: photos.map(({ slot, url }) => ({ slot, url: url.trim() })),
    notes: notes.trim() || null,
  };
}
