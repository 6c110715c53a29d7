import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { humanize } from '../../../parts/record/status-badge';
import { CodeBlock } from '../../../parts/values/code-block';
import { type EventType, groupByKind, useEventTypes } from '../choices/event-types';

/** All event types, each with its meaning, its cause and an example body. */
export function CatalogueView() {
  const { data, error, isPending, refetch } = useEventTypes();
  return (
    <Stack gap="sm">
      {isPending && <Loading label="Loading event types" />}
      {error && <ProblemAlert problem={error} onRetry={() => void refetch()} />}
      {[...groupByKind(data?.data.items ?? [])].map(([kind, types]) => (
        <Stack key={kind} gap="xs" component="section">
          <Title order={2} size="h4">
            {humanize(kind.replaceAll('.', ' '))}
          </Title>
          {types.map((type) => (
            <TypeCard key={type.type} type={type} />
          ))}
        </Stack>
      ))}
    </Stack>
  );
}

function TypeCard({
  type: { type, description, fires_when: when, operational, example },
}: {
  type: EventType;
}) {
  return (
    <Paper withBorder p="sm">
      <Stack gap={4}>
        <Group gap="xs">
          <Title order={3} size="h5">
            <code>{type}</code>
          </Title>
          {operational && <Badge>About the service itself</Badge>}
        </Group>
        <Text size="sm">{description}.</Text>
        <Text size="sm" c="dimmed">
          Sent when {when}.
        </Text>
        <details>
          <summary>Example of {type}</summary>
          <CodeBlock
            code={JSON.stringify(example, null, 2)}
            label={`Example of ${type}`}
            copyLabel="example"
          />
        </details>
      </Stack>
    </Paper>
  );
}
