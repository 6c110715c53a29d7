import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useTimeZone } from '../../../api/session';
import { useDryRun } from '../../../api/use-dry-run';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { StoredPdf } from '../pdf/stored-pdf';
import { type InvoiceDraft, isFinished, toDraft, toPatch } from './invoice-draft';
import { collectErrors, listFields } from './invoice-faults';
import { InvoiceFacts, InvoiceLines } from './invoice-fields';
import { toLineInput } from './line-draft';
import { NewerVersion } from './newer-version';

/** From the breakpoint `lg` of the library, a form has room for a PDF beside it. */
const WIDE = '(min-width: 75em)';

/** True for an invoice that is not approved yet, because its line items may still change. */
export function hasOpenLines({ status }: Pick<Invoice, 'status'>): boolean {
  return status === 'draft' || status === 'needs_review';
}

/**
 * Changes an invoice. If a colleague has changed the invoice since the form was opened, the API
 * refuses the write. The form then shows the colleague's changes, and keeps the person's edits. On
 * a wide screen, the PDF of the stored invoice is beside the form.
 * @param invoice the newest version
 */
export function EditInvoice({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const timeZone = useTimeZone();
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  // The version that the person has seen. `invoice` changes whenever a colleague changes the
  // invoice.
  const [seen, setSeen] = useState(invoice);
  const [typed, setTyped] = useState<Partial<InvoiceDraft>>({});
  const before = toDraft(seen, timeZone);
  const draft = { ...before, ...typed };
  const patch = toPatch(draft, before);
  const canEditLines = hasOpenLines(seen);
  const params = { path: { id: invoice.id } };
  const dryRun = useDryRun<Schemas['InvoicePatch'], Invoice>(
    canEditLines && isFinished(draft) ? { line_items: draft.lines.map(toLineInput) } : undefined,
    (header, body, signal) => client.PATCH('/invoices/{id}', { params: { ...params, header }, body, signal }),
  );
  const write = useWrite(
    (headers, body: Schemas['InvoicePatch']) =>
      client.PATCH('/invoices/{id}', {
        params: { ...params, header: { ...headers, ...ifMatch(seen) } },
        body,
      }),
    { done: 'Invoice saved' },
  );
  const isStale = write.problem?.isStale ?? false;
  const submit = async () => {
    if (Object.keys(patch).length === 0 || (await write.run(patch))) onClose();
  };
  const change = (next: Partial<InvoiceDraft>) => {
    if (write.problem && !isStale) write.reset();
    setTyped((old) => ({ ...old, ...next }));
  };
  const goOn = () => {
    setSeen(invoice);
    write.reset();
  };
  return (
    <FormDialog
      title={`Edit ${invoice.invoice_number}`}
      submitLabel="Save"
      size={isWide ? '100rem' : '64rem'}
      isLong
      beside={isWide && <StoredPdf invoice={invoice} />}
      fields={listFields(draft)}
      // The form shows the colleague's changes in detail below.
      write={isStale ? { ...write, problem: undefined } : write}
      canSubmit={!isStale}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(written) => {
        const props = { draft, errors: collectErrors(written, dryRun.problem, draft), onChange: change };
        return (
          <>
            <InvoiceFacts {...props} isNew={false} />
            {canEditLines && <InvoiceLines {...props} dryRun={dryRun} />}
            {write.problem && isStale && (
              <NewerVersion
                faults={write.problem.faults}
                typed={Object.keys(patch)}
                isRead={invoice.updated_at !== seen.updated_at}
                onGoOn={goOn}
              />
            )}
          </>
        );
      }}
    </FormDialog>
  );
}
