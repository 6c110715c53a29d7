import type { Schemas } from '../../api/records';
import { describeDenial } from './denial-words';
import { StatusBadge } from './status-badge';

/** The status of a claim, and what the club objects to if it has denied the claim. */
export function ClaimState({
  claim: { status, denial_code: code },
}: {
  claim: Pick<Schemas['Claim'], 'status' | 'denial_code'>;
}) {
  return (
    <>
      <StatusBadge status={status} />
      {status === 'denied' && <div>{describeDenial(code).meaning}</div>}
    </>
  );
}
