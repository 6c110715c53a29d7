import { Alert, Button, Stack, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { useCan } from '../../../api/session';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { Facts } from '../../../parts/record/facts';
import { StatusBadge } from '../../../parts/record/status-badge';
import { ExactTime, TimeAgo } from '../../../parts/values/time';
import type { Endpoint } from '../choices/endpoint-names';
import { nameError } from '../deliveries/delivery-columns';
import { RecentDeliveries } from './recent-deliveries';
import { useEndpointPatch } from './use-endpoint-patch';

const DISABLED: Record<NonNullable<Endpoint['disabled_reason']>, string> = {
  user: 'A person or a key disabled it.',
  failing: 'It failed for five days without a success.',
  gone: 'It responded with 410, which means: never again.',
  receiver: 'Its receiver asked for it by the header webhook-delivery.',
};

const TROUBLES: Partial<Record<Endpoint['health']['state'], string>> = {
  failing: 'The last delivery failed. Deliveries are tried again with growing pauses.',
  paused: 'It failed repeatedly, so deliveries pause for a while.',
  throttled: 'Its receiver asked for a pause, or the account reached the limit per minute for its host.',
  slow: 'It responds slowly, so its deliveries run apart from those of fast endpoints.',
};

/** The state of an endpoint with the next action, its health and its secrets. */
export function EndpointOverview({ endpoint }: { endpoint: Endpoint }) {
  const { health } = endpoint;
  return (
    <Stack gap="md">
      <StateAlert endpoint={endpoint} />
      <Facts
        items={{
          State: <StatusBadge status={health.state} />,
          'Last success': <TimeAgo at={health.last_success_at} empty="Never" />,
          'Last failure': <TimeAgo at={health.last_failure_at} empty="Never" />,
          'Last error': health.last_error && nameError(health.last_error),
          'Failures in a row': String(health.consecutive_failures),
          'Failing since': health.failing_since ? <ExactTime at={health.failing_since} /> : undefined,
          'Paused until': health.paused_until ? <ExactTime at={health.paused_until} /> : undefined,
          'Will be disabled': health.disables_at ? <ExactTime at={health.disables_at} /> : undefined,
          Created: <TimeAgo at={endpoint.created_at} />,
        }}
      />
      <RecentDeliveries endpointId={endpoint.id} />
    </Stack>
  );
}

/** Explains why an endpoint gets no deliveries or gets them late. Offers to start it again. */
function StateAlert({ endpoint }: { endpoint: Endpoint }) {
  const canChange = useCan('admin');
  const patch = useEndpointPatch(endpoint, endpoint.enabled ? 'Endpoint resumed' : 'Endpoint enabled');
  const { disabled_reason: reason, disabled_at: at, enabled: isEnabled, health } = endpoint;
  const text = isEnabled ? TROUBLES[health.state] : `Disabled. ${reason ? DISABLED[reason] : ''}`;
  if (!text) return null;
  return (
    <Alert
      color={isEnabled ? 'orange' : 'red'}
      variant="outline"
      icon={<CircleAlert size={18} aria-hidden />}
      styles={{ message: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{text}</Text>
        {at && (
          <Text size="sm">
            Since <ExactTime at={at} />. When your receiver works again, enable it; then Recover delivers the
            events that it missed.
          </Text>
        )}
        {patch.problem && <ProblemAlert problem={patch.problem} />}
        {canChange && health.state !== 'slow' && (
          <Button size="xs" loading={patch.isRunning} onClick={() => void patch.run({ enabled: true })}>
            {isEnabled ? 'Resume now' : 'Enable'}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
