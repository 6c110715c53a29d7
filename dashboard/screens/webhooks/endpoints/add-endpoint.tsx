import { Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { SecretDialog } from '../../../parts/dialogs/secret-dialog';
import { useUrl } from '../../../parts/url/use-url';
import { ENDPOINT_FIELDS, type EndpointDraft, EndpointFields } from './endpoint-fields';

type Body = Schemas['WebhookEndpointCreate'];

/** Adds an endpoint, shows its secret once, and then opens the endpoint. */
export function AddEndpoint({ onClose }: { onClose: () => void }) {
  const { openRecord } = useUrl();
  const [draft, setDraft] = useState<EndpointDraft>({ url: '', event_types: ['*'] });
  const [created, setCreated] = useState<Schemas['WebhookEndpointWithSecret']>();
  const write = useWrite(
    (headers, body: Body) => client.POST('/webhook-endpoints', { params: { header: headers }, body }),
    { done: 'Endpoint added' },
  );
  const submit = async () => setCreated(await write.run(draft as Body));
  if (created?.secret) {
    const finish = () => {
      onClose();
      openRecord(created.id);
    };
    return (
      <SecretDialog title="Endpoint added" name="Signing secret" secret={created.secret} onClose={finish}>
        <SecretUse />
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title="Add endpoint"
      submitLabel="Add endpoint"
      size="lg"
      isLong
      fields={ENDPOINT_FIELDS}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <EndpointFields
          draft={draft}
          errors={errors}
          onDraft={(patch) => setDraft((old) => ({ ...old, ...patch }))}
        />
      )}
    </FormDialog>
  );
}

/** Explains how to use the secret of an endpoint. */
export function SecretUse() {
  return (
    <Text size="sm">
      Your receiver needs it to check the header webhook-signature. Any library for Standard Webhooks takes it
      as it is.
    </Text>
  );
}
