import { Button, Group, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../api/client';
import type { Problem } from '../../api/problem';
import { queryClient } from '../../api/query-client';
import type { Invoice } from '../../api/records';
import { useWrite } from '../../api/use-write';
import { FormDialog } from '../../parts/dialogs/form-dialog';
import { Facts } from '../../parts/record/facts';
import { Money } from '../../parts/values/money';
import {
  type Approval,
  describeApproving,
  describeRejecting,
  describeRequest,
  nameAsker,
} from './approval-text';
import { ChangeTable, type ShownChange } from './change-table';
import { Decided } from './decided';
import { PayerName } from './payer-name';

export type Verdict = 'approve' | 'reject';

const VERBS = { approve: 'Approve', reject: 'Reject' } as const;
const RESULTS = { approve: 'Approved', reject: 'Rejected' } as const;

/**
 * Describes the request again, and sends the decision. The decision contains the hash of the
 * version that the dialog showed when it opened. So a person cannot approve a version that they
 * have not seen. If the version has changed, the dialog shows the changes and asks again.
 */
export function ReviewDialog({
  approval,
  invoice,
  verdict,
  onClose,
}: {
  approval: Approval;
  invoice: Invoice | undefined;
  verdict: Verdict;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const { shown, latest, changes, readAgain } = useShownVersion(approval);
  const write = useDecision(approval.id, verdict, readAgain);
  const submit = async () => {
    if (await write.run({ hash: shown.hash, text: text.trim() })) onClose();
  };
  // While the person's own decision is being stored, do not show that another person has decided.
  const isOver = latest.status !== 'pending' && !write.isRunning;
  const isReject = verdict === 'reject';
  return (
    <FormDialog
      title={`${VERBS[verdict]} this request?`}
      submitLabel={VERBS[verdict]}
      fields={[isReject ? 'reason' : 'note']}
      write={isOver ? { ...write, problem: undefined } : write}
      isDangerous={isReject}
      canSubmit={!isReject || text.trim() !== ''}
      size="lg"
      onSubmit={() => void submit()}
      onClose={onClose}
      settled={isOver && <Settled approval={latest} onClose={onClose} />}
    >
      {(errors) => (
        <>
          <Restated approval={shown} invoice={invoice} verdict={verdict} />
          <ChangeTable label="What has changed" changes={changes} />
          <Textarea
            label={isReject ? 'Reason' : 'Note'}
            required={isReject}
            autosize
            minRows={2}
            disabled={isOver}
            value={text}
            error={errors[isReject ? 'reason' : 'note']}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}

/**
 * Returns the version that the person has seen. Only a 409 response replaces it with a newer
 * version.
 */
function useShownVersion(approval: Approval) {
  const [shown, setShown] = useState(approval);
  const [changes, setChanges] = useState<readonly ShownChange[]>([]);
  const reading = api.useQuery('get', '/approvals/{id}', { params: { path: { id: approval.id } } });
  const readAgain = async (problem: Problem) => {
    setChanges(problem.code === 'conflict' ? problem.faults : []);
    const { data } = await reading.refetch();
    if (data) setShown(data);
    void queryClient.invalidateQueries();
  };
  return { shown, latest: reading.data ?? approval, changes, readAgain };
}

function useDecision(id: string, verdict: Verdict, readAgain: (problem: Problem) => Promise<void>) {
  return useWrite(
    (headers, { hash, text }: { hash: string; text: string }) => {
      const params = { path: { id }, header: headers };
      if (verdict === 'reject')
        return client.POST('/approvals/{id}/reject', { params, body: { reason: text } });
      return client.POST('/approvals/{id}/approve', {
        params,
        body: { hash, ...(text ? { note: text } : {}) },
      });
    },
    {
      done: RESULTS[verdict],
      onProblem: (problem) => {
        const isOutdated = problem.code === 'conflict' || problem.code === 'invalid_status_transition';
        if (isOutdated) void readAgain(problem);
      },
    },
  );
}

function Restated({
  approval,
  invoice,
  verdict,
}: {
  approval: Approval;
  invoice: Invoice | undefined;
  verdict: Verdict;
}) {
  const effect = verdict === 'approve' ? describeApproving(approval, invoice) : describeRejecting(approval);
  return (
    <>
      <Facts
        items={{
          Request: describeRequest(approval, invoice?.invoice_number),
          Amount: <Money cents={approval.amount_cents} />,
          Customer: <PayerName approval={approval} invoice={invoice} />,
          'Who asks': nameAsker(approval),
        }}
      />
      <Text>{effect}</Text>
    </>
  );
}

/** Replaces the buttons if another person has already decided. */
function Settled({ approval, onClose }: { approval: Approval; onClose: () => void }) {
  return (
    <Group justify="space-between" gap="xs">
      <Decided approval={approval} />
      <Button variant="default" onClick={onClose}>
        Close
      </Button>
    </Group>
  );
}
