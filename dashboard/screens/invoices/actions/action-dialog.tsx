import { client, ifMatch } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useWrite, type WriteHeaders } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { ACTIONS } from './actions';
import { Restated } from './restated';
import { useShownVersion } from './use-shown-version';

type ActionName = Exclude<Schemas['InvoiceActionName'], 'send'>;

/** Asks before one of the actions, and does it with the version of the invoice that is shown. */
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
  const write = useWrite(
    (headers, input: { shown: Invoice; reason: string }) => act(action, headers, input),
    { done: `Invoice ${invoice.invoice_number} ${done}` },
  );
  const { shown, keepShown } = useShownVersion(invoice, write.problem);
  const confirm = async (text: string) => {
    keepShown();
    if (await write.run({ shown, reason: text })) onClose();
  };
  return (
    <ConfirmDialog
      title={`${verb.replace(' invoice', '')} ${invoice.invoice_number}`}
      verb={verb}
      effect={<Restated invoice={shown} effect={effect} />}
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
  { shown, reason }: { shown: Invoice; reason: string },
) {
  const params = { path: { id: shown.id }, header: { ...headers, ...ifMatch(shown) } };
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
