import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { type DryRun, useDryRun } from '../../../api/use-dry-run';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { LineTable } from '../../../parts/record/line-table';
import { RecordLink } from '../../../parts/url/links';
import { useUrl, useUrlSearch } from '../../../parts/url/use-url';
import { EMPTY_DRAFT, type InvoiceDraft, isFinished, toCreateBody } from './invoice-draft';
import { collectErrors, listFields } from './invoice-faults';
import { InvoiceFacts, InvoiceLines } from './invoice-fields';
import { createLine, toLineDrafts } from './line-draft';
import { suggestNumber } from './suggest-number';

/**
 * The form of a new invoice. The URL may contain its customer or its work order. Without typed line
 * items, the rate card prices the work order.
 */
export function NewInvoice() {
  const { customer_id: customerId, work_order_id: workOrderId } = useUrlSearch();
  const { router } = useUrl();
  const [typed, setTyped] = useState<Partial<InvoiceDraft>>(() => ({
    ...(customerId ? { customer_id: customerId } : {}),
    lines: workOrderId ? [] : [createLine()],
  }));
  const number = useSuggestedNumber();
  const draft: InvoiceDraft = { ...EMPTY_DRAFT, invoice_number: number ?? '', ...typed };
  const body = toCreateBody(draft, workOrderId);
  const dryRun = useDryRun<Schemas['InvoiceCreate'], Invoice>(
    isFinished(draft) ? body : undefined,
    (headers, checked, signal) =>
      client.POST('/invoices', { params: { header: headers }, body: checked, signal }),
  );
  const write = useWrite(
    (headers, created: Schemas['InvoiceCreate']) =>
      client.POST('/invoices', { params: { header: headers }, body: created }),
    { done: 'Invoice created' },
  );
  const leave = (to: string) =>
    void router.navigate({
      to,
      search: ((old: object) => ({ ...old, tab: undefined, work_order_id: undefined })) as never,
    });
  const submit = async () => {
    const created = await write.run(body);
    if (created) leave(`/invoices/${created.id}`);
  };
  const change = (patch: Partial<InvoiceDraft>) => {
    if (write.problem) write.reset();
    setTyped((before) => ({ ...before, ...patch }));
  };
  return (
    <FormDialog
      title="New invoice"
      submitLabel="Create invoice"
      size="64rem"
      isLong
      fields={listFields(draft)}
      write={write}
      onSubmit={() => void submit()}
      onClose={() => leave('/invoices')}
    >
      {(written) => {
        const props = { draft, errors: collectErrors(written, dryRun.problem, draft), onChange: change };
        return (
          <>
            {workOrderId && <BilledWorkOrder id={workOrderId} />}
            <InvoiceFacts {...props} isNew />
            {workOrderId && draft.lines.length === 0 && <PricedLines dryRun={dryRun} onChange={change} />}
            <InvoiceLines {...props} dryRun={dryRun} />
          </>
        );
      }}
    </FormDialog>
  );
}

/**
 * Returns the number that follows the newest invoice's number. Returns undefined until it is known.
 */
function useSuggestedNumber(): string | undefined {
  const newest = api.useQuery('get', '/invoices', { params: { query: { limit: 1 } } }, { staleTime: 0 });
  const [suggested, setSuggested] = useState<string>();
  // Keep the first suggestion. Otherwise it would change while the person types if newer invoices
  // appear.
  if (suggested === undefined && !newest.isFetching) {
    setSuggested(suggestNumber(newest.data?.data.items[0]?.invoice_number));
  }
  return suggested;
}

function BilledWorkOrder({ id }: { id: string }) {
  const order = api.useQuery('get', '/work-orders/{id}', { params: { path: { id } } });
  return (
    <Text size="sm">
      Bills the work order{' '}
      <RecordLink screen="work-orders" id={id}>
        {order.data?.job_number ?? '…'}
      </RecordLink>
      . What you leave empty comes from it.
    </Text>
  );
}

/** The line items from the rate card, until the person copies them into the form. */
function PricedLines({
  dryRun,
  onChange,
}: {
  dryRun: DryRun<Invoice>;
  onChange: (patch: Partial<InvoiceDraft>) => void;
}) {
  const lines = dryRun.preview?.line_items ?? [];
  return (
    <Stack gap="xs" align="flex-start">
      <LineTable lines={lines} label="Lines by the rate card" />
      {lines.length > 0 && (
        <Button variant="default" size="xs" onClick={() => onChange({ lines: toLineDrafts(lines) })}>
          Edit these lines
        </Button>
      )}
    </Stack>
  );
}
