import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Invoice, Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { EditInvoice } from '../form/edit-invoice';
import { ActionDialog } from './action-dialog';
import { ACTIONS } from './actions';
import { PayLinkDialog } from './pay-link';
import { canBePaid, RecordPayment } from './record-payment';
import { SendDialog } from './send-dialog';

type ActionName = Schemas['InvoiceActionName'];

/** The buttons of an invoice, as its status and the person's rights allow. */
export function InvoiceActions({ invoice }: { invoice: Invoice }) {
  const [open, setOpen] = useState<ActionName | 'edit' | 'pay' | 'link'>();
  const canWrite = useCan('write');
  const canApprove = useCan('approve');
  const mayDo = (action: ActionName) => (ACTIONS[action].permission === 'write' ? canWrite : canApprove);
  const allowed = invoice.allowed_actions.filter(mayDo);
  const isOver = invoice.status === 'void' || invoice.status === 'cancelled';
  const close = () => setOpen(undefined);
  return (
    <>
      {allowed.map((action) => (
        <Button
          key={action}
          variant={ACTIONS[action].isMain ? 'filled' : 'default'}
          onClick={() => setOpen(action)}
        >
          {ACTIONS[action].verb}
        </Button>
      ))}
      {canWrite && canBePaid(invoice) && (
        <Button variant="default" onClick={() => setOpen('pay')}>
          Record payment
        </Button>
      )}
      {canWrite && canBePaid(invoice) && invoice.balance_due_cents > 0 && (
        <Button variant="default" onClick={() => setOpen('link')}>
          Pay link
        </Button>
      )}
      {canWrite && !isOver && (
        <Button variant="default" onClick={() => setOpen('edit')}>
          Edit
        </Button>
      )}
      {open === 'edit' && <EditInvoice invoice={invoice} onClose={close} />}
      {open === 'pay' && <RecordPayment invoice={invoice} onClose={close} />}
      {open === 'link' && <PayLinkDialog invoice={invoice} onClose={close} />}
      {open === 'send' && <SendDialog invoice={invoice} onClose={close} />}
      {open && open !== 'edit' && open !== 'pay' && open !== 'link' && open !== 'send' && (
        <ActionDialog invoice={invoice} action={open} onClose={close} />
      )}
    </>
  );
}
