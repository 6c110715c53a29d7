import { Stack, Text } from '@mantine/core';
import { client, ifMatch } from '../../../api/client';
import type { Invoice } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { type Claim, describeWithdrawal } from './claim-actions';
import { ClaimFacts } from './claim-facts';

/** Asks why the claim is withdrawn, and withdraws it. */
export function WithdrawClaim({
  claim: newest,
  invoice,
  onClose,
}: {
  claim: Claim;
  invoice: Invoice;
  onClose: () => void;
}) {
  const { opened: claim, onProblem } = useOpenedVersion(newest);
  const write = useWrite(
    (headers, reason: string) =>
      client.POST('/claims/{id}/withdraw', {
        params: { path: { id: claim.id }, header: { ...headers, ...ifMatch(claim) } },
        body: { reason },
      }),
    { done: 'The claim is withdrawn', onProblem },
  );
  const confirm = async (reason: string) => {
    if (await write.run(reason)) onClose();
  };
  return (
    <ConfirmDialog
      title={`Withdraw the claim on ${claim.club}`}
      verb="Withdraw claim"
      effect={
        <Stack gap="sm">
          <ClaimFacts claim={claim} invoice={invoice} />
          <Text size="sm">{describeWithdrawal(claim)} This is final.</Text>
        </Stack>
      }
      write={write}
      reason={{ label: 'Reason', field: 'reason', isRequired: true }}
      onConfirm={(reason) => void confirm(reason)}
      onClose={onClose}
    />
  );
}
