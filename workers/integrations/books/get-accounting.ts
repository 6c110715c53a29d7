import type { AccountingAdapter } from '../../../shared/integrations/contract/accounting.js';
import type { WriteOutcome } from '../records/record-kind.js';
import type { Step } from '../vendor/step.js';

export function getAccounting({ vendor }: Step): AccountingAdapter {
  if (!vendor.accounting) throw new Error(`${vendor.manifest.vendor} keeps no books`);
  return vendor.accounting;
}

/** A safety net: the success of the other record makes the waiting write due. */
export const WAIT_MS = 30 * 60_000;

/** The outcome of a write that needs another record in the books first. */
export function waitFor(record: string): Extract<WriteOutcome, { postponedMs: number }> {
  return { postponedMs: WAIT_MS, reason: `Waits until the ${record} is in the books.` };
}
