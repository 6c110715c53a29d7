import { PasswordInput, TextInput } from '@mantine/core';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { useState } from 'react';
import { client } from '../../api/client';
import { type Problem, toProblem } from '../../api/problem';
import type { Schemas } from '../../api/records';
import { useWrite } from '../../api/use-write';
import { FormDialog } from '../dialogs/form-dialog';
import { ConfirmApp } from './confirm-app';
import { makePasskey } from './passkeys';
import { RecoveryCodes } from './recovery-codes';

type Begun = Schemas['FactorWithSecret'];
type Kind = Schemas['FactorCreate']['kind'];

const TEXTS: Record<Kind, { title: string; submit: string; hint: string; name: string }> = {
  totp: {
    title: 'Add authenticator app',
    submit: 'Continue',
    hint: 'Where the app is, such as "My phone".',
    name: 'Authenticator app',
  },
  passkey: {
    title: 'Add passkey',
    submit: 'Create passkey',
    hint: 'Which device or security key it is, such as "Office computer".',
    name: 'Passkey',
  },
};

/**
 * The dialogs that add a second factor.
 * @param isFirst true for the first factor: the dialog then asks for the password, and finally
 *   shows recovery codes
 */
export function AddFactor({ kind, isFirst, onClose }: { kind: Kind; isFirst: boolean; onClose: () => void }) {
  // Keep the first value. `isFirst` becomes false as soon as the first factor is confirmed, while
  // the dialog is still open.
  const [needsPassword] = useState(isFirst);
  const [draft, setDraft] = useState({ name: TEXTS[kind].name, password: '' });
  const [app, setApp] = useState<Begun>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [problem, setProblem] = useState<Problem>();
  const begin = useWrite((headers, body: Schemas['FactorCreate']) =>
    client.POST('/me/factors', { params: { header: headers }, body }),
  );
  const confirm = useWrite(
    (headers, { id, ...body }: { id: string } & Schemas['FactorConfirm']) =>
      client.POST('/me/factors/{id}/confirm', { params: { path: { id }, header: headers }, body }),
    { done: `${TEXTS[kind].name} added` },
  );
  const finish = (added: Schemas['FactorWithCodes'] | undefined) => {
    if (!added) return;
    if (added.recovery_codes) setCodes(added.recovery_codes);
    else onClose();
  };
  const addPasskey = async ({ id, passkey }: Begun) => {
    try {
      const made = await makePasskey(passkey as unknown as PublicKeyCredentialCreationOptionsJSON);
      finish(await confirm.run({ id, passkey: { ...made } }));
    } catch (error) {
      setProblem(toProblem(error));
    }
  };
  const submit = async () => {
    setProblem(undefined);
    confirm.reset();
    const { name, password } = draft;
    const begun = await begin.run({ kind, name, ...(needsPassword ? { password } : {}) });
    if (!begun) return;
    if (kind === 'passkey') await addPasskey(begun);
    else setApp(begun);
  };
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />;
  if (app)
    return (
      <ConfirmApp
        app={app}
        write={confirm}
        onCode={(code) => void confirm.run({ id: app.id, code }).then(finish)}
        onClose={onClose}
      />
    );
  const { title, submit: submitLabel, hint } = TEXTS[kind];
  const write = {
    problem: begin.problem ?? confirm.problem ?? problem,
    isRunning: begin.isRunning || confirm.isRunning,
    isSaving: begin.isSaving || confirm.isSaving,
  };
  return (
    <FormDialog
      title={title}
      submitLabel={submitLabel}
      fields={['name', 'password']}
      write={write}
      canSubmit={draft.name.trim() !== '' && (!needsPassword || draft.password !== '')}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextInput
            data-autofocus
            label="Name"
            description={hint}
            value={draft.name}
            error={errors.name}
            onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          />
          {needsPassword && (
            <PasswordInput
              label="Password"
              description="Your own, so that nobody else adds a factor at your open screen."
              autoComplete="current-password"
              value={draft.password}
              error={errors.password}
              onChange={(event) => setDraft({ ...draft, password: event.currentTarget.value })}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
