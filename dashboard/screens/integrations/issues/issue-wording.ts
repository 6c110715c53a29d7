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

export function nameResolution(resolution: Schemas['IssueResolution']): string {
  return RESOLUTIONS[resolution].label;
}

/** Returns the resolutions that the API accepts for an issue, each with what it does. */
export function resolutionsOf({ kind }: Schemas['SyncIssue']) {
  const names =
    kind === 'conflict' ? (['ours', 'theirs', 'ignore'] as const) : (['retry', 'ignore'] as const);
  return names.map((name) => ({
    name,
    ...(kind === 'difference' && name === 'retry' ? COMPARE : RESOLUTIONS[name]),
  }));
}
