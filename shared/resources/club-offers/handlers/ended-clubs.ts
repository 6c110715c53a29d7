import type { CommandOutcome } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { failedOutcome } from '../../../records/outcomes.js';
import { type RecordRef, refKey } from '../../../records/record-refs.js';
import { findLiveClubs } from '../../api-keys/live-clubs.js';

type Offer = RecordRef & { club_id: string; club: string };

/**
 * Returns a function that refuses to accept an offer of a club without a live key. Such a club
 * could neither confirm nor withdraw the offer, and the account has parted from it.
 */
export async function refuseEndedClubs(
  tx: Transaction,
  offers: readonly Offer[],
): Promise<(offer: Offer) => CommandOutcome | undefined> {
  const toClub = ({ tenant_id, club_id }: Offer) => ({ tenant_id, id: club_id });
  const live = await findLiveClubs(tx, offers.map(toClub));
  return (offer) => (live.has(refKey(toClub(offer))) ? undefined : failEndedClub(offer));
}

function failEndedClub({ club }: Offer): CommandOutcome {
  const message = `The key of ${club} is revoked or has expired, so the club could not confirm this job`;
  return failedOutcome({
    code: 'conflict',
    message: `${message}. Refuse the offer, or give the club a new key and let it offer the job again.`,
    details: [{ field: 'club_id', code: 'no_live_key', message }],
  });
}
