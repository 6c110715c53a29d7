import { Stack, Text, Title } from '@mantine/core';
import { api } from '../../api/client';
import type { Schemas } from '../../api/records';
import { Facts } from '../../parts/record/facts';
import { RecordDrawer } from '../../parts/record/record-drawer';
import { humanize, StatusBadge } from '../../parts/record/status-badge';
import { EntityLink } from '../../parts/url/entity-link';
import { ScreenLink } from '../../parts/url/links';
import { CopyButton } from '../../parts/values/copy';
import { ExactTime, TimeAgo } from '../../parts/values/time';
import { describeAction } from './audit-actions';
import { describeActor, describeSource, explainOutcome, readBadge } from './audit-words';
import { ChangeTable } from './change-table';

type Entry = Schemas['AuditEntry'];

/** One audit entry: the actor, the action, the request and the changes. */
export function AuditEntryRecord({ id }: { id: string }) {
  const reading = api.useQuery('get', '/audit-log/{id}', { params: { path: { id } } });
  return (
    <RecordDrawer
      reading={reading}
      name={({ action }) => describeAction(action)}
      status={({ outcome }) => <StatusBadge status={readBadge(outcome)} />}
      actions={(entry) => <CopyButton text={JSON.stringify(entry, null, 2)} label="JSON" />}
    >
      {(entry) => (
        <>
          {explainOutcome(entry.outcome) && <Text>{explainOutcome(entry.outcome)}</Text>}
          <EntryFacts entry={entry} />
          <Stack gap="xs">
            <Title order={2} size="h5">
              Changes
            </Title>
            <ChangeTable changes={entry.changes} />
          </Stack>
        </>
      )}
    </RecordDrawer>
  );
}

function EntryFacts({ entry }: { entry: Entry }) {
  const { actor, entity_type: type, entity_id: id } = entry;
  return (
    <Facts
      items={{
        Who: actor.id ? (
          <ScreenLink screen="audit-log" search={{ actor: actor.id }}>
            {describeActor(actor)}
          </ScreenLink>
        ) : (
          describeActor(actor)
        ),
        When: (
          <>
            <ExactTime at={entry.occurred_at} /> (<TimeAgo at={entry.occurred_at} />)
          </>
        ),
        Action: entry.action,
        Record: type && (
          <EntityLink type={type} id={id}>
            {`Open ${humanize(type).toLowerCase()}`}
          </EntityLink>
        ),
        'Record id': id,
        'Other entries': id && (
          <ScreenLink screen="audit-log" search={{ entity_id: id }}>
            All entries of this record
          </ScreenLink>
        ),
        Through: describeSource(entry.source),
        Tool: entry.tool ?? undefined,
        'Request id': entry.request_id,
        'Idempotency key': entry.idempotency_key ?? undefined,
        'IP address': entry.ip ?? undefined,
        Program: entry.user_agent ?? undefined,
      }}
    />
  );
}
