import { Stack, Switch, Title } from '@mantine/core';
import { api, client } from '../../../api/client';
import { useCan, useSession } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { useOwnFactors } from './use-own-factors';

/** Shows whether the account requires a second factor for all people. */
export function Requirement() {
  const { data: session } = useSession();
  // Not from the session, which the page does not read again when another tab adds a factor.
  const { hasFactor = session?.has_factor ?? false } = useOwnFactors();
  const { data: settings } = api.useQuery('get', '/settings');
  const canChange = useCan('admin');
  const write = useWrite(
    (headers, isRequired: boolean) =>
      client.PATCH('/settings', { params: { header: headers }, body: { require_factor: isRequired } }),
    { done: 'Saved' },
  );
  // The sandbox has no people of its own.
  if (!session || !settings || session.environment !== 'live') return null;
  const hint = hasFactor
    ? 'People without one can then only set one up, within 5 seconds. Keys are not affected.'
    : 'Add a second factor of your own before you change this.';
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Everybody in this account
      </Title>
      <Switch
        label="Require a second factor"
        description={hint}
        checked={settings.require_factor}
        disabled={!canChange || !hasFactor || write.isRunning}
        onChange={(event) => void write.run(event.currentTarget.checked)}
      />
      {write.problem && <ProblemAlert problem={write.problem} />}
    </Stack>
  );
}
