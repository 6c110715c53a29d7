import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Customer, Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { PagedTable } from '../../../parts/record/paged-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { CopyButton } from '../../../parts/values/copy';
import { AutopayDialog } from './autopay-dialog';
import { nameSavedMethod } from './name-method';
import { SetupLinkDialog } from './setup-link-dialog';

type SavedMethod = Schemas['SavedMethod'];

/** The customer's saved payment methods, and the autopay settings. */
export function PaymentMethods({ customer }: { customer: Customer }) {
  const [dialog, setDialog] = useState<'link' | 'autopay'>();
  const [removed, setRemoved] = useState<SavedMethod>();
  const canWrite = useCan('write');
  const canApprove = useCan('approve');
  const { autopay } = customer;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm">
          {autopay
            ? `Invoices are charged automatically ${autopay.when === 'release' ? 'when they are sent' : 'on their due date'}.`
            : 'Invoices are not charged automatically.'}
        </Text>
        <Group gap="xs">
          {canApprove && (
            <Button variant="default" onClick={() => setDialog('autopay')}>
              Autopay
            </Button>
          )}
          {canWrite && <Button onClick={() => setDialog('link')}>Set-up link</Button>}
        </Group>
      </Group>
      <PagedTable<SavedMethod>
        label="Payment methods"
        queryKey={['/customers/{id}/payment-methods', customer.id]}
        readPage={async (cursor) => {
          const query = { limit: 20, ...(cursor ? { cursor } : {}) };
          const path = { id: customer.id };
          const { data } = await client.GET('/customers/{id}/payment-methods', { params: { path, query } });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={({ id }) => id}
        empty="This customer has saved no payment method. Open a set-up link and send it to the customer."
        columns={[
          { header: 'Method', render: nameSavedMethod },
          { header: 'Status', render: (method) => <MethodState method={method} /> },
          { header: 'Expires', render: formatExpiry },
          {
            header: 'Link',
            render: ({ status, url, verification_url: verification }) =>
              status === 'open' && url ? (
                <CopyButton text={url} label="set-up link" />
              ) : status === 'verifying' && verification ? (
                <CopyButton text={verification} label="verification link" />
              ) : (
                '–'
              ),
          },
          {
            header: 'Action',
            render: (method) =>
              canWrite && method.status !== 'removed' && method.status !== 'expired' ? (
                <Button size="compact-sm" variant="default" onClick={() => setRemoved(method)}>
                  Remove
                </Button>
              ) : (
                '–'
              ),
          },
        ]}
      />
      {dialog === 'link' && <SetupLinkDialog customer={customer} onClose={() => setDialog(undefined)} />}
      {dialog === 'autopay' && <AutopayDialog customer={customer} onClose={() => setDialog(undefined)} />}
      {removed && <RemoveDialog customer={customer} method={removed} onClose={() => setRemoved(undefined)} />}
    </Stack>
  );
}

function MethodState({ method: { status, error } }: { method: SavedMethod }) {
  return (
    <>
      <StatusBadge status={status} />
      {error && <Text size="xs">{error}</Text>}
    </>
  );
}

function formatExpiry({ exp_month: month, exp_year: year }: SavedMethod): string {
  return month === null || year === null ? '–' : `${String(month).padStart(2, '0')}/${year}`;
}

function RemoveDialog({
  customer,
  method,
  onClose,
}: {
  customer: Customer;
  method: SavedMethod;
  onClose: () => void;
}) {
  const write = useWrite(
    (header) =>
      client.DELETE('/customers/{id}/payment-methods/{method_id}', {
        params: { path: { id: customer.id, method_id: method.id }, header },
      }),
    { done: 'Payment method removed' },
  );
  const submit = async () => {
    if (await write.run(undefined)) onClose();
  };
  return (
    <ConfirmDialog
      title={`Remove ${nameSavedMethod(method)}`}
      verb="Remove"
      effect={`${customer.company_name} can no longer be charged on it, here and at the payments vendor.`}
      write={write}
      onConfirm={() => void submit()}
      onClose={onClose}
    />
  );
}
