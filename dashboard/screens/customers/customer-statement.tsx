import { Group, Stack, TextInput } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { api } from '../../api/client';
import type { Schemas } from '../../api/records';
import { useTimeZone } from '../../api/session';
import { Loading } from '../../parts/basics/loading';
import { ProblemAlert } from '../../parts/feedback/problem-alert';
import { Facts } from '../../parts/record/facts';
import { RecordTable } from '../../parts/record/record-table';
import { humanize } from '../../parts/record/status-badge';
import { RecordLink } from '../../parts/url/links';
import { useUrl, useUrlSearch } from '../../parts/url/use-url';
import { Money } from '../../parts/values/money';
import { ExactTime } from '../../parts/values/time';
import { endOfDay, readToday, shiftDay, startOfDay } from '../../parts/values/zoned-time';

const DAYS_SHOWN = 90;
/** Stands in the URL for a period without a beginning or an end. */
const OPEN = 'open';

/**
 * The customer's statement of account over a period, with the open amounts by age. The URL has the
 * period, unless it is the usual one.
 */
export function Statement({ customerId }: { customerId: string }) {
  const timeZone = useTimeZone();
  const { cursor, ...search } = useUrlSearch();
  const today = readToday(timeZone);
  const from = readDay(search.from, shiftDay(today, -DAYS_SHOWN));
  const to = readDay(search.to, today);
  const { setSearch } = useUrl();
  // Keep the cursor, so that the list behind the record stays on its page.
  const setPeriod = (period: { from?: string; to?: string }) =>
    setSearch({ ...period, cursor }, { replace: true });
  const since = startOfDay(from, timeZone);
  const until = endOfDay(to, timeZone);
  const query = { ...(since ? { since } : {}), ...(until ? { until } : {}) };
  const reading = api.useQuery(
    'get',
    '/customers/{id}/statement',
    { params: { path: { id: customerId }, query } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Stack gap="md">
      <Group gap="xs">
        <TextInput
          label="From"
          type="date"
          size="xs"
          value={from}
          onChange={(event) => setPeriod({ from: event.currentTarget.value || OPEN })}
        />
        <TextInput
          label="To"
          type="date"
          size="xs"
          value={to}
          onChange={(event) => setPeriod({ to: event.currentTarget.value || OPEN })}
        />
      </Group>
      {reading.isPending && <Loading rows={4} />}
      {reading.error && <ProblemAlert problem={reading.error} onRetry={() => void reading.refetch()} />}
      {reading.data && <Body statement={reading.data} />}
    </Stack>
  );
}

function Body({ statement }: { statement: Schemas['CustomerStatement'] }) {
  const { aging } = statement;
  const amounts = {
    'Opening balance': statement.opening_balance_cents,
    Invoiced: statement.invoiced_cents,
    Paid: statement.paid_cents,
    Refunded: statement.refunded_cents,
    'Closing balance': statement.closing_balance_cents,
    'Not yet due': aging.current_cents,
    '1–30 days late': aging.days_1_30_cents,
    '31–60 days late': aging.days_31_60_cents,
    '61–90 days late': aging.days_61_90_cents,
    'Over 90 days late': aging.over_90_cents,
  };
  const items = Object.fromEntries(
    Object.entries(amounts).map(([name, cents]) => [name, <Money key={name} cents={cents} />]),
  );
  return (
    <>
      <Facts items={items} />
      <RecordTable
        label="Entries"
        rows={statement.entries}
        rowKey={({ kind, id }) => `${kind} ${id}`}
        empty="Nothing was invoiced or paid in this period."
        columns={[
          { header: 'Time', render: ({ at }) => <ExactTime at={at} /> },
          { header: 'Kind', render: ({ kind }) => humanize(kind) },
          {
            header: 'Reference',
            render: ({ kind, id, reference }) =>
              kind === 'invoice' ? (
                <RecordLink screen="invoices" id={id}>
                  {reference}
                </RecordLink>
              ) : (
                reference
              ),
          },
          { header: 'Amount', align: 'right', render: ({ amount_cents: cents }) => <Money cents={cents} /> },
          {
            header: 'Balance',
            align: 'right',
            render: ({ balance_cents: cents }) => <Money cents={cents} />,
          },
        ]}
      />
    </>
  );
}

/** Returns the day that the URL names; empty for an open end. */
function readDay(named: string | undefined, usual: string): string {
  return named === OPEN ? '' : (named ?? usual);
}
