import { Group, Paper, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../../api/records';
import { StatusBadge } from '../../../parts/record/status-badge';
import { CodeBlock } from '../../../parts/values/code-block';
import { CopyButton } from '../../../parts/values/copy';
import { ExactTime } from '../../../parts/values/time';
import { buildAttemptCurl } from './attempt-curl';
import { nameError } from './delivery-columns';
import type { EventBody } from './event-body';
import { LatencyBar } from './latency-bar';

type AttemptRecord = Schemas['WebhookAttempt'];

/** One attempt: its result and times. A click shows the whole request and response. */
export function Attempt({
  attempt,
  body,
  isOpen,
}: {
  attempt: AttemptRecord;
  body: EventBody;
  isOpen: boolean;
}) {
  const { response_status: status, error_class: errorClass, error_message: errorMessage } = attempt;
  const isSuccess = status !== null && status >= 200 && status < 300 && errorClass === null;
  const curl = buildAttemptCurl(attempt, body);
  return (
    <Paper withBorder p="sm" component="article" aria-label={`Attempt ${attempt.attempt}`}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Text fw={600}>Attempt {attempt.attempt}</Text>
            <StatusBadge status={isSuccess ? 'succeeded' : 'failed'} />
            <Text size="sm">{status === null ? 'No response' : `HTTP ${status}`}</Text>
          </Group>
          <Text size="sm">
            <ExactTime at={attempt.started_at} hasSeconds />
          </Text>
        </Group>
        {(errorClass || errorMessage) && (
          <Text size="sm">
            Error: {[errorClass && nameError(errorClass), errorMessage].filter(Boolean).join('. ')}
          </Text>
        )}
        <LatencyBar attempt={attempt} />
        <details open={isOpen}>
          <summary>Request and response</summary>
          <Stack gap="xs" mt="xs">
            <Exchange attempt={attempt} body={body} />
            <Group justify="flex-end">
              <CopyButton text={curl} label="as curl" />
            </Group>
          </Stack>
        </details>
      </Stack>
    </Paper>
  );
}

function Exchange({ attempt, body }: { attempt: AttemptRecord; body: EventBody }) {
  const { response_headers: headers, response_body: received } = attempt;
  return (
    <>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        POST {attempt.url}
        {attempt.remote_address && ` (${attempt.remote_address})`}
      </Text>
      <Part name="Request headers" text={formatHeaders(attempt.request_headers)} />
      {'text' in body ? (
        <RequestBody raw={body.text} />
      ) : (
        <Missing name="Request body" reason={body.reason} />
      )}
      {headers ? (
        <Part name="Response headers" text={formatHeaders(headers)} />
      ) : (
        <Missing name="Response" reason="There was no response." />
      )}
      {received && (
        <Part
          name={attempt.response_truncated ? 'Response body (its first 16 KiB)' : 'Response body'}
          text={received}
        />
      )}
      {headers && !received && <Missing name="Response body" reason="It was empty." />}
    </>
  );
}

/**
 * The page shows the body with indentation. The copy button copies the exact bytes, because a
 * signature check needs them.
 */
function RequestBody({ raw }: { raw: string }) {
  return (
    <div>
      <Part name="Request body" text={indent(raw)} />
      <Group justify="flex-end" mt={4}>
        <CopyButton text={raw} label="raw request body" />
      </Group>
    </div>
  );
}

function indent(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

function Part({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <CodeBlock code={text} label={name} copyLabel={name.toLowerCase()} />
    </div>
  );
}

function Missing({ name, reason }: { name: string; reason: string }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Text size="sm" c="dimmed">
        {reason}
      </Text>
    </div>
  );
}

function formatHeaders(headers: Record<string, unknown>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
