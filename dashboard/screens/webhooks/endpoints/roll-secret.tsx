import { Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { SecretDialog } from '../../../parts/dialogs/secret-dialog';
import type { Endpoint } from '../choices/endpoint-names';
import { SecretUse } from './add-endpoint';

const OVERLAPS = [
  { hours: '0', label: 'Ends now', description: 'For a secret that has leaked' },
  { hours: '1', label: 'Signs for 1 hour more' },
  { hours: '24', label: 'Signs for 24 hours more' },
  { hours: '168', label: 'Signs for 7 days more' },
] as const;

/** Replaces the secret of an endpoint. For a while, both secrets may sign each delivery. */
export function RollSecret({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [hours, setHours] = useState('24');
  const [rolled, setRolled] = useState<Schemas['WebhookEndpointWithSecret']>();
  const write = useWrite(
    (headers, body: Schemas['WebhookEndpointRotate']) =>
      client.POST('/webhook-endpoints/{id}/rotate-secret', {
        params: { path: { id: endpoint.id }, header: { ...headers, ...ifMatch(endpoint) } },
        body,
      }),
    { done: 'Secret rolled' },
  );
  const submit = async () => setRolled(await write.run({ overlap_hours: Number(hours) }));
  if (rolled?.secret) {
    return (
      <SecretDialog title="New secret" name="Signing secret" secret={rolled.secret} onClose={onClose}>
        <SecretUse />
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title="Roll the signing secret"
      submitLabel="Roll"
      isDangerous={hours === '0'}
      fields={['overlap_hours']}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">
            A new secret signs from now on. As long as the old secret signs too, receivers with either secret
            accept deliveries.
          </Text>
          <Radio.Group label="The old secret" value={hours} onChange={setHours} error={errors.overlap_hours}>
            <Stack gap="xs" mt="xs">
              {OVERLAPS.map(({ hours: value, ...texts }) => (
                <Radio key={value} value={value} {...texts} />
              ))}
            </Stack>
          </Radio.Group>
        </>
      )}
    </FormDialog>
  );
}
