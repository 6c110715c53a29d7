import { Alert, Button, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { toProblem } from '../api/problem';

/**
 * Says what went wrong, and what can be done.
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
      <Text size="sm">{text ?? problem.message}</Text>
      {!text && problem.faults.length > 0 && (
        <ul>
          {problem.faults.map((fault) => (
            <li key={`${fault.field}${fault.message}`}>
              <Text size="sm">{fault.message ?? `${fault.field} was changed by ${fault.changed_by}`}</Text>
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
