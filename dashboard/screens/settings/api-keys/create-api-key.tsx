import { NativeSelect, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { ExpiryField } from '../keys/expiry-field';
import type { KeyWithSecret } from '../keys/key-record';
import { type Right, RightsChoice } from '../keys/rights-choice';

type Draft = Schemas['ApiKeyCreate'];

const PERMISSIONS: readonly Right<Schemas['Permission']>[] = [
  { name: 'read', allows: 'Read every record.' },
  { name: 'write', allows: 'Create and change records.' },
  {
    name: 'approve',
    allows: 'Approve, send and void invoices, dispatch and cancel work orders, refund payments.',
  },
  { name: 'admin', allows: 'Manage keys, people, webhooks, settings and exports.' },
];

const TIERS = [
  { value: '', label: "The account's" },
  { value: 'starter', label: 'Starter' },
  { value: 'standard', label: 'Standard' },
  { value: 'premium', label: 'Premium' },
];

const FIELDS = ['name', 'permissions', 'read_only', 'tier', 'expires_at'];

export function CreateApiKey({
  onCreated,
  onClose,
}: {
  onCreated: (created: KeyWithSecret) => void;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState<Draft>({ name: '', permissions: ['read', 'write'] });
  const set = (patch: Partial<Draft>) => setDraft({ ...draft, ...patch });
  const write = useWrite((headers, body: Draft) =>
    client.POST('/api-keys', { params: { header: headers }, body }),
  );
  const submit = async () => {
    const created = await write.run(draft);
    if (created) onCreated(created);
  };
  return (
    <FormDialog
      title="Create API key"
      submitLabel="Create API key"
      fields={FIELDS}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextInput
            data-autofocus
            label="Name"
            description="Which program uses it, and where."
            required
            value={draft.name}
            error={errors.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <RightsChoice
            label="Permissions"
            description="Give a key only what its program needs. No permission implies another."
            rights={PERMISSIONS}
            chosen={draft.permissions ?? []}
            error={errors.permissions}
            onChosen={(permissions) => set({ permissions })}
          />
          <Switch
            label="Read-only"
            description="Refuses every write, whatever the permissions."
            checked={draft.read_only ?? false}
            error={errors.read_only}
            onChange={(event) => set({ read_only: event.currentTarget.checked })}
          />
          <NativeSelect
            label="Rate limits"
            description="A key can have lower limits than the account."
            data={TIERS}
            value={draft.tier ?? ''}
            error={errors.tier}
            onChange={(event) => set({ tier: (event.currentTarget.value || null) as Draft['tier'] & string })}
          />
          <ExpiryField
            at={draft.expires_at ?? null}
            error={errors.expires_at}
            onAt={(expires_at) => set({ expires_at })}
          />
        </>
      )}
    </FormDialog>
  );
}
