import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { SecretDialog } from '../../../parts/dialogs/secret-dialog';
import { RoleField } from './role-field';
import type { Role } from './roles';

/** An invitation that the service cannot mail. The person who invites must pass on the link. */
export interface UnmailedInvitation {
  email: string;
  link: string;
}

/** Sends an invitation. If the address already has an open invitation, sends it again. */
export function useInvite(onUnmailed: (invitation: UnmailedInvitation) => void) {
  const write = useWrite(
    (headers, body: Schemas['InvitationCreate']) =>
      client.POST('/invitations', { params: { header: headers }, body }),
    {
      done: ({ email, accept_url: link }) =>
        link ? `${email} is invited` : `A mail to ${email} is on its way`,
    },
  );
  const invite = async (input: Schemas['InvitationCreate']) => {
    const created = await write.run(input);
    if (created?.accept_url) onUnmailed({ email: created.email, link: created.accept_url });
    return created;
  };
  return { write, invite };
}

export function InvitePerson({
  onUnmailed,
  onClose,
}: {
  onUnmailed: (invitation: UnmailedInvitation) => void;
  onClose: () => void;
}) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('dispatcher');
  const { write, invite } = useInvite(onUnmailed);
  const submit = async () => {
    const created = await invite({ email, role });
    // If the link must be passed on, the dialog with the link replaces this dialog.
    if (created && !created.accept_url) onClose();
  };
  return (
    <FormDialog
      title="Invite person"
      submitLabel="Send invitation"
      fields={['email', 'role']}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextInput
            data-autofocus
            label="E-mail"
            description="The person gets a link that works once, for 7 days, and chooses name and password."
            type="email"
            required
            autoComplete="off"
            value={email}
            error={errors.email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <RoleField role={role} error={errors.role} onRole={setRole} />
        </>
      )}
    </FormDialog>
  );
}

/** Shows the link of an invitation once, if the service has no mail server. */
export function InvitationLink({
  invitation: { email, link },
  onClose,
}: {
  invitation: UnmailedInvitation;
  onClose: () => void;
}) {
  return (
    <SecretDialog
      title={`Pass this link on to ${email}`}
      name="Invitation link"
      secret={link}
      onClose={onClose}
    />
  );
}
