import { Progress, Stack, Text, Title } from '@mantine/core';
import { api } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useSession } from '../../../api/session';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { Facts } from '../../../parts/record/facts';
import { RecordTable } from '../../../parts/record/record-table';
import { humanize } from '../../../parts/record/status-badge';
import { ScreenLink } from '../../../parts/url/links';
import { ExactTime, TimeAgo } from '../../../parts/values/time';
import { OwnFactors } from './own-factors';
import { OwnSessions } from './own-sessions';
import { Requirement } from './requirement';

/**
 * Interval at which the page reads the rate limits. It is not shorter, because each read counts
 * against these limits.
 */
const REFRESH_MS = 20_000;

type Window = Schemas['Me']['rate_limits'][number];

/**
 * Shows the person's rights, second factors, sessions and rate limits. Explains how to end the
 * access of a program, an agent or a person.
 */
export function SecurityTab() {
  return (
    <Stack gap="lg" maw={820}>
      <OwnSession />
      <OwnFactors />
      <OwnSessions />
      <Requirement />
      <Limits />
      <EndingAccess />
    </Stack>
  );
}

function OwnSession() {
  const { data, error, isPending, refetch } = useSession();
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        This session
      </Title>
      {isPending && <Loading rows={2} />}
      {!isPending && !data && <ProblemAlert problem={error} onRetry={() => void refetch()} />}
      {data && (
        <Facts
          items={{
            Person: data.user.name,
            'E-mail': data.user.email,
            Role: humanize(data.user.role),
            Account: data.tenant.name,
            Environment: humanize(data.environment),
            'Signed in since': <ExactTime at={data.created_at} />,
            'Ends at the latest': (
              <>
                <ExactTime at={data.expires_at} /> (<TimeAgo at={data.expires_at} />)
              </>
            ),
            'Ends sooner': 'After 12 hours without a request',
          }}
        />
      )}
    </Stack>
  );
}

function Limits() {
  const { data, error, isPending, refetch } = api.useQuery('get', '/me', {}, { refetchInterval: REFRESH_MS });
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Rights and rate limits
      </Title>
      {isPending && <Loading rows={3} />}
      {!isPending && !data && <ProblemAlert problem={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <Facts items={{ Permissions: data.key.permissions.join(', '), Tier: humanize(data.tier) }} />
          <Text size="sm" c="dimmed">
            Each key and each signed-in person has these limits. Whoever reaches one gets the status 429 until
            the window starts anew.
          </Text>
          <RecordTable<Window>
            label="Rate limits of this person"
            rows={data.rate_limits}
            rowKey={({ window }) => window}
            empty="The operator set no rate limits."
            columns={[
              { header: 'Window', render: ({ window }) => `One ${window}` },
              { header: 'Used', render: (window) => <UsedShare window={window} /> },
              { header: 'Remaining', align: 'right', render: ({ remaining }) => <Count value={remaining} /> },
              { header: 'Limit', align: 'right', render: ({ limit }) => <Count value={limit} /> },
              { header: 'Starts anew', align: 'right', render: describeReset },
            ]}
          />
        </>
      )}
    </Stack>
  );
}

function UsedShare({ window: { window, limit, remaining } }: { window: Window }) {
  const percent = limit === 0 ? 100 : Math.round(((limit - remaining) / limit) * 100);
  return (
    <Progress.Root size="lg" miw={100}>
      <Progress.Section value={percent} aria-label={`Used of one ${window}: ${percent} %`} />
    </Progress.Root>
  );
}

function Count({ value }: { value: number }) {
  return <span className="digits">{value.toLocaleString('en-US')}</span>;
}

function describeReset({ reset_seconds: seconds }: Window): string {
  return seconds < 120 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`;
}

function EndingAccess() {
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        End access
      </Title>
      <Text component="ul" size="sm" m={0}>
        <li>
          A program: revoke or roll its key under{' '}
          <ScreenLink isInText screen="settings" search={{ tab: 'api-keys' }}>
            API keys
          </ScreenLink>
          .
        </li>
        <li>
          An AI agent: revoke or roll its key under{' '}
          <ScreenLink isInText screen="settings" search={{ tab: 'agent-keys' }}>
            Agent keys
          </ScreenLink>
          .
        </li>
        <li>
          A person: set a new password, which ends all sessions, or deactivate the person under{' '}
          <ScreenLink isInText screen="settings" search={{ tab: 'people' }}>
            People
          </ScreenLink>
          .
        </li>
        <li>
          Who signed in, and what was refused: see the{' '}
          <ScreenLink isInText screen="audit-log" search={{ entity_type: 'session' }}>
            audit log
          </ScreenLink>
          .
        </li>
      </Text>
    </Stack>
  );
}
