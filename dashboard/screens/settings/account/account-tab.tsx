import { Stack, Text } from '@mantine/core';
import { api } from '../../../api/client';
import { useCan } from '../../../api/session';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { TimeAgo } from '../../../parts/values/time';
import { AgentFields } from './agent-fields';
import { CompanyFields } from './company-fields';
import { DriverFields } from './driver-fields';
import { InvoiceFields, TimeFields } from './invoice-fields';
import { Logo } from './logo';
import { SettingsForm } from './settings-form';

const SECTIONS = [CompanyFields, TimeFields, InvoiceFields, DriverFields, AgentFields];

/** The settings of the account itself. */
export function AccountTab() {
  const { data, error, isPending, refetch } = api.useQuery('get', '/settings');
  const canChange = useCan('admin');
  if (isPending) return <Loading label="Loading the settings" rows={10} />;
  if (!data) return <ProblemAlert problem={error} onRetry={() => void refetch()} />;
  return (
    <Stack gap="md" maw={820}>
      <Text size="sm" c="dimmed">
        {!canChange && 'You may read these settings. Changing them needs the permission admin. '}
        Last changed <TimeAgo at={data.updated_at} />.
      </Text>
      <Logo settings={data} canChange={canChange} />
      <SettingsForm
        label="Settings of the account"
        sections={SECTIONS}
        settings={data}
        canChange={canChange}
      />
    </Stack>
  );
}
