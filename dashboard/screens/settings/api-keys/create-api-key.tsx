import { NativeSelect, Switch } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { PERMISSION, TIER } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { humanize } from '../../../parts/record/status-badge';
import { KeyForm } from '../keys/key-form';
import type { KeyWithSecret } from '../keys/key-record';
import { listRights, RightsChoice } from '../keys/rights-choice';

type Draft = Schemas['ApiKeyCreate'];

const TIERS = [
  { value: '', label: "The account's" },
  ...wordsOf(TIER).map((value) => ({ value, label: humanize(value) })),
];

const FIELDS = ['permissions', 'read_only', 'tier'];

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
    <KeyForm
      kind="API key"
      nameHint="Which program uses it, and where."
      fields={FIELDS}
      write={write}
      draft={draft}
      onEdit={set}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <RightsChoice
            label="Permissions"
            description="Give a key only what its program needs. No permission implies another."
            rights={listRights(PERMISSION)}
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
        </>
      )}
    </KeyForm>
  );
}
