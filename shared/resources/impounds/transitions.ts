export const IMPOUND_STATUSES = [
  'stored',
  'hold',
  'pending_release',
  'released',
  'lien',
  'auction',
  'disposed',
] as const;
export type ImpoundStatus = (typeof IMPOUND_STATUSES)[number];

export const RELEASE_KINDS = [
  'owner',
  'insurance',
  'lienholder',
  'no_charge',
  'surrendered',
  'junked',
  'bill_account',
] as const;

/**
 * The statuses that may follow each status. No status follows `hold` here, because only the action
 * /unhold ends a hold. /unhold restores the status before the hold.
 */
export const IMPOUND_MOVES: Readonly<Record<ImpoundStatus, readonly ImpoundStatus[]>> = {
  stored: ['hold', 'pending_release', 'released', 'lien'],
  hold: [],
  pending_release: ['stored', 'hold', 'released', 'lien'],
  lien: ['stored', 'hold', 'pending_release', 'released', 'auction'],
  auction: ['lien', 'hold', 'released', 'disposed'],
  released: [],
  disposed: [],
};

/**
 * The statuses that PATCH may set. `hold` and `released` are missing, because a hold needs a reason
 * and a release needs a kind. The actions /hold and /release set these two statuses.
 */
export const PATCHABLE_IMPOUND_STATUSES = [
  'stored',
  'pending_release',
  'lien',
  'auction',
  'disposed',
] as const satisfies readonly ImpoundStatus[];

/** In these statuses the vehicle has left the yard, and storage has ended. */
export const DEPARTED_IMPOUND_STATUSES: readonly ImpoundStatus[] = ['released', 'disposed'];

export function nextImpoundStatuses(impound: {
  status: ImpoundStatus;
  held_from: ImpoundStatus | null;
}): readonly ImpoundStatus[] {
  return impound.held_from === null ? IMPOUND_MOVES[impound.status] : [impound.held_from];
}
