import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { Invoice } from '../../api/records';
import { useCan } from '../../api/session';
import type { Approval } from './approval-text';
import { Decided } from './decided';
import { ReviewDialog, type Verdict } from './review-dialog';

/** Shows the buttons of a pending approval, or the decision of a decided approval. */
export function Decision({ approval, invoice }: { approval: Approval; invoice: Invoice | undefined }) {
  const [verdict, setVerdict] = useState<Verdict>();
  const canApprove = useCan('approve');
  return (
    <>
      {approval.status !== 'pending' && <Decided approval={approval} />}
      {approval.status === 'pending' && !canApprove && (
        <Text size="sm">People with the right approve decide.</Text>
      )}
      {approval.status === 'pending' && canApprove && (
        <Group gap="xs">
          <Button variant="default" onClick={() => setVerdict('reject')}>
            Reject
          </Button>
          <Button onClick={() => setVerdict('approve')}>Approve</Button>
        </Group>
      )}
      {verdict && (
        <ReviewDialog
          approval={approval}
          invoice={invoice}
          verdict={verdict}
          onClose={() => setVerdict(undefined)}
        />
      )}
    </>
  );
}
