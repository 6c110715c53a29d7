import { Group, Progress, Text } from '@mantine/core';
import type { Schemas } from '../../../api/records';

/**
 * The duration of an attempt, split into connecting, waiting for the response, and reading the
 * response.
 */
export function LatencyBar({ attempt }: { attempt: Schemas['WebhookAttempt'] }) {
  const { connect_ms: connect, first_byte_ms: firstByte, total_ms: total } = attempt;
  const connected = connect ?? total;
  const answered = firstByte ?? total;
  const parts = [
    { name: 'connect', ms: connected, color: 'var(--tone-busy)' },
    { name: 'wait', ms: answered - connected, color: 'var(--tone-alert)' },
    { name: 'read', ms: total - answered, color: 'var(--tone-good)' },
  ];
  return (
    <div>
      <Progress.Root size="sm" aria-hidden>
        {parts.map(({ name, ms, color }) => (
          <Progress.Section key={name} value={(Math.max(0, ms) / Math.max(1, total)) * 100} color={color} />
        ))}
      </Progress.Root>
      <Group gap="md">
        <Time name="Connected" ms={connect} />
        <Time name="First byte" ms={firstByte} />
        <Time name="Total" ms={total} />
      </Group>
    </div>
  );
}

function Time({ name, ms }: { name: string; ms: number | null }) {
  return (
    <Text size="xs" c="dimmed" className="digits">
      {name} {ms === null ? 'never' : `${ms} ms`}
    </Text>
  );
}
