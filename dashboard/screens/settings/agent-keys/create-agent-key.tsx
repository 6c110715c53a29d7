import { Switch } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { AGENT_SCOPE } from '../../../generated/vocabulary';
import { KeyForm } from '../keys/key-form';
import type { KeyWithSecret } from '../keys/key-record';
import { listRights, RightsChoice } from '../keys/rights-choice';

type Draft = Schemas['AgentKeyCreate'];
type Scope = Schemas['AgentScope'];

const FIELDS = ['scopes', 'read_only'];

const isReading = (scope: Scope) => scope.startsWith('read_');

export function CreateAgentKey({
  onCreated,
  onClose,
}: {
  onCreated: (created: KeyWithSecret) => void;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState<Draft>({
    name: '',
    scopes: ['read_invoices', 'read_work_orders'],
    read_only: false,
  });
  const set = (patch: Partial<Draft>) => setDraft({ ...draft, ...patch });
  const write = useWrite((headers, body: Draft) =>
    client.POST('/agent-keys', { params: { header: headers }, body }),
  );
  const submit = async () => {
    const created = await write.run(draft);
    if (created) onCreated(created);
  };
  const setReadOnly = (isReadOnly: boolean) =>
    set({ read_only: isReadOnly, ...(isReadOnly ? { scopes: draft.scopes.filter(isReading) } : {}) });
  return (
    <KeyForm
      kind="agent key"
      nameHint="Which agent uses it. The audit log and approvals show this name."
      fields={FIELDS}
      write={write}
      draft={draft}
      onEdit={set}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Switch
            label="Read-only"
            description="Limits the key to the scopes that read."
            checked={draft.read_only ?? false}
            error={errors.read_only}
            onChange={(event) => setReadOnly(event.currentTarget.checked)}
          />
          <RightsChoice
            label="Scopes"
            description="Give an agent only what its work needs. No scope implies another."
            rights={listRights(AGENT_SCOPE)}
            chosen={draft.scopes}
            isOffered={(scope) => !draft.read_only || isReading(scope)}
            error={errors.scopes}
            onChosen={(scopes) => set({ scopes })}
          />
        </>
      )}
    </KeyForm>
  );
}
