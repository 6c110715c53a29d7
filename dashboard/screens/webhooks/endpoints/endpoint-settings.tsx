import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import { useCan } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { Facts } from '../../../parts/record/facts';
import { RecordTable } from '../../../parts/record/record-table';
import { useUrl } from '../../../parts/url/use-url';
import { CodeBlock } from '../../../parts/values/code-block';
import { ExactTime, TimeAgo } from '../../../parts/values/time';
import type { Endpoint } from '../choices/endpoint-names';
import { EditEndpoint } from './edit-endpoint';
import { useEndpointPatch } from './use-endpoint-patch';

/** The settings of the endpoint, with the buttons that change them. */
export function EndpointSettings({ endpoint }: { endpoint: Endpoint }) {
  const canChange = useCan('admin');
  return (
    <Stack gap="md">
      {canChange && <SettingsButtons endpoint={endpoint} />}
      <Facts
        items={{
          URL: endpoint.url,
          Description: endpoint.description,
          'Event types': <Code>{endpoint.event_types.join(', ')}</Code>,
          Headers: endpoint.header_names.length > 0 ? endpoint.header_names.join(', ') : 'None',
          'Deliveries per second': endpoint.rate_limit_per_second ?? 'No limit',
          'Deliveries at a time': String(endpoint.max_in_flight),
          'ed25519 (v1a)': endpoint.asymmetric ? 'Signs as well' : 'Off',
        }}
      />
      <Text fw={600}>Secrets that sign now</Text>
      <RecordTable
        label="Secrets"
        rows={endpoint.secrets}
        rowKey={({ id }) => id}
        empty="No secret signs."
        columns={[
          {
            header: 'Signature',
            render: ({ scheme }) => (scheme === 'v1' ? 'v1 (HMAC-SHA256)' : 'v1a (ed25519)'),
          },
          { header: 'Created', render: ({ created_at: at }) => <TimeAgo at={at} /> },
          {
            header: 'Signs until',
            render: ({ expires_at: at }) => <ExactTime at={at} empty="It is rolled" />,
          },
        ]}
      />
      {endpoint.public_keys.map((key) => (
        <CodeBlock key={key} code={key} label="Public key" copyLabel="public key" />
      ))}
    </Stack>
  );
}

function SettingsButtons({ endpoint }: { endpoint: Endpoint }) {
  const [open, setOpen] = useState<'edit' | 'toggle' | 'delete'>();
  const close = () => setOpen(undefined);
  const verb = endpoint.enabled ? 'Disable' : 'Enable';
  return (
    <Group gap="xs">
      <Button variant="default" onClick={() => setOpen('edit')}>
        Edit
      </Button>
      <Button variant="default" onClick={() => setOpen('toggle')}>
        {verb}
      </Button>
      <Button variant="default" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'edit' && <EditEndpoint endpoint={endpoint} onClose={close} />}
      {open === 'toggle' && <ToggleEndpoint endpoint={endpoint} verb={verb} onClose={close} />}
      {open === 'delete' && <DeleteEndpoint endpoint={endpoint} onClose={close} />}
    </Group>
  );
}

function ToggleEndpoint({
  endpoint,
  verb,
  onClose,
}: {
  endpoint: Endpoint;
  verb: string;
  onClose: () => void;
}) {
  const { enabled: isEnabled, url } = endpoint;
  const write = useEndpointPatch(endpoint, isEnabled ? 'Endpoint disabled' : 'Endpoint enabled');
  const confirm = async () => {
    if (await write.run({ enabled: !isEnabled })) onClose();
  };
  return (
    <ConfirmDialog
      title={`${verb} this endpoint`}
      verb={verb}
      isDangerous={isEnabled}
      effect={
        isEnabled
          ? `${url} gets no more deliveries, and those that wait are cancelled. Recover can send them after it is enabled again.`
          : `${url} gets deliveries again. Earlier failures and pauses are forgotten.`
      }
      write={write}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  );
}

function DeleteEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { closeRecord } = useUrl();
  const write = useWrite(
    (headers, _input: undefined) =>
      client.DELETE('/webhook-endpoints/{id}', {
        params: { path: { id: endpoint.id }, header: { ...headers, ...ifMatch(endpoint) } },
      }),
    { done: 'Endpoint deleted' },
  );
  const confirm = async () => {
    if (await write.run(undefined)) closeRecord();
  };
  return (
    <ConfirmDialog
      title="Delete this endpoint"
      verb="Delete"
      effect={`${endpoint.url} gets nothing any more. Its waiting deliveries are cancelled and its secrets are destroyed. Its past deliveries stay listed.`}
      write={write}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  );
}
