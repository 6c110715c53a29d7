import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { CodeBlock } from '../../../parts/values/code-block';
import { buildCurl } from '../../../parts/values/curl';
import { useKeyDialogs } from '../keys/key-dialogs';
import { KeyList } from '../keys/key-list';
import type { SendRevoke } from '../keys/revoke-key';
import type { SendRoll } from '../keys/roll-key';
import { CreateApiKey } from './create-api-key';

/** The keys that programs use for the REST API. */
export function ApiKeysTab() {
  const canChange = useCan('admin');
  const { dialogs, openCreate, openRoll, openRevoke } = useKeyDialogs({
    name: 'API key',
    sendRoll,
    sendRevoke,
    usage: (key) => <ApiKeyUsage apiKey={key} />,
    create: (then) => <CreateApiKey {...then} />,
  });
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} maw={640}>
          <Title order={2} size="h4">
            API keys
          </Title>
          <Text size="sm" c="dimmed">
            Programs use these keys for the REST API. A key acts on one environment only. An account can have
            100 active keys, API keys and agent keys together.
          </Text>
        </Stack>
        {canChange && <Button onClick={openCreate}>Create API key</Button>}
      </Group>
      <KeyList<Schemas['ApiKey']>
        label="API keys"
        path="/api-keys"
        rightsHeader="Permissions"
        rights={describeRights}
        readPage={async (cursor) => {
          const query = { limit: 50, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/api-keys', { params: { query } });
          return data?.data ?? { items: [], cursor: null };
        }}
        onRoll={openRoll}
        onRevoke={openRevoke}
      />
      {dialogs}
    </Stack>
  );
}

function describeRights({ permissions, read_only: isReadOnly, tier }: Schemas['ApiKey']): string {
  const parts = [permissions.join(', ')];
  if (isReadOnly) parts.push('read-only');
  if (tier) parts.push(`${tier} rate limits`);
  return parts.join('; ');
}

function ApiKeyUsage({ apiKey }: { apiKey: string }) {
  return (
    <>
      <Text size="sm">This command shows the account, the rights and the rate limits of the key:</Text>
      <CodeBlock
        label="curl command with the key"
        copyLabel="curl"
        code={buildCurl('/me').replace('$TOW_API_KEY', apiKey)}
      />
    </>
  );
}

const sendRoll: SendRoll = (headers, { id, ...body }) =>
  client.POST('/api-keys/{id}/roll', { params: { path: { id }, header: headers }, body });

const sendRevoke: SendRevoke = (headers, id) =>
  client.DELETE('/api-keys/{id}', { params: { path: { id }, header: headers } });
