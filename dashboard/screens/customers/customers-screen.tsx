import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Customer } from '../../api/records';
import { useCan } from '../../api/session';
import { type Filter, IS_ACTIVE, SEARCH } from '../../parts/list/filters';
import type { ListColumn } from '../../parts/list/linked-table';
import { ListScreen } from '../../parts/list/list-screen';
import { BY_CREATION, type ColumnSort } from '../../parts/list/sort-header';
import { humanize, StatusBadge } from '../../parts/record/status-badge';
import { buildCurl } from '../../parts/values/curl';
import { Money } from '../../parts/values/money';
import { TimeAgo } from '../../parts/values/time';
import { NewCustomer } from './customer-form';

const FILTERS: readonly Filter[] = [SEARCH, IS_ACTIVE];

const COLUMNS: readonly ListColumn<Customer>[] = [
  { header: 'Type', render: ({ company_type }) => humanize(company_type) },
  { header: 'E-mail', render: ({ billing_email }) => billing_email ?? '–' },
  { header: 'Status', render: ({ is_active }) => <StatusBadge status={is_active ? 'active' : 'inactive'} /> },
  { header: 'Created', render: ({ created_at: at }) => <TimeAgo at={at} />, sort: BY_CREATION },
  { header: 'Balance', align: 'right', render: ({ balance_cents }) => <Money cents={balance_cents} /> },
  { header: 'Overdue', align: 'right', render: ({ overdue_cents }) => <Money cents={overdue_cents} /> },
];

const BY_NAME: ColumnSort = { by: 'name', first: 'ascending' };

export function CustomersScreen() {
  const [isCreating, setCreating] = useState(false);
  const canWrite = useCan('write');
  const create = canWrite && <Button onClick={() => setCreating(true)}>New customer</Button>;
  return (
    <>
      <ListScreen<Customer>
        name="Customers"
        path="/customers"
        filters={FILTERS}
        columns={COLUMNS}
        nameHeader="Name"
        nameSort={BY_NAME}
        rowName={({ company_name }) => company_name}
        actions={create}
        empty={{
          text: 'There are no customers yet. A customer is whoever gets the invoice: a motor club, a shop, a person.',
          action: create,
          curl: buildCurl('/customers', { method: 'POST', body: { company_name: 'Riverside Auto Club' } }),
        }}
      />
      {isCreating && <NewCustomer onClose={() => setCreating(false)} />}
    </>
  );
}
