import { SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useTimeZone } from '../../../api/session';
import { useWrite, type WriteHeaders } from '../../../api/use-write';
import { Select } from '../../../parts/choices/select';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { type Search, useUrlSearch } from '../../../parts/url/use-url';
import { TimeField } from '../../../parts/values/time-field';
import { endOfDay, startOfDay } from '../../../parts/values/zoned-time';
import { EndpointSelect, EventTypeSelect } from '../choices/filter-fields';
import { CountedDialog } from './counted-dialog';

type Body = Schemas['WebhookReplayCreate'];
type Count = Schemas['DryRunOfWebhookReplay'];
type Draft = { [Name in keyof Body]?: Body[Name] | undefined };

const STATUSES = [
  { value: 'exhausted', label: 'Exhausted' },
  { value: 'failed', label: 'Failed, and will be tried again' },
  { value: 'cancelled', label: 'Cancelled' },
  { value: 'succeeded', label: 'Succeeded' },
] as const;
const FIELDS = ['endpoint_id', 'event_type', 'status', 'since', 'until'];
const DAY_MS = 86_400_000;

/**
 * Sends the deliveries that match a filter again. The filter starts with the values of the list's
 * filter.
 */
export function ReplayMany({ onClose }: { onClose: () => void }) {
  const search = useUrlSearch();
  const timeZone = useTimeZone();
  const [draft, setDraft] = useState<Draft>(() => readDraft(search, timeZone));
  const body = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined)) as Body;
  const post = (headers: WriteHeaders & { 'X-Service-Dry-Run'?: 'true' }, input: Body) =>
    client.POST('/webhook-deliveries/replay', { params: { header: headers }, body: input });
  // Cast the type: a dry run returns 200 with a preview, but the generated types lack this
  // response.
  const count = useWrite<Body, Count>(
    async (headers, input) => (await post({ ...headers, 'X-Service-Dry-Run': 'true' }, input)) as never,
  );
  const start = useWrite(post, { done: 'Replay started' });
  return (
    <CountedDialog
      title="Replay many"
      verb="Replay"
      body={body}
      fields={FIELDS}
      count={count}
      start={start}
      onClose={onClose}
    >
      {(errors) => (
        <ReplayFields
          draft={draft}
          errors={errors}
          onDraft={(patch) => setDraft((old) => ({ ...old, ...patch }))}
        />
      )}
    </CountedDialog>
  );
}

function ReplayFields({
  draft,
  errors,
  onDraft,
}: {
  draft: Draft;
  errors: FieldErrors;
  onDraft: (patch: Draft) => void;
}) {
  return (
    <>
      <EndpointSelect
        value={draft.endpoint_id ?? null}
        error={errors.endpoint_id}
        onChange={(id) => onDraft({ endpoint_id: id ?? undefined })}
      />
      <EventTypeSelect
        value={draft.event_type ?? null}
        error={errors.event_type}
        onChange={(type) => onDraft({ event_type: type ?? undefined })}
      />
      <Select
        label="Status"
        allowDeselect={false}
        data={STATUSES}
        value={draft.status ?? null}
        error={errors.status}
        onChange={(status) => onDraft({ status: (status ?? undefined) as Draft['status'] })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TimeField
          label="From"
          at={draft.since ?? null}
          error={errors.since}
          onAt={(at) => onDraft({ since: at ?? undefined })}
        />
        <TimeField
          label="To"
          at={draft.until ?? null}
          error={errors.until}
          onAt={(at) => onDraft({ until: at ?? undefined })}
        />
      </SimpleGrid>
    </>
  );
}

/**
 * Returns a draft with the filters that the list shows. Without a first day, the draft begins 24
 * hours ago.
 */
function readDraft(search: Search, timeZone: string): Draft {
  const status = STATUSES.find(({ value }) => value === search.status)?.value ?? 'exhausted';
  const since = search.since && startOfDay(search.since, timeZone);
  const until = search.until && endOfDay(search.until, timeZone);
  return {
    status,
    since: since || new Date(Date.now() - DAY_MS).toISOString(),
    ...(until ? { until } : {}),
    ...(search.endpoint_id ? { endpoint_id: search.endpoint_id } : {}),
    ...(search.event_type ? { event_type: search.event_type } : {}),
  };
}
