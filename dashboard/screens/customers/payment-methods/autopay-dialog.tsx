import { Text } from '@mantine/core';
import { useState } from 'react';
import { api, client, ifMatch } from '../../../api/client';
import type { Customer, Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { Select } from '../../../parts/choices/select';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { nameSavedMethod } from './name-method';

type When = Schemas['AutopayTime'];

const NONE = 'none';
const TIMES: { value: When; label: string }[] = [
  { value: 'release', label: 'When they are sent' },
  { value: 'due_date', label: 'On their due date' },
];

/** Chooses the payment method and the time for charging the customer's invoices automatically. */
export function AutopayDialog({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const { opened, onProblem } = useOpenedVersion(customer);
  const [method, setMethod] = useState(customer.autopay?.payment_method_id ?? NONE);
  const [when, setWhen] = useState<When>(customer.autopay?.when ?? 'release');
  const methods = api.useQuery('get', '/customers/{id}/payment-methods', {
    params: { path: { id: customer.id }, query: { status: 'active', limit: 50 } },
  });
  const write = useWrite(
    (header, body: Schemas['CustomerPatch']) =>
      client.PATCH('/customers/{id}', {
        params: { path: { id: customer.id }, header: { ...header, ...ifMatch(opened) } },
        body,
      }),
    { done: 'Autopay saved', onProblem },
  );
  const submit = async () => {
    const autopay = method === NONE ? null : { payment_method_id: method, when };
    if (await write.run({ autopay })) onClose();
  };
  const choices = (methods.data?.data.items ?? []).map((one) => ({
    value: one.id,
    label: nameSavedMethod(one),
  }));
  return (
    <FormDialog
      title="Autopay"
      submitLabel="Save"
      fields={['autopay.payment_method_id', 'autopay.when']}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">
            {`Invoices of ${customer.company_name} that are sent from now on are charged without further approval.`}
          </Text>
          <Select
            data-autofocus
            label="Charge to"
            data={[{ value: NONE, label: 'Nothing: the customer pays each invoice' }, ...choices]}
            value={method}
            allowDeselect={false}
            error={errors['autopay.payment_method_id']}
            onChange={(value) => setMethod(value ?? NONE)}
          />
          <Select
            label="Charge invoices"
            data={TIMES}
            value={when}
            allowDeselect={false}
            disabled={method === NONE}
            error={errors['autopay.when']}
            onChange={(value) => setWhen((value as When | null) ?? 'release')}
          />
        </>
      )}
    </FormDialog>
  );
}
