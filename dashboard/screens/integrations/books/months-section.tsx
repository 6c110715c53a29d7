import { Button, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../../api/client';
import { Problem } from '../../../api/problem';
import type { Schemas } from '../../../api/records';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { PagedTable } from '../../../parts/record/paged-table';
import { RecordTable } from '../../../parts/record/record-table';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';
import type { Connection } from '../vendors/vendor-kinds';
import { CompareMonthsDialog } from './compare-months-dialog';

type Reconciliation = Schemas['BookReconciliation'];

/** The page polls while a comparison runs, because the worker causes no event. */
const RUNNING_MS = 2000;

/** The worker reads the books only in these states of the connection. */
const WORKING: readonly Connection['status'][] = ['active', 'failing'];

/** The last comparison of months with the books, and the differences that it has found. */
export function MonthsSection({ connection, canCompare }: { connection: Connection; canCompare: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const isWorking = WORKING.includes(connection.status);
  const { data, error, isPending, refetch } = api.useQuery(
    'get',
    '/connections/{id}/reconciliation',
    { params: { path: { id: connection.id } } },
    { refetchInterval: ({ state }) => (isWorking && state.data?.status === 'running' ? RUNNING_MS : false) },
  );
  const isNever = error instanceof Problem && error.status === 404;
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        Months compared with the books
      </Title>
      {isPending && <Loading rows={2} />}
      {error && !isNever && <ProblemAlert problem={error} onRetry={() => void refetch()} />}
      {isNever && <Text size="sm">The books were not compared yet.</Text>}
      {data && <Comparison data={data} isWorking={isWorking} />}
      {canCompare && (
        <div>
          <Button variant="default" onClick={() => setAsking(true)}>
            Compare months
          </Button>
        </div>
      )}
      {isAsking && (
        <CompareMonthsDialog
          connection={connection}
          onStarted={() => void refetch()}
          onClose={() => setAsking(false)}
        />
      )}
    </Stack>
  );
}

function Comparison({ data, isWorking }: { data: Reconciliation; isWorking: boolean }) {
  const { connection_id: id, status, months, differences, omitted, started_at } = data;
  return (
    <>
      <Text size="sm" aria-live="polite">
        <State data={data} isWorking={isWorking} />
        {omitted > 0 && ` ${omitted} of them are not listed.`}
      </Text>
      <RecordTable
        label="Months"
        rows={months}
        rowKey={({ month }) => month}
        empty="No month was compared."
        columns={[
          { header: 'Month', render: ({ month }) => month },
          { header: 'Invoices here', align: 'right', render: ({ ours }) => ours.invoices },
          { header: 'Invoices in the books', align: 'right', render: ({ theirs }) => theirs.invoices },
          {
            header: 'Total here',
            align: 'right',
            render: ({ ours }) => <Money cents={ours.invoiced_cents} />,
          },
          {
            header: 'Total in the books',
            align: 'right',
            render: ({ theirs }) => <Money cents={theirs.invoiced_cents} />,
          },
          { header: 'Paid here', align: 'right', render: ({ ours }) => <Money cents={ours.paid_cents} /> },
          {
            header: 'Paid in the books',
            align: 'right',
            render: ({ theirs }) => <Money cents={theirs.paid_cents} />,
          },
          { header: 'Differences', align: 'right', render: ({ differences: found }) => found },
        ]}
      />
      {status !== 'running' && differences > 0 && <Differences id={id} startedAt={started_at} />}
    </>
  );
}

function State({ data, isWorking }: { data: Reconciliation; isWorking: boolean }) {
  const { status, differences, error, ended_at } = data;
  if (status === 'failed') return `The comparison failed: ${error} The sums below are incomplete.`;
  if (ended_at === null && !isWorking)
    return 'The comparison continues once the connection works again. The sums below are those so far.';
  if (ended_at === null)
    return `${error === null ? 'The books are being read.' : `The last try failed, and is repeated: ${error}`} The sums below are those so far.`;
  const count = differences === 1 ? 'One invoice differs' : `${differences} invoices differ`;
  return (
    <>
      Compared <TimeAgo at={ended_at} />. {differences === 0 ? 'Both sides agree.' : `${count}.`}
    </>
  );
}

function Differences({ id, startedAt }: { id: string; startedAt: string }) {
  return (
    <PagedTable<Schemas['BookDifference']>
      label="Differences"
      queryKey={['/connections/reconciliation', id, startedAt]}
      readPage={async (cursor) => {
        const query = { limit: 50, ...(cursor ? { cursor } : {}) };
        const { data } = await client.GET('/connections/{id}/reconciliation/differences', {
          params: { path: { id }, query },
        });
        return data?.data ?? { items: [], cursor: null };
      }}
      rowKey={({ id: key }) => key}
      empty="Both sides agree."
      columns={[
        { header: 'Month', render: ({ month }) => month ?? '–' },
        { header: 'Invoice', render: ({ invoice_number: number }) => number ?? '–' },
        { header: 'Difference', render: ({ message }) => message },
      ]}
    />
  );
}
