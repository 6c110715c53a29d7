import { Alert, Anchor, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { api, client } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { formatCents } from '../../../parts/values/money';
import { Restated } from './restated';

type Reader = Schemas['TerminalReader'];
type TerminalPayment = Schemas['TerminalPayment'];

const POLL_MS = 1000;

const isOpen = ({ status }: TerminalPayment): boolean => status === 'waiting' || status === 'processing';

/** Collects the balance on a card reader, and shows the progress of the payment. */
export function CardReaderDialog({
  invoice,
  readers,
  onClose,
}: {
  invoice: Invoice;
  readers: readonly Reader[];
  onClose: () => void;
}) {
  const [startedId, setStartedId] = useState<string>();
  const [chosenId, setChosenId] = useState(() => chooseFirst(readers));
  const { data: latest } = api.useQuery('get', '/terminal-payments', {
    params: { query: { invoice_id: invoice.id, limit: 1 } },
  });
  // Show a payment that already waits, so that the person can cancel it.
  const waitingId = latest?.data.items.find(isOpen)?.id;
  const write = useWrite((header, body: Schemas['TerminalPaymentCreate']) =>
    client.POST('/invoices/{id}/terminal-payments', { params: { path: { id: invoice.id }, header }, body }),
  );
  const [shownId, setShownId] = useState<string>();
  useEffect(() => {
    if (waitingId !== undefined) setShownId(waitingId);
  }, [waitingId]);
  const submit = async () => setStartedId((await write.run({ reader_id: chosenId }))?.id);
  const id = startedId ?? shownId;
  const again = () => {
    setStartedId(undefined);
    setShownId(undefined);
  };
  return (
    <FormDialog
      title="Card reader"
      submitLabel="Ask for the card"
      fields={['reader_id']}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
      {...(id === undefined
        ? {}
        : { settled: <Progress key={id} id={id} onAgain={again} onClose={onClose} /> })}
    >
      {(errors) => (
        <>
          <Restated
            invoice={invoice}
            effect={`The reader asks the customer for ${formatCents(invoice.balance_due_cents)}, for two minutes.`}
          />
          {id === undefined && (
            <NativeSelect
              data-autofocus
              label="Reader"
              data={readers.map(({ id: value, label, status }) => ({
                value,
                label: status === 'online' ? label : `${label} (${status})`,
              }))}
              value={chosenId}
              error={errors.reader_id}
              onChange={(event) => setChosenId(event.currentTarget.value)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

function chooseFirst(readers: readonly Reader[]): string {
  return (readers.find(({ status }) => status === 'online') ?? readers[0])?.id ?? '';
}

/** Shows the progress of a payment on a card reader until it has ended. */
function Progress({ id, onAgain, onClose }: { id: string; onAgain: () => void; onClose: () => void }) {
  const { data: payment } = api.useQuery(
    'get',
    '/terminal-payments/{id}',
    { params: { path: { id } } },
    { refetchInterval: ({ state: { data } }) => (data && !isOpen(data) ? false : POLL_MS) },
  );
  const cancel = useWrite((header, body: Schemas['TerminalPaymentCancel']) =>
    client.POST('/terminal-payments/{id}/cancel', { params: { path: { id }, header }, body }),
  );
  if (!payment) return <Text role="status">Starting…</Text>;
  const isWaiting = isOpen(payment);
  return (
    <Stack gap="sm">
      <Result payment={payment} />
      {payment.pretend_url && isWaiting && (
        <Anchor href={payment.pretend_url} target="_blank" rel="noreferrer">
          Present a card to the pretend reader
        </Anchor>
      )}
      {cancel.problem && <ProblemAlert problem={cancel.problem} />}
      <Group justify="flex-end" gap="xs">
        {isWaiting && (
          <Button
            variant="default"
            loading={cancel.isRunning}
            disabled={payment.cancel_requested_at !== null}
            onClick={() => void cancel.run({})}
          >
            Cancel payment
          </Button>
        )}
        {!isWaiting && payment.status !== 'succeeded' && (
          <Button variant="default" onClick={onAgain}>
            Try again
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
      </Group>
    </Stack>
  );
}

function Result({ payment }: { payment: TerminalPayment }) {
  const { status, failure_reason: reason, amount_cents: cents, cancel_requested_at } = payment;
  if (status === 'succeeded')
    return (
      <Alert variant="outline" color="green" role="status">
        {formatCents(cents)} was paid by card.
      </Alert>
    );
  if (isOpen(payment))
    return (
      <Text role="status">
        {cancel_requested_at ? 'Cancelling…' : `Waiting for the card: ${formatCents(cents)}`}
      </Text>
    );
  return (
    <Alert variant="outline" color="red" role="status">
      {reason ?? `The payment was ${status}.`}
    </Alert>
  );
}
