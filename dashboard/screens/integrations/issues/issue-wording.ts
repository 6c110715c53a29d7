import type { Schemas } from '../../../api/records';

export const ISSUE_KINDS: Record<Schemas['SyncIssueKind'], string> = {
  refused: 'Refused by the vendor',
  exhausted: 'All tries failed',
  conflict: 'Changed on both sides',
  gone: 'Missing at the vendor',
  difference: 'Differs from the vendor',
};

const RESOLUTIONS: Record<Schemas['IssueResolution'], { label: string; effect: string }> = {
  ours: { label: 'Keep ours', effect: 'Writes our side again, over the one at the vendor.' },
  theirs: { label: 'Keep theirs', effect: 'Leaves the side at the vendor as it is.' },
  retry: { label: 'Try again', effect: 'Tries the write again.' },
  ignore: { label: 'Ignore', effect: 'Does nothing, and closes the issue.' },
};

const COMPARE = {
  label: 'Compare again',
  effect: 'Compares both sides now, after you have corrected one of them.',
};

/** For records in the books: nothing else writes them again. */
const WRITE_AGAIN = {
  label: 'Write ours again',
  effect: 'Writes our side in the books again, then compares both sides.',
};

const BOOK_KINDS: readonly unknown[] = ['invoice', 'booked_payment'];

export function nameResolution(resolution: Schemas['IssueResolution']): string {
  return RESOLUTIONS[resolution].label;
}

/** Returns the resolutions that the API accepts for an issue, each with its effect. */
export function resolutionsOf({ kind, record_kind }: Schemas['SyncIssue']) {
  const again = BOOK_KINDS.includes(record_kind) ? WRITE_AGAIN : COMPARE;
  const names =
    kind === 'conflict' ? (['ours', 'theirs', 'ignore'] as const) : (['retry', 'ignore'] as const);
  return names.map((name) => ({
    name,
    ...(kind === 'difference' && name === 'retry' ? again : RESOLUTIONS[name]),
  }));
}
