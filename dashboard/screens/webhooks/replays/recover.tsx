import { SimpleGrid, Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite, type WriteHeaders } from '../../../api/use-write';
import { TimeField } from '../../../parts/values/time-field';
import type { Endpoint } from '../choices/endpoint-names';
import { CountedDialog } from './counted-dialog';

type Body = Schemas['WebhookRecover'];
type Count = Schemas['DryRunOfWebhookReplay'];

const DAY_MS = 86_400_000;

/** Delivers the events that an endpoint has missed since a given time. */
export function Recover({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [since, setSince] = useState<string | null>(
    () => endpoint.health.failing_since ?? new Date(Date.now() - DAY_MS).toISOString(),
  );
  const [until, setUntil] = useState<string | null>(null);
  // Omit an empty time. The API then reports it as missing.
  const body = { ...(since ? { since } : {}), ...(until ? { until } : {}) } as Body;
  const post = (headers: WriteHeaders & { 'X-Service-Dry-Run'?: 'true' }, input: Body) =>
    client.POST('/webhook-endpoints/{id}/recover', {
      params: { path: { id: endpoint.id }, header: headers },
      body: input,
    });
  // Cast the type: a dry run returns 200 with a preview, but the generated types lack this
  // response.
  const count = useWrite<Body, Count>(
    async (headers, input) => (await post({ ...headers, 'X-Service-Dry-Run': 'true' }, input)) as never,
  );
  const start = useWrite(post, { done: 'Recovery started' });
  return (
    <CountedDialog
      title="Recover missed events"
      verb="Recover"
      body={body}
      fields={['since', 'until']}
      count={count}
      start={start}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            Delivers every event of the period that {endpoint.url} subscribes to and that has not arrived,
            also from while it was disabled.
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TimeField label="From" required at={since} error={errors.since} onAt={setSince} />
            <TimeField label="To" at={until} error={errors.until} onAt={setUntil} />
          </SimpleGrid>
        </>
      )}
    </CountedDialog>
  );
}
