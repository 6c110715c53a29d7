import { Anchor, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Customer, Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { CopyButton } from '../../../parts/values/copy';

type SavedMethod = Schemas['SavedMethod'];

/**
 * Opens a page on which the customer saves a payment method. Then shows the address of that page.
 */
export function SetupLinkDialog({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const [opened, setOpened] = useState<SavedMethod>();
  const write = useWrite((header, body: Schemas['SavedMethodCreate']) =>
    client.POST('/customers/{id}/payment-methods', {
      params: { path: { id: customer.id }, header },
      body,
    }),
  );
  const submit = async () => setOpened(await write.run({}));
  return (
    <FormDialog
      title="Set-up link"
      submitLabel="Open set-up link"
      dismissLabel={opened ? 'Close' : 'Cancel'}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
      {...(opened ? { settled: <LinkShown method={opened} /> } : {})}
    >
      <Text size="sm">
        {`The payments vendor opens a page where ${customer.company_name} saves a card or a bank account, and agrees to later charges. Nothing is charged now. Send the link to the customer.`}
      </Text>
    </FormDialog>
  );
}

function LinkShown({ method: { status, url, error } }: { method: SavedMethod }) {
  if (status === 'opening')
    return (
      <Text role="status">The vendor is slow. The link will appear in the list of payment methods.</Text>
    );
  if (url === null) return <Text role="status">{error ?? `The link is ${status}.`}</Text>;
  return (
    <Group role="status">
      <Anchor href={url} target="_blank" rel="noreferrer">
        Open the page
      </Anchor>
      <CopyButton text={url} label="set-up link" />
    </Group>
  );
}
