import { client, ifMatch } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useWrite, type WriteHeaders } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { ACTIONS } from './actions';
import { Restated } from './restated';

type ActionName = Exclude<Schemas['InvoiceActionName'], 'send'>;

/** Asks for confirmation of an action, then runs the action on the shown version of the invoice. */
export function ActionDialog({
  invoice,
  action,
  onClose,
}: {
  invoice: Invoice;
  action: ActionName;
  onClose: () => void;
}) {
  const { verb, effect, done, isDangerous = false, reason } = ACTIONS[action];
  const { opened, onProblem } = useOpenedVersion(invoice);
  const write = useWrite((headers, text: string) => act(action, headers, { opened, reason: text }), {
    done: `Invoice ${invoice.invoice_number} ${done}`,
    onProblem,
  });
  const confirm = async (text: string) => {
    if (await write.run(text)) onClose();
  };
  return (
    <ConfirmDialog
      title={`${verb.replace(' invoice', '')} ${invoice.invoice_number}`}
      verb={verb}
      effect={<Restated invoice={opened} effect={effect} />}
      write={write}
      isDangerous={isDangerous}
      {...(action === 'cancel' ? { dismissLabel: 'Keep it' } : {})}
      {...(reason ? { reason: { label: reason, field: 'reason', isRequired: true } } : {})}
      onConfirm={(text) => void confirm(text)}
      onClose={onClose}
    />
  );
}

function act(
  action: ActionName,
  headers: WriteHeaders,
  { opened, reason }: { opened: Invoice; reason: string },
) {
  const params = { path: { id: opened.id }, header: { ...headers, ...ifMatch(opened) } };
  switch (action) {
    case 'approve':
      return client.POST('/invoices/{id}/approve', { params, body: {} });
    case 'return':
      return client.POST('/invoices/{id}/return', { params, body: {} });
    case 'resolve':
      return client.POST('/invoices/{id}/resolve', { params, body: {} });
    case 'dispute':
      return client.POST('/invoices/{id}/dispute', { params, body: { reason } });
    case 'cancel':
      return client.POST('/invoices/{id}/cancel', { params, body: { reason } });
    case 'void':
      return client.POST('/invoices/{id}/void', { params, body: { reason } });
  }
}
