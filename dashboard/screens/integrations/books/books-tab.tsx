import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client';
import { useCan } from '../../../api/session';
import { Loading } from '../../../parts/basics/loading';
import { Facts } from '../../../parts/record/facts';
import { RecordTable } from '../../../parts/record/record-table';
import { Money } from '../../../parts/values/money';
import type { Connection } from '../vendors/vendor-kinds';
import { nameField } from '../vendors/vendor-schema';
import type { BookSettings } from './book-settings';
import { ConflictList, EarlierInvoicesDialog } from './earlier-invoices-dialog';
import { MappingDialog } from './mapping-dialog';
import { MonthsSection } from './months-section';
import { nameChoice, useBookChoices } from './use-choices';

/** The accounts of the books for each category of recent invoices, and what is still to choose. */
export function BooksTab({ connection }: { connection: Connection }) {
  const [dialog, setDialog] = useState<'mapping' | 'earlier'>();
  const isAdmin = useCan('admin');
  const choices = useBookChoices(connection);
  const { data: preview } = api.useQuery('get', '/connections/{id}/booking-preview', {
    params: { path: { id: connection.id } },
  });
  if (!choices || !preview) return <Loading />;
  const settings: BookSettings = connection.settings;
  const { taxable, exempt } = settings.tax_codes ?? {};
  const close = () => setDialog(undefined);
  const canChange = isAdmin && connection.status !== 'revoked';
  return (
    <Stack gap="md">
      {choices.income.length === 0 && (
        <Text size="sm">The accounts of the vendor were not read yet. That takes some seconds.</Text>
      )}
      <RecordTable
        label="Accounts"
        rows={listRows(settings, preview.categories)}
        columns={[
          { header: 'Category', render: ({ category }) => nameField(category) },
          {
            header: 'Income account',
            render: ({ account }) => (account === null ? 'None' : nameChoice(account, choices.income)),
          },
          {
            header: 'Released or paid in 90 days',
            render: ({ cents }) => <Money cents={cents} />,
            align: 'right',
          },
        ]}
        rowKey={({ category }) => category}
        empty="No category has an account, and no invoice was released or paid in 90 days."
      />
      <Facts
        items={{
          'Tax code of taxed lines': taxable === undefined ? 'None' : nameChoice(taxable, choices.taxes),
          'Tax code of all other lines': exempt === undefined ? 'None' : nameChoice(exempt, choices.taxes),
          'Account for payments':
            settings.deposit_account === undefined
              ? 'None'
              : nameChoice(settings.deposit_account, choices.deposit),
        }}
      />
      <ConflictList conflicts={preview.conflicts} />
      {canChange && (
        <Group gap="xs">
          <Button onClick={() => setDialog('mapping')} disabled={choices.income.length === 0}>
            Choose accounts
          </Button>
          <Button variant="default" onClick={() => setDialog('earlier')}>
            Enter earlier invoices
          </Button>
        </Group>
      )}
      <MonthsSection connection={connection} canCompare={canChange} />
      {dialog === 'mapping' && (
        <MappingDialog
          connection={connection}
          choices={choices}
          used={preview.categories.map(({ category }) => category)}
          onClose={close}
        />
      )}
      {dialog === 'earlier' && <EarlierInvoicesDialog connection={connection} onClose={close} />}
    </Stack>
  );
}

interface Row {
  category: string;
  account: string | null;
  cents: number;
}

/** Lists the categories of recent invoices, then the other ones that have an account. */
function listRows(
  { accounts = {} }: BookSettings,
  used: readonly { category: string; total_cents: number }[],
): Row[] {
  const cents = new Map(used.map(({ category, total_cents }) => [category, total_cents]));
  return [...new Set([...cents.keys(), ...Object.keys(accounts)])].map((category) => ({
    category,
    account: Object.hasOwn(accounts, category) ? (accounts[category] ?? null) : null,
    cents: cents.get(category) ?? 0,
  }));
}
