import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { useKeyDialogs } from '../keys/key-dialogs';
import { KeyList } from '../keys/key-list';
import type { SendRevoke } from '../keys/revoke-key';
import type { SendRoll } from '../keys/roll-key';
import { AgentKeyUsage } from './agent-key-usage';
import { CreateAgentKey } from './create-agent-key';

/** The keys that AI agents use for the tools of the MCP server. */
export function AgentKeysTab() {
  const canChange = useCan('admin');
  const { dialogs, openCreate, openRoll, openRevoke } = useKeyDialogs({
    name: 'Agent key',
    sendRoll,
    sendRevoke,
    usage: (key) => <AgentKeyUsage agentKey={key} />,
    create: (then) => <CreateAgentKey {...then} />,
  });
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} maw={640}>
          <Title order={2} size="h4">
            Agent keys
          </Title>
          <Text size="sm" c="dimmed">
            AI agents use these keys over MCP, the Model Context Protocol. An agent sees only the tools of its
            scopes. No scope lets it approve an invoice, or send anything to a customer.
          </Text>
        </Stack>
        {canChange && <Button onClick={openCreate}>Create agent key</Button>}
      </Group>
      <KeyList<Schemas['AgentKey']>
        label="Agent keys"
        path="/agent-keys"
        rightsHeader="Scopes"
        rights={({ scopes, read_only: isReadOnly }) =>
          `${scopes.join(', ')}${isReadOnly ? '; read-only' : ''}`
        }
        readPage={async (cursor) => {
          const query = { limit: 50, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/agent-keys', { params: { query } });
          return data?.data ?? { items: [], cursor: null };
        }}
        onRoll={openRoll}
        onRevoke={openRevoke}
      />
      {dialogs}
    </Stack>
  );
}

const sendRoll: SendRoll = (headers, { id, ...body }) =>
  client.POST('/agent-keys/{id}/roll', { params: { path: { id }, header: headers }, body });

const sendRevoke: SendRevoke = (headers, id) =>
  client.DELETE('/agent-keys/{id}', { params: { path: { id }, header: headers } });
