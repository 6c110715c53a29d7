import { PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { type FieldErrors, FormDialog } from '../../../parts/dialogs/form-dialog';
import { RoleField } from './role-field';
import type { Role } from './roles';

type Person = Schemas['User'];

interface Draft {
  name: string;
  email: string;
  role: Role;
  /** Empty to keep the password of a person, or to create a person without a password. */
  password: string;
}

const FIELDS = ['name', 'email', 'role', 'password'];

export function AddPerson({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({ name: '', email: '', role: 'dispatcher', password: '' });
  const write = useWrite(
    (headers, body: Schemas['UserCreate']) => client.POST('/users', { params: { header: headers }, body }),
    { done: ({ name }) => `${name} was added` },
  );
  const submit = async () => {
    const { password, ...person } = draft;
    if (await write.run({ ...person, ...(password ? { password } : {}) })) onClose();
  };
  return (
    <FormDialog
      title="Add person"
      submitLabel="Add person"
      fields={FIELDS}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <PersonFields
          draft={draft}
          onDraft={setDraft}
          errors={errors}
          passwordLabel="Password"
          passwordHint="At least 12 characters. Left empty: the person cannot sign in until a password is set here. To let the person choose it, invite them instead."
        />
      )}
    </FormDialog>
  );
}

/** Changes a person. If a newer version exists, the API refuses the change. */
export function EditPerson({ person, onClose }: { person: Person; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({ ...person, password: '' });
  const write = useWrite(
    (headers, body: Schemas['UserPatch']) =>
      client.PATCH('/users/{id}', {
        params: { path: { id: person.id }, header: { ...headers, ...ifMatch(person) } },
        body,
      }),
    { done: 'Person saved' },
  );
  const submit = async () => {
    const patch = {
      ...(draft.name === person.name ? {} : { name: draft.name }),
      ...(draft.email === person.email ? {} : { email: draft.email }),
      ...(draft.role === person.role ? {} : { role: draft.role }),
      ...(draft.password ? { password: draft.password } : {}),
    };
    if (Object.keys(patch).length === 0 || (await write.run(patch))) onClose();
  };
  return (
    <FormDialog
      title={`Edit ${person.name}`}
      submitLabel="Save"
      fields={FIELDS}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <PersonFields
          draft={draft}
          onDraft={setDraft}
          errors={errors}
          passwordLabel="New password"
          passwordHint="At least 12 characters. Left empty: the password stays. A new password ends all sessions of the person."
        />
      )}
    </FormDialog>
  );
}

function PersonFields({
  draft,
  onDraft,
  errors,
  passwordLabel,
  passwordHint,
}: {
  draft: Draft;
  onDraft: (draft: Draft) => void;
  errors: FieldErrors;
  passwordLabel: string;
  passwordHint: string;
}) {
  return (
    <>
      <TextInput
        data-autofocus
        label="Name"
        required
        autoComplete="off"
        value={draft.name}
        error={errors.name}
        onChange={(event) => onDraft({ ...draft, name: event.currentTarget.value })}
      />
      <TextInput
        label="E-mail"
        type="email"
        required
        autoComplete="off"
        value={draft.email}
        error={errors.email}
        onChange={(event) => onDraft({ ...draft, email: event.currentTarget.value })}
      />
      <RoleField role={draft.role} error={errors.role} onRole={(role) => onDraft({ ...draft, role })} />
      <PasswordInput
        label={passwordLabel}
        description={passwordHint}
        autoComplete="new-password"
        value={draft.password}
        error={errors.password}
        onChange={(event) => onDraft({ ...draft, password: event.currentTarget.value })}
      />
    </>
  );
}
