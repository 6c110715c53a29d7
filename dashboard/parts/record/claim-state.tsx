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

/** The time at which the claim expires if nobody sends it, and what to do before. */
export function findDeadline({
  status,
  submit_by,
  respond_by,
}: Pick<Schemas['Claim'], 'status' | 'submit_by' | 'respond_by'>): { label: string; at: string } | undefined {
  if (status === 'queued') return { label: 'Submit by', at: submit_by };
  const isDenied = status === 'denied' || status === 'rebilling';
  return isDenied && respond_by ? { label: 'Bill again by', at: respond_by } : undefined;
}
