import { findUnusualAmount } from './amount.js';
import { findAnomaly, MEASURES } from './anomaly.js';
import { findBeyondCoverage } from './beyond-coverage.js';
import type { Thresholds } from './catalogue.js';
import { findDuplicate } from './duplicate.js';
import type { DetectionSubject } from './facts.js';
import type { SuggestionDraft } from './kinds.js';
import { findMileageDifference } from './mileage-difference.js';
import { FEE_RULES, findMissedFee } from './missed-fee.js';
import { findUnbilledStorage } from './unbilled-storage.js';

/**
 * Runs all detectors on one invoice. This is a pure function: the same facts give the same
 * findings.
 */
export function runDetectors(subject: DetectionSubject, thresholds: Thresholds): SuggestionDraft[] {
  const found = [
    ...FEE_RULES.map((rule) => findMissedFee(rule, subject, thresholds)),
    findMileageDifference(subject, thresholds),
    findUnbilledStorage(subject, thresholds),
    findBeyondCoverage(subject, thresholds),
    findUnusualAmount(subject, thresholds),
    ...MEASURES.map((measure) => findAnomaly(measure, subject, thresholds)),
    findDuplicate(subject, thresholds),
  ];
  return found.filter((draft) => draft !== undefined);
}
