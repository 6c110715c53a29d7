import { Stack, Text, Title } from '@mantine/core';
import { api } from '../../../api/client';
import { useCan } from '../../../api/session';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { FilterBar } from '../../../parts/list/filters';
import { SettingsForm } from '../account/settings-form';
import { JobTexts } from './job-texts';
import { MESSAGE_FILTERS, MessageTable } from './message-table';
import { NOTICE_FILTERS, NoticeTable } from './notice-table';
import { WordingFields } from './wording-fields';

const SECTIONS = [WordingFields];

/** The messages from the service to customers, and to the account's own people. */
export function TextsTab() {
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Title order={2} size="h4">
          Messages to customers
        </Title>
        <Text size="sm" c="dimmed" maw={720}>
          Sending an invoice writes a mail or a text message. Company name, address, logo and how to pay come
          from the tab Account.
        </Text>
        <Wording />
        <FilterBar filters={MESSAGE_FILTERS} />
        <MessageTable />
      </Stack>
      <JobTexts />
      <Stack gap="xs">
        <Title order={2} size="h4">
          Notices
        </Title>
        <Text size="sm" c="dimmed" maw={720}>
          The service writes a notice when something in the account's set-up needs a person, such as a webhook
          endpoint that fails. With a mail server it also mails each notice to everybody who can sign in, but
          never from a sandbox.
        </Text>
        <FilterBar filters={NOTICE_FILTERS} />
        <NoticeTable />
      </Stack>
    </Stack>
  );
}

function Wording() {
  const { data, error, isPending, refetch } = api.useQuery('get', '/settings');
  const canChange = useCan('admin');
  if (isPending) return <Loading label="Loading the texts" rows={4} />;
  if (!data) return <ProblemAlert problem={error} onRetry={() => void refetch()} />;
  return <SettingsForm label="Texts of messages" sections={SECTIONS} settings={data} canChange={canChange} />;
}
