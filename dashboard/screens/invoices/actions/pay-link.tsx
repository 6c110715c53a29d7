import { Anchor, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { client } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { CopyButton } from '../../../parts/values/copy';
import { formatCents } from '../../../parts/values/money';
import { Restated } from './restated';

type PayLink = Schemas['PayLink'];

const POLL_MS = 1000;

/** Opens a page on which the customer pays the balance. Then shows the address of that page. */
export function PayLinkDialog({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const [link, setLink] = useState<PayLink>();
  const write = useWrite((header, body: Schemas['PayLinkCreate']) =>
    client.POST('/invoices/{id}/pay-link', { params: { path: { id: invoice.id }, header }, body }),
  );
  useEffect(() => {
    if (link?.status !== 'opening') return undefined;
    const timer = setTimeout(() => {
      void client.GET('/pay-links/{id}', { params: { path: { id: link.id } } }).then(({ data }) => {
        if (data) setLink(data);
      });
    }, POLL_MS);
    return () => clearTimeout(timer);
  }, [link]);
  const submit = async () => setLink(await write.run({}));
  return (
    <FormDialog
      title="Pay link"
      submitLabel="Open pay link"
      dismissLabel={link ? 'Close' : 'Cancel'}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
      {...(link ? { settled: <LinkShown link={link} /> } : {})}
    >
      <Restated
        invoice={invoice}
        effect={`The payments vendor opens a page for ${formatCents(invoice.balance_due_cents)}. It closes when the invoice changes or is paid.`}
      />
    </FormDialog>
  );
}

function LinkShown({ link: { status, url, error } }: { link: PayLink }) {
  if (status === 'opening') return <Text role="status">The vendor opens the page…</Text>;
  if (status !== 'open' || url === null)
    return <Text role="status">{error ?? `The link is ${status}.`}</Text>;
  return (
    <Group role="status">
      <Anchor href={url} target="_blank" rel="noreferrer">
        Open the payment page
      </Anchor>
      <CopyButton text={url} label="pay link" />
    </Group>
  );
}
