import { SimpleGrid, Text } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useDryRun } from '../../../api/use-dry-run';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { TimeField } from '../../../parts/values/time-field';
import type { Connection } from '../vendors/vendor-kinds';

const DAYS = 7;

type Body = Schemas['OperationReplay'];

/**
 * Repeats the writes of a period that the worker gave up. First shows the number of these writes.
 */
export function ReplayDialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const [since, setSince] = useState<string | null>(() =>
    new Date(Date.now() - DAYS * 86_400_000).toISOString(),
  );
  const [until, setUntil] = useState<string | null>(null);
  const body: Body | undefined = since === null ? undefined : { since, ...(until ? { until } : {}) };
  const path = { id: connection.id };
  const check = useDryRun<Body, Schemas['ConnectionReplay']>(body, (header, sent, signal) =>
    client.POST('/connections/{id}/operations/replay', { params: { path, header }, body: sent, signal }),
  );
  const replay = useWrite(
    (headers, sent: Body) =>
      client.POST('/connections/{id}/operations/replay', {
        params: { path, header: { ...headers, ...ifMatch(connection) } },
        body: sent,
      }),
    { done: ({ replayed }) => `${replayed} writes are tried again` },
  );
  const count = check.isCurrent ? check.preview?.replayed : undefined;
  const submit = async () => {
    if (body && (await replay.run(body))) onClose();
  };
  return (
    <FormDialog
      title="Replay given-up writes"
      submitLabel={count ? `Replay ${count}` : 'Replay'}
      fields={['since', 'until']}
      write={{ ...replay, problem: replay.problem ?? check.problem }}
      canSubmit={count !== undefined && count > 0}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TimeField label="From" required at={since} onAt={setSince} error={errors.since} />
            <TimeField label="To" at={until} onAt={setUntil} error={errors.until} />
          </SimpleGrid>
          <Text size="sm" aria-live="polite">
            {describeCount(count, body !== undefined)}
          </Text>
        </>
      )}
    </FormDialog>
  );
}

function describeCount(count: number | undefined, isComplete: boolean): string {
  if (!isComplete) return 'Enter from when.';
  if (count === undefined) return 'Counting the writes.';
  if (count === 0) return 'No write of this period was given up.';
  const writes = count === 1 ? 'One write of this period was' : `${count} writes of this period were`;
  return `${writes} given up. Each is tried again now, at most 10,000 at a time, and its issue is resolved.`;
}
