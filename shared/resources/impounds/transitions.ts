/** Closed (anchors: impound status). */
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

/** To whom, or why, a vehicle leaves the yard. */
export const RELEASE_KINDS = [
  'owner',
  'insurance',
  'lienholder',
  'no_charge',
  'surrendered',
  'junked',
  'bill_account',
] as const;

/** The table of moves. A hold is not in it as a source: it ends with /unhold alone, where it began, so it blocks every other move. */
export const IMPOUND_MOVES: Readonly<Record<ImpoundStatus, readonly ImpoundStatus[]>> = {
  stored: ['hold', 'pending_release', 'released', 'lien'],
  hold: [],
  pending_release: ['stored', 'hold', 'released', 'lien'],
  lien: ['stored', 'hold', 'pending_release', 'released', 'auction'],
  auction: ['lien', 'hold', 'released', 'disposed'],
  released: [],
  disposed: [],
};

/** What `PATCH {status}` may ask for; a hold needs its reason and a release its kind, so they are actions. */
export const PATCHABLE_IMPOUND_STATUSES = [
  'stored',
  'pending_release',
  'lien',
  'auction',
  'disposed',
] as const satisfies readonly ImpoundStatus[];

/** In these the vehicle has left, and storage has ended. */
export const GONE: readonly ImpoundStatus[] = ['released', 'disposed'];

/** Where an impound may go now. */
export function nextImpoundStatuses(impound: {
  status: ImpoundStatus;
  held_from: ImpoundStatus | null;
}): readonly ImpoundStatus[] {
  return impound.held_from === null ? IMPOUND_MOVES[impound.status] : [impound.held_from];
}
