import { Checkbox, Fieldset, Input, SimpleGrid, Stack } from '@mantine/core';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { humanize } from '../../../parts/record/status-badge';
import { type EventType, groupByKind, readKind, useEventTypes } from '../choices/event-types';

const ALL = '*';

/** Chooses the events that an endpoint gets: all events, all of a kind, or single types. */
export function EventTypeChoice({
  value,
  error,
  onChange,
}: {
  value: readonly string[];
  error: string | undefined;
  onChange: (types: string[]) => void;
}) {
  const { data, error: problem, isPending, refetch } = useEventTypes();
  const groups = groupByKind(data?.data.items ?? []);
  const toggle = (type: string, isChosen: boolean) =>
    onChange(isChosen ? addType(value, type) : value.filter((other) => other !== type));
  const isAll = value.includes(ALL);
  return (
    <Fieldset legend="Event types">
      <Stack gap="sm">
        <Checkbox
          label="All events (*)"
          description="Also those of types that a later version adds"
          checked={isAll}
          onChange={(event) => toggle(ALL, event.currentTarget.checked)}
        />
        {isPending && <Loading label="Loading event types" rows={3} />}
        {problem && <ProblemAlert problem={problem} onRetry={() => void refetch()} />}
        {!isAll && (
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {[...groups].map(([kind, types]) => (
              <Kind key={kind} kind={kind} types={types} value={value} onToggle={toggle} />
            ))}
          </SimpleGrid>
        )}
        {error && <Input.Error>{error}</Input.Error>}
      </Stack>
    </Fieldset>
  );
}

function Kind({
  kind,
  types,
  value,
  onToggle,
}: {
  kind: string;
  types: readonly EventType[];
  value: readonly string[];
  onToggle: (type: string, isChosen: boolean) => void;
}) {
  const whole = `${kind}.*`;
  const isWhole = value.includes(whole);
  return (
    <Stack gap={4} role="group" aria-label={humanize(kind.replaceAll('.', ' '))}>
      <Checkbox
        label={whole}
        fw={600}
        checked={isWhole}
        indeterminate={!isWhole && types.some(({ type }) => value.includes(type))}
        onChange={(event) => onToggle(whole, event.currentTarget.checked)}
      />
      {types.map(({ type, description }) => (
        <Checkbox
          key={type}
          ml="lg"
          size="xs"
          label={type}
          description={description}
          checked={isWhole || value.includes(type)}
          disabled={isWhole}
          onChange={(event) => onToggle(type, event.currentTarget.checked)}
        />
      ))}
    </Stack>
  );
}

/** Adds a type. Removes the types that the new type includes. */
function addType(types: readonly string[], added: string): string[] {
  if (added === ALL) return [ALL];
  const kind = readKind(added);
  const rest = added.endsWith('.*') ? types.filter((type) => readKind(type) !== kind) : types;
  return [...rest.filter((type) => type !== ALL), added];
}
