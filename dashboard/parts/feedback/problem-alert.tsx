import { Alert, Button, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { type Fault, toProblem } from '../../api/problem';
import { describeSummary } from '../values/summary';

const CHANGED =
  'Somebody has changed this record since you opened it. What you typed is kept: look at the changes below, then send it again.';

/**
 * Shows a problem and how to solve it.
 * @param text replaces the problem's own message
 */
export function ProblemAlert({
  problem: error,
  text,
  onRetry,
}: {
  problem: unknown;
  text?: string;
  onRetry?: () => void;
}) {
  const problem = toProblem(error);
  return (
    <Alert
      role="alert"
      color="red"
      variant="outline"
      icon={<CircleAlert size={18} aria-hidden />}
      styles={{ message: { color: 'var(--mantine-color-text)' } }}
    >
      <Text size="sm">{text ?? (problem.isStale ? CHANGED : problem.message)}</Text>
      {!text && problem.faults.length > 0 && (
        <ul>
          {problem.faults.map((fault) => (
            <li key={`${fault.field}${fault.message}${fault.changed_at}`}>
              <Text size="sm">{fault.message ?? describeChange(fault)}</Text>
            </li>
          ))}
        </ul>
      )}
      {problem.requestId && (
        <Text size="xs" c="dimmed">
          Request {problem.requestId}
        </Text>
      )}
      {onRetry && (
        <Button size="xs" mt="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

/** Describes a change of a 412 response: "status was changed by Dana: pending → dispatched". */
function describeChange({ field = '', from, to, changed_by: who }: Fault): string {
  const name = field.replace(/_id$/, '').replaceAll('_', ' ');
  // Ids mean nothing to people, so name only the changed field.
  const values = field.endsWith('_id') ? '' : `: ${showValue(from)} → ${showValue(to)}`;
  return `${name} was changed${who ? ` by ${who}` : ''}${values}`;
}

function showValue(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  return typeof value === 'object' ? describeSummary(value) : String(value);
}
