import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type FieldErrors, FormDialog } from '../../../parts/dialogs/form-dialog';
import { ExpiryField } from './expiry-field';

/** The common members of new API keys and new agent keys. */
interface KeyDraft {
  name: string;
  expires_at?: string | null;
}

/**
 * The dialog that creates a key, with its name, rights and expiry.
 * @param kind the kind of key: "API key" or "agent key"
 * @param children the fields for the rights
 */
export function KeyForm({
  kind,
  nameHint,
  fields,
  write,
  draft,
  onEdit,
  onSubmit,
  onClose,
  children,
}: {
  kind: string;
  nameHint: string;
  fields: readonly string[];
  write: Parameters<typeof FormDialog>[0]['write'];
  draft: KeyDraft;
  onEdit: (patch: Partial<KeyDraft>) => void;
  onSubmit: () => void;
  onClose: () => void;
  children: (errors: FieldErrors) => ReactNode;
}) {
  return (
    <FormDialog
      title={`Create ${kind}`}
      submitLabel={`Create ${kind}`}
      fields={['name', ...fields, 'expires_at']}
      write={write}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextInput
            data-autofocus
            label="Name"
            description={nameHint}
            required
            value={draft.name}
            error={errors.name}
            onChange={(event) => onEdit({ name: event.currentTarget.value })}
          />
          {children(errors)}
          <ExpiryField
            at={draft.expires_at ?? null}
            error={errors.expires_at}
            onAt={(expires_at) => onEdit({ expires_at })}
          />
        </>
      )}
    </FormDialog>
  );
}
