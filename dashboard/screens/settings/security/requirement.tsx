import { Stack, Switch, Title } from '@mantine/core';
import { api, client } from '../../../api/client';
import { useCan, useSession } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';

/** Whether the account requires a second factor of everybody. */
export function Requirement() {
  const { data: session } = useSession();
  const { data: settings } = api.useQuery('get', '/settings');
  const canChange = useCan('admin');
  const write = useWrite(
    (headers, isRequired: boolean) =>
      client.PATCH('/settings', { params: { header: headers }, body: { require_factor: isRequired } }),
    { done: 'Saved' },
  );
  // The sandbox has no people of its own.
  if (!session || !settings || session.environment !== 'live') return null;
  const hint = session.has_factor
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
        disabled={!canChange || !session.has_factor || write.isRunning}
        onChange={(event) => void write.run(event.currentTarget.checked)}
      />
      {write.problem && <ProblemAlert problem={write.problem} />}
    </Stack>
  );
}
