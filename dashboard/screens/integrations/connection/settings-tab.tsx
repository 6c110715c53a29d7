import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useCan } from '../../../api/session';
import { Facts } from '../../../parts/record/facts';
import { CodeBlock } from '../../../parts/values/code-block';
import { useIntegration } from '../vendors/use-integrations';
import type { Connection } from '../vendors/vendor-kinds';
import { nameField } from '../vendors/vendor-schema';
import { EditConnection } from './edit-connection';

export function SettingsTab({ connection }: { connection: Connection }) {
  const [isEditing, setEditing] = useState(false);
  const isAdmin = useCan('admin');
  const integration = useIntegration(connection.vendor);
  const canEdit = isAdmin && integration !== undefined && connection.status !== 'revoked';
  // The tab Books shows the settings of books.
  const settings = connection.kind === 'accounting' ? [] : Object.entries(connection.settings);
  return (
    <Stack gap="md" align="flex-start">
      <Facts
        items={{
          Label: connection.label ?? "The vendor's name of the account",
          ...Object.fromEntries(settings.map(([name, value]) => [nameField(name), showValue(value)])),
        }}
      />
      {canEdit && <Button onClick={() => setEditing(true)}>Edit settings</Button>}
      {integration === undefined && (
        <Text size="sm" c="dimmed">
          This release does not have the vendor, so its settings cannot be changed.
        </Text>
      )}
      <Stack gap={4} w="100%">
        <Text size="sm">
          Address for the vendor’s webhooks. Enter it at the vendor, unless its applications have one address
          for all their customers.
        </Text>
        <CodeBlock label="Address for webhooks" code={connection.webhook_url} copyLabel="address" />
      </Stack>
      {connection.inbound_urls && (
        <Stack gap={4} w="100%">
          <Text size="sm">Enter these at the phone number of the account.</Text>
          <CodeBlock
            label="Address for incoming texts"
            code={connection.inbound_urls.messages}
            copyLabel="address for texts"
          />
          <CodeBlock
            label="Address for incoming calls"
            code={connection.inbound_urls.voice}
            copyLabel="address for calls"
          />
        </Stack>
      )}
      {isEditing && integration && (
        <EditConnection connection={connection} integration={integration} onClose={() => setEditing(false)} />
      )}
    </Stack>
  );
}

function showValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
