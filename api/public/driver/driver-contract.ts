/*
 * What the server and the driver's page (dashboard/driver-page/) exchange. This file imports
 * nothing, so that the page can use it.
 */

/** Maximum number of characters of one note. */
export const MAX_NOTE_LENGTH = 1000;
/** Maximum number of loaded miles. */
export const MAX_MILES = 10_000;

/** A fact about the work order. With `href`, it is a link that opens a map or calls a number. */
export interface Fact {
  label: string;
  text: string;
  href: string | null;
}

/** A step of the driver, in the sequence of the work. */
export interface PlannedStep {
  id: string;
  /** The text of the button. */
  action: string;
  /** The text once the step was taken. */
  done: string;
}

/** What the driver's page shows. `/d/{token}/state` returns it as JSON. */
export interface DriverState {
  number: string;
  company: string;
  is_test: boolean;
  truck: string;
  driver: string | null;
  facts: Fact[];
  steps: PlannedStep[];
  /** How many of the steps were taken. */
  taken: number;
  /** Set while an inspection keeps the truck out of service. */
  warning: string | null;
  checklist: { key: string; label: string }[];
  /** The last pre-trip inspection of the truck in this shift. */
  inspection: { result: 'pass' | 'pass_with_defects' | 'out_of_service'; at: string } | null;
  photos: {
    stored: number;
    max: number;
    /** Maximum size of the file of one photo. */
    max_bytes: number;
    /** Media types of the photos that the server takes. */
    types: readonly string[];
  };
}

/**
 * What the server writes into the page. It is null in the page that phones keep for times without a
 * network.
 */
export type EmbeddedState = DriverState | { has_ended: true } | null;

/**
 * What the driver did: one tap, note or inspection, with the time of the phone's clock. The phone
 * makes the id, so that an action sent twice acts once.
 */
export type DriverAction = { id: string; at: string } & (
  | { kind: 'step'; step: string }
  | { kind: 'complete'; miles?: number }
  | { kind: 'note'; text: string }
  | {
      kind: 'inspection';
      items?: { key: string; label: string; state: 'ok' | 'fail'; note?: string | null }[];
      defects?: { component: string; severity: 'minor' | 'major' | 'out_of_service' }[];
      odometer_miles?: number;
      notes?: string;
    }
);
