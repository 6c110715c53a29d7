import { List, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { showToast } from '../../../api/toast';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { Facts } from '../../../parts/record/facts';
import { Money } from '../../../parts/values/money';
import { TimeField } from '../../../parts/values/time-field';
import type { Connection } from '../vendors/vendor-kinds';

const DAYS = 30;

type Body = Schemas['ConnectionSync'];
type Preview = Schemas['BookingPreview'];

/** Enters what was released and paid since a time. First shows what that will be. */
export function EarlierInvoicesDialog({
  connection,
  onClose,
}: {
  connection: Connection;
  onClose: () => void;
}) {
  const [since, setSince] = useState<string | null>(() =>
    new Date(Date.now() - DAYS * 86_400_000).toISOString(),
  );
  const path = { id: connection.id };
  const { data: preview, isFetching } = api.useQuery(
    'get',
    '/connections/{id}/booking-preview',
    { params: { path, query: { since: since ?? '' } } },
    { enabled: since !== null },
  );
  const sync = useWrite((headers, body: Body) =>
    client.POST('/connections/{id}/sync', {
      params: { path, header: { ...headers, ...ifMatch(connection) } },
      body,
    }),
  );
  const submit = async () => {
    if (since === null) return;
    const result = await sync.run({ since });
    if (!result) return;
    const { pushed, next_since: next } = result as Schemas['ConnectionPush'];
    const records = pushed === 1 ? 'One record is' : `${pushed} records are`;
    void showToast(`${records} being entered. Operations shows each.`);
    if (next === null) onClose();
    else setSince(next);
  };
  const count = preview && !isFetching ? preview.invoices + preview.payments : undefined;
  return (
    <FormDialog
      title="Enter earlier invoices"
      submitLabel="Enter"
      fields={['since']}
      write={sync}
      canSubmit={count !== undefined && count > 0}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">
            By itself, the service enters what is released after the connection. Earlier invoices, and
            payments of them, are entered only by this. What is in the books already is found by its number,
            and not entered again.
          </Text>
          <TimeField
            label="Released or paid since"
            required
            at={since}
            onAt={setSince}
            error={errors.since}
          />
          <div aria-live="polite">{preview && since !== null && <PreviewText preview={preview} />}</div>
        </>
      )}
    </FormDialog>
  );
}

function PreviewText({ preview }: { preview: Preview }) {
  const { invoices, booked_invoices, invoiced_cents, payments, received_cents, new_customers, conflicts } =
    preview;
  if (invoices + payments === 0) return <Text size="sm">Nothing was released or paid since then.</Text>;
  return (
    <Stack gap="sm">
      <Facts
        items={{
          Invoices: (
            <>
              {invoices}, <Money cents={invoiced_cents} />
            </>
          ),
          'In the books already': booked_invoices,
          Payments: (
            <>
              {payments}, <Money cents={received_cents} />
            </>
          ),
          'Customers to look for or create': new_customers,
        }}
      />
      <ConflictList conflicts={conflicts} />
    </Stack>
  );
}

/** Names what would keep invoices out of the books. Shows nothing if there is no such thing. */
export function ConflictList({ conflicts }: { conflicts: Preview['conflicts'] }) {
  if (conflicts.length === 0) return null;
  return (
    <Stack gap={4}>
      <Text size="sm">These records wait until you have resolved what stops them:</Text>
      <List size="sm">
        {conflicts.map(({ code, message, ...counts }) => (
          <List.Item key={code}>
            {describeCounts(counts)}: {message}
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

/** A conflict stops either invoices or payments. */
function describeCounts({ invoices, payments }: { invoices: number; payments: number }): string {
  if (payments > 0) return payments === 1 ? 'One payment' : `${payments} payments`;
  return invoices === 1 ? 'One invoice' : `${invoices} invoices`;
}
