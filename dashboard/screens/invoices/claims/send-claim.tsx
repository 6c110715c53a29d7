import { Stack, Text } from '@mantine/core';
import { client, ifMatch } from '../../../api/client';
import type { Invoice } from '../../../api/records';
import { useWrite, type WriteHeaders } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { type Claim, describeLimit, describeSending, MAX_ATTEMPTS } from './claim-actions';
import { ClaimFacts } from './claim-facts';

/** Asks for confirmation before the claim is sent, for the first time or again. */
export function SendClaim({
  claim: newest,
  invoice,
  action,
  onClose,
}: {
  claim: Claim;
  invoice: Invoice;
  action: 'submit' | 'rebill';
  onClose: () => void;
}) {
  const { opened: claim, onProblem } = useOpenedVersion(newest);
  const done = claim.connection_id ? 'The claim goes to the billing partner' : 'The claim is submitted';
  const write = useWrite((headers, _input: object) => send(action, headers, claim), { done, onProblem });
  const confirm = async () => {
    if (await write.run({})) onClose();
  };
  const limit = describeLimit(claim, invoice);
  return (
    <ConfirmDialog
      title={`Send the claim on ${claim.club}`}
      verb={action === 'submit' ? 'Submit claim' : 'Bill again'}
      effect={
        <Stack gap="sm">
          <ClaimFacts
            claim={claim}
            invoice={invoice}
            more={{ Attempt: `${claim.attempt + 1} of ${MAX_ATTEMPTS}` }}
          />
          <Text size="sm">{describeSending(claim)}</Text>
          {limit && <Text size="sm">{limit}</Text>}
        </Stack>
      }
      write={write}
      isDangerous={false}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  );
}

function send(action: 'submit' | 'rebill', headers: WriteHeaders, claim: Claim) {
  const params = { path: { id: claim.id }, header: { ...headers, ...ifMatch(claim) } };
  return action === 'submit'
    ? client.POST('/claims/{id}/submit', { params, body: {} })
    : client.POST('/claims/{id}/rebill', { params, body: {} });
}
