import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { api } from '../../api/client';
import { Loading } from '../../parts/basics/loading';
import { ProblemAlert } from '../../parts/feedback/problem-alert';
import { TimeAgo } from '../../parts/values/time';
import { DeliveriesChart, DurationsChart } from './figures/delivery-charts';
import { MoneyChart } from './figures/money-chart';
import { Tiles } from './figures/tiles';
import { WorkOrdersChart } from './figures/work-orders-chart';
import { FirstSteps } from './first-steps/first-steps';
import { InvoicesByStatus } from './invoices-by-status';
import { LastFailures } from './last-failures';

/**
 * Interval for reading the overview again. Events and writes refresh it immediately, but some
 * numbers change only with time.
 */
const REFRESH_MS = 30_000;

/** The matters that need attention now, and the first steps of a new account. */
export function OverviewScreen() {
  const reading = api.useQuery('get', '/overview', {}, { refetchInterval: REFRESH_MS });
  const { data } = reading;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          Overview
        </Title>
        {data && (
          <Text size="xs" c="dimmed">
            As of <TimeAgo at={data.generated_at} />
          </Text>
        )}
      </Group>
      {reading.isPending && <Loading label="Loading Overview" rows={12} />}
      {reading.error !== null && (
        <ProblemAlert problem={reading.error} onRetry={() => void reading.refetch()} />
      )}
      {data && (
        <>
          <FirstSteps done={data.first_steps} />
          <Tiles overview={data} />
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
            <DeliveriesChart overview={data} />
            <DurationsChart overview={data} />
            <MoneyChart overview={data} />
            <WorkOrdersChart overview={data} />
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" style={{ alignItems: 'start' }}>
            <LastFailures failures={data.last_failures} />
            <InvoicesByStatus counts={data.invoices.by_status} />
          </SimpleGrid>
        </>
      )}
    </Stack>
  );
}
