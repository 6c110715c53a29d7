import { Button, Group, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useSession } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { PagedTable } from '../../../parts/record/paged-table';
import { TimeAgo } from '../../../parts/values/time';
import { type UnmailedInvitation, useInvite } from './invite-person';
import { canManage, nameRole } from './roles';

type Invitation = Schemas['Invitation'];

/** The open invitations. */
export function InvitationTable({ onUnmailed }: { onUnmailed: (invitation: UnmailedInvitation) => void }) {
  const [revoked, setRevoked] = useState<Invitation>();
  const { data: session } = useSession();
  const { write, invite } = useInvite(onUnmailed);
  return (
    <Stack gap="xs" mt="md">
      <Title order={3} size="h5">
        Open invitations
      </Title>
      {write.problem && <ProblemAlert problem={write.problem} />}
      <PagedTable
        label="Open invitations"
        queryKey={['/invitations', 'open']}
        readPage={async (cursor) => {
          const query = { limit: 50, status: 'open' as const, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/invitations', { params: { query } });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={({ id }) => id}
        empty="Nobody is invited at the moment."
        columns={[
          { header: 'E-mail', render: ({ email }) => email },
          { header: 'Role', render: ({ role }) => nameRole(role) },
          { header: 'Invited', render: ({ created_at: at }) => <TimeAgo at={at} /> },
          { header: 'Expires', render: ({ expires_at: at }) => <TimeAgo at={at} /> },
          {
            header: 'Actions',
            render: (invitation) =>
              canManage(session?.user.role, invitation.role) && (
                <InvitationActions
                  email={invitation.email}
                  isSending={write.isRunning}
                  onResend={() => void invite({ email: invitation.email, role: invitation.role })}
                  onRevoke={() => setRevoked(invitation)}
                />
              ),
          },
        ]}
      />
      {revoked && <RevokeInvitation invitation={revoked} onClose={() => setRevoked(undefined)} />}
    </Stack>
  );
}

function InvitationActions({
  email,
  isSending,
  onResend,
  onRevoke,
}: {
  email: string;
  isSending: boolean;
  onResend: () => void;
  onRevoke: () => void;
}) {
  return (
    <Group gap={6} wrap="nowrap">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Send again the invitation of ${email}`}
        disabled={isSending}
        onClick={onResend}
      >
        Send again
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Revoke the invitation of ${email}`}
        onClick={onRevoke}
      >
        Revoke
      </Button>
    </Group>
  );
}

function RevokeInvitation({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const write = useWrite(
    (headers, id: string) =>
      client.DELETE('/invitations/{id}', { params: { path: { id }, header: headers } }),
    { done: ({ email }) => `The invitation of ${email} was revoked` },
  );
  return (
    <ConfirmDialog
      title={`Revoke the invitation of ${invitation.email}`}
      verb="Revoke"
      effect="The link in the mail does not work any more. You can invite the person again."
      write={write}
      onConfirm={() => void write.run(invitation.id).then((saved) => saved && onClose())}
      onClose={onClose}
    />
  );
}
