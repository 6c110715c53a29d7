import { Stack, Text } from '@mantine/core';
import { client, ifMatch } from '../../api/client';
import type { Invoice, Schemas } from '../../api/records';
import { useWrite } from '../../api/use-write';
import { CustomerName } from '../../parts/choices/record-names';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog';
import { useOpenedVersion } from '../../parts/dialogs/use-opened-version';
import { Facts } from '../../parts/record/facts';
import { LineTable } from '../../parts/record/line-table';
import { humanize } from '../../parts/record/status-badge';
import { formatCents } from '../../parts/values/money';

type Suggestion = Schemas['Suggestion'];

export function AcceptDialog({
  suggestion: newest,
  invoice,
  onClose,
}: {
  suggestion: Suggestion;
  invoice: Invoice | undefined;
  onClose: () => void;
}) {
  const { opened: suggestion, onProblem } = useOpenedVersion(newest);
  const write = useWrite(
    (headers, _: undefined) =>
      client.POST('/suggestions/{id}/accept', {
        params: { path: { id: suggestion.id }, header: { ...headers, ...ifMatch(suggestion) } },
        body: {},
      }),
    { done: 'Suggestion accepted', onProblem },
  );
  const accept = async () => {
    if (await write.run(undefined)) onClose();
  };
  return (
    <ConfirmDialog
      title={`Accept: ${suggestion.title}`}
      verb="Accept"
      isDangerous={false}
      write={write}
      effect={<AcceptEffect suggestion={suggestion} invoice={invoice} />}
      onConfirm={() => void accept()}
      onClose={onClose}
    />
  );
}

function AcceptEffect({ suggestion, invoice }: { suggestion: Suggestion; invoice: Invoice | undefined }) {
  const lines = suggestion.proposed_lines;
  if (lines.length === 0)
    return (
      <Text>
        Marks the suggestion as accepted. No invoice and no work order is changed: make the correction in the
        record itself.
      </Text>
    );
  const added = lines.reduce((sum, line) => sum + line.total_cents, 0);
  const isLocked = invoice !== undefined && !['draft', 'needs_review'].includes(invoice.status);
  return (
    <Stack gap="sm">
      <Text>
        Adds {lines.length === 1 ? 'this line item' : 'these line items'} to invoice{' '}
        {invoice?.invoice_number ?? '…'}. Tax is calculated again. To change the amount, edit the invoice
        afterwards.
      </Text>
      <LineTable label="Line items to add" lines={lines} />
      {invoice && (
        <Facts
          items={{
            Customer: <CustomerName id={invoice.customer_id} />,
            'Subtotal now': formatCents(invoice.subtotal_cents),
            'Subtotal afterwards': formatCents(invoice.subtotal_cents + added),
          }}
        />
      )}
      {isLocked && (
        <Text fw={600}>
          The invoice is {humanize(invoice.status).toLowerCase()}, so its line items are locked. Return it to
          draft or to needs review first.
        </Text>
      )}
    </Stack>
  );
}

export function DismissDialog({
  suggestion: newest,
  onClose,
}: {
  suggestion: Suggestion;
  onClose: () => void;
}) {
  const { opened: suggestion, onProblem } = useOpenedVersion(newest);
  const write = useWrite(
    (headers, reason: string) =>
      client.POST('/suggestions/{id}/dismiss', {
        params: { path: { id: suggestion.id }, header: { ...headers, ...ifMatch(suggestion) } },
        body: reason ? { reason } : {},
      }),
    { done: 'Suggestion dismissed', onProblem },
  );
  const dismiss = async (reason: string) => {
    if (await write.run(reason)) onClose();
  };
  return (
    <ConfirmDialog
      title={`Dismiss: ${suggestion.title}`}
      verb="Dismiss"
      isDangerous={false}
      write={write}
      reason={{ label: 'Reason (optional)', field: 'reason', isRequired: false }}
      effect="Nothing is changed. This is not suggested again, and its detector needs more evidence from now on."
      onConfirm={(reason) => void dismiss(reason)}
      onClose={onClose}
    />
  );
}
