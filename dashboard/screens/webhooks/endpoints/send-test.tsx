import { Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { Select } from '../../../parts/choices/select';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useUrl, useUrlSearch } from '../../../parts/url/use-url';
import type { Endpoint } from '../choices/endpoint-names';
import { useEventTypes } from '../choices/event-types';

type TestType = NonNullable<Schemas['WebhookTest']['type']>;

/**
 * Sends a test event, and opens its delivery. The delivery shows the attempt as soon as it is made.
 */
export function SendTest({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { cursor } = useUrlSearch();
  const { setSearch } = useUrl();
  const { data } = useEventTypes();
  const [type, setType] = useState('invoice.created');
  const write = useWrite((headers, body: Schemas['WebhookTest']) =>
    client.POST('/webhook-endpoints/{id}/test', {
      params: { path: { id: endpoint.id }, header: headers },
      body,
    }),
  );
  const submit = async () => {
    const delivery = await write.run({ type: type as TestType });
    if (delivery) setSearch({ cursor, delivery: delivery.id });
  };
  return (
    <FormDialog
      title="Send test event"
      submitLabel="Send test event"
      fields={['type']}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            Sends an example event to {endpoint.url}, whatever event types it subscribes to. The body marks it
            with data.test.
          </Text>
          <Select
            data-autofocus
            label="Event type"
            allowDeselect={false}
            data={(data?.data.items ?? []).map((item) => item.type)}
            value={type}
            error={errors.type}
            onChange={(value) => value && setType(value)}
          />
        </>
      )}
    </FormDialog>
  );
}
