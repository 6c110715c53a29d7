export interface ThresholdLearning {
  initial: number;
  min: number;
  max: number;
  onDismiss: number;
  onAccept: number;
}

/**
 * For missed fees, the threshold is the lowest confidence that is reported. If all of 50 comparable
 * work orders have a fee, the confidence is above `max`. Such a missed fee is therefore always
 * reported, however many suggestions were dismissed.
 */
const FEE: ThresholdLearning = { initial: 0.8, min: 0.7, max: 0.97, onDismiss: 0.03, onAccept: -0.01 };
/** For anomalies, the threshold is the lowest robust z-score that is reported. */
const DEVIATION: ThresholdLearning = { initial: 3.5, min: 3.5, max: 8, onDismiss: 0.5, onAccept: -0.1 };

/**
 * For driven miles, the threshold is the smallest reported difference, as a share of the miles.
 * Positions are straight lines, and drivers log a step late. So a smaller difference proves
 * nothing.
 */
const DISTANCE: ThresholdLearning = {
  initial: 0.15,
  min: 0.1,
  max: 0.5,
  onDismiss: 0.05,
  onAccept: -0.02,
};

/** The detectors, by name. A suggestion's `detector` contains one of these names. */
export const DETECTORS = {
  missed_mileage: FEE,
  missed_after_hours: FEE,
  missed_winching: FEE,
  missed_storage: FEE,
  missed_fuel_surcharge: FEE,
  missed_driven_miles: DISTANCE,
  /** For storage by the day, the threshold is the smallest number of days that is reported. */
  missed_storage_days: { initial: 1, min: 1, max: 7, onDismiss: 1, onAccept: -0.5 },
  anomaly_amount: DEVIATION,
  anomaly_miles: DEVIATION,
  anomaly_duration: DEVIATION,
  anomaly_driven_miles: DISTANCE,
  /** For coverage, the threshold is the smallest amount in cents that is reported. */
  beyond_coverage: { initial: 500, min: 100, max: 5_000, onDismiss: 500, onAccept: -100 },
  /** For duplicates, the threshold is the maximum number of days between the two invoices. */
  duplicate_invoice: { initial: 14, min: 3, max: 30, onDismiss: -2, onAccept: 1 },
} as const satisfies Record<string, ThresholdLearning>;

export type DetectorName = keyof typeof DETECTORS;

export type Thresholds = Readonly<Record<DetectorName, number>>;

export const INITIAL_THRESHOLDS = Object.fromEntries(
  Object.entries(DETECTORS).map(([name, { initial }]) => [name, initial]),
) as unknown as Thresholds;

/** The duplicate detector compares only invoices that are at most this many days apart. */
export const DUPLICATE_WINDOW_DAYS = DETECTORS.duplicate_invoice.max;

export function isDetector(name: string): name is DetectorName {
  return name in DETECTORS;
}
