export interface ThresholdLearning {
  initial: number;
  min: number;
  max: number;
  onDismiss: number;
  onAccept: number;
}

/**
 * The threshold of a fee is the lowest confidence that is reported. Its maximum is below the
 * confidence of a fee that all of 50 work orders have, so no detector goes silent for good.
 */
const FEE: ThresholdLearning = { initial: 0.8, min: 0.7, max: 0.97, onDismiss: 0.03, onAccept: -0.01 };
/** The threshold of an anomaly is the lowest robust z that is reported, and never below 3.5. */
const DEVIATION: ThresholdLearning = { initial: 3.5, min: 3.5, max: 8, onDismiss: 0.5, onAccept: -0.1 };

/** The keys are the names that suggestions carry. */
export const DETECTORS = {
  missed_mileage: FEE,
  missed_after_hours: FEE,
  missed_winching: FEE,
  missed_storage: FEE,
  missed_fuel_surcharge: FEE,
  anomaly_amount: DEVIATION,
  anomaly_miles: DEVIATION,
  anomaly_duration: DEVIATION,
  /** This threshold is the maximum number of days between the two invoices. */
  duplicate_invoice: { initial: 14, min: 3, max: 30, onDismiss: -2, onAccept: 1 },
} as const satisfies Record<string, ThresholdLearning>;

export type DetectorName = keyof typeof DETECTORS;

export type Thresholds = Readonly<Record<DetectorName, number>>;

export const INITIAL_THRESHOLDS = Object.fromEntries(
  Object.entries(DETECTORS).map(([name, { initial }]) => [name, initial]),
) as unknown as Thresholds;

/** The duplicate detector never compares invoices further apart. */
export const DUPLICATE_WINDOW_DAYS = DETECTORS.duplicate_invoice.max;

export function isDetector(name: string): name is DetectorName {
  return name in DETECTORS;
}
