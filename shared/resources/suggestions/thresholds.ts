import type { Transaction } from '../../platform/postgres/database.js';
import { recordsetSql } from '../../records/record-refs.js';
import { DETECTORS, INITIAL_THRESHOLDS, isDetector, type Thresholds } from './detectors/catalogue.js';

export async function readThresholds(tx: Transaction, tenantId: string): Promise<Thresholds> {
  const rows = await tx.query<{ detector: string; threshold: number }>({
    name: 'detector-thresholds',
    text: 'select detector, threshold from detector_thresholds where tenant_id = $1',
    values: [tenantId],
  });
  const learned = rows.filter(({ detector }) => isDetector(detector));
  return {
    ...INITIAL_THRESHOLDS,
    ...Object.fromEntries(learned.map(({ detector, threshold }) => [detector, threshold])),
  };
}

export interface DetectorDecision {
  tenant_id: string;
  detector: string;
  isAccepted: boolean;
}

/**
 * Moves the thresholds of detectors. After a dismissal, the detector reports less. After an
 * acceptance, the threshold moves back by a smaller step. Suggestions that no detector made
 * (denials, deadlines) have no threshold.
 */
export async function adjustThresholds(
  tx: Transaction,
  decisions: readonly DetectorDecision[],
): Promise<void> {
  const steps = decisions.flatMap(({ tenant_id, detector, isAccepted }) => {
    if (!isDetector(detector)) return [];
    const { initial, min, max, onAccept, onDismiss } = DETECTORS[detector];
    return [
      {
        tenant_id,
        detector,
        initial,
        min,
        max,
        accepts: isAccepted ? 1 : 0,
        step: isAccepted ? onAccept : onDismiss,
      },
    ];
  });
  // Sum the changes of each detector's threshold, because one query cannot change a row twice. The
  // query sorts the rows, so that two batches cannot deadlock.
  const sums = new Map<string, (typeof steps)[number] & { count: number }>();
  for (const step of steps) {
    const key = `${step.tenant_id}/${step.detector}`;
    const sum = sums.get(key);
    if (sum)
      sums.set(key, {
        ...sum,
        step: sum.step + step.step,
        accepts: sum.accepts + step.accepts,
        count: sum.count + 1,
      });
    else sums.set(key, { ...step, count: 1 });
  }
  if (sums.size === 0) return;
  await tx.query({
    name: 'learn-thresholds',
    text: `insert into detector_thresholds as d (tenant_id, detector, threshold, accepts, dismissals)
           select tenant_id, detector, greatest(min, least(max, initial + step)), accepts, count - accepts
           from ${recordsetSql('tenant_id uuid, detector text, initial numeric, min numeric, max numeric, step numeric, accepts integer, count integer')}
           order by tenant_id, detector
           on conflict (tenant_id, detector) do update set
             threshold = (select greatest(r.min, least(r.max, d.threshold + r.step))
                          from ${recordsetSql('tenant_id uuid, detector text, min numeric, max numeric, step numeric')}
                          where r.tenant_id = d.tenant_id and r.detector = d.detector),
             accepts = d.accepts + excluded.accepts, dismissals = d.dismissals + excluded.dismissals, updated_at = now()`,
    values: [
      JSON.stringify([...sums.values()].map((sum) => ({ ...sum, step: Number(sum.step.toFixed(4)) }))),
    ],
  });
}
