import { Button, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';
import { TitledTable } from './titled-table';

type Dispute = Schemas['Dispute'];

/**
 * The payments of an invoice that a bank takes back or wants to take back. Shows nothing if there
 * are no disputes.
 */
export function Disputes({ invoice: { id } }: { invoice: Invoice }) {
  const [answered, setAnswered] = useState<Dispute>();
  const canApprove = useCan('approve');
  const { data } = api.useQuery('get', '/disputes', { params: { query: { invoice_id: id, limit: 20 } } });
  const items = data?.data.items ?? [];
  const canAnswer = ({ status, respond_by: until, evidence_sent_at: sent }: Dispute) =>
    canApprove && status === 'open' && until !== null && sent === null;
  return (
    <>
      <TitledTable
        label="Disputed payments"
        rows={items}
        rowKey={(dispute) => dispute.id}
        columns={[
          { header: 'Reason', render: ({ reason }) => humanize(reason) },
          { header: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
          { header: 'Amount', align: 'right', render: ({ amount_cents: cents }) => <Money cents={cents} /> },
          { header: 'Evidence until', render: ({ respond_by: at }) => (at ? <TimeAgo at={at} /> : '–') },
          {
            header: 'Action',
            render: (dispute) =>
              canAnswer(dispute) ? (
                <Button size="compact-sm" variant="default" onClick={() => setAnswered(dispute)}>
                  Send evidence
                </Button>
              ) : dispute.evidence_sent_at ? (
                <Text size="sm">Evidence sent</Text>
              ) : (
                '–'
              ),
          },
        ]}
      />
      {answered && <EvidenceDialog dispute={answered} onClose={() => setAnswered(undefined)} />}
    </>
  );
}

function EvidenceDialog({ dispute, onClose }: { dispute: Dispute; onClose: () => void }) {
  const [text, setText] = useState('');
  const write = useWrite(
    (header, body: Schemas['DisputeEvidenceCreate']) =>
      client.POST('/disputes/{id}/evidence', { params: { path: { id: dispute.id }, header }, body }),
    { done: 'The evidence is sent to the vendor' },
  );
  const submit = async () => {
    if (await write.run(text.trim() === '' ? {} : { text: text.trim() })) onClose();
  };
  return (
    <FormDialog
      title="Send evidence"
      submitLabel="Send evidence"
      fields={['text']}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">
            The vendor gets the customer, the service, its day, the log of the work, the invoice and the
            photos. It accepts evidence only once.
          </Text>
          <Textarea
            data-autofocus
            label="What you add"
            autosize
            minRows={4}
            maxLength={5000}
            value={text}
            error={errors.text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}
