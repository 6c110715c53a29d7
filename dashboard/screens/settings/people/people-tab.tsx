import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import { readEnvironment } from '../../../api/environment';
import type { Schemas } from '../../../api/records';
import { useCan, useSession } from '../../../api/session';
import { type Filter, FilterBar, IS_ACTIVE } from '../../../parts/list/filters';
import { PagedTable } from '../../../parts/record/paged-table';
import type { Column } from '../../../parts/record/record-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { useUrlSearch } from '../../../parts/url/use-url';
import { TimeAgo } from '../../../parts/values/time';
import { DeactivatePerson } from './deactivate-person';
import { InvitationTable } from './invitation-table';
import { InvitationLink, InvitePerson, type UnmailedInvitation } from './invite-person';
import { AddPerson, EditPerson } from './person-form';
import { RoleTable } from './role-table';
import { canManage, nameRole } from './roles';

type Person = Schemas['User'];

/** The dialog that is open over the list. */
type OpenDialog =
  | { name: 'add' | 'invite' }
  | { name: 'link'; invitation: UnmailedInvitation }
  | { name: 'edit' | 'deactivate'; person: Person };

const FILTERS: readonly Filter[] = [IS_ACTIVE];

/** The people who can sign in. They belong to the live account, but can also use its sandbox. */
export function PeopleTab() {
  if (readEnvironment() === 'sandbox')
    return (
      <Text maw={640}>
        People belong to the live account, and may use its sandbox too. Switch Environment to Live to see and
        manage them.
      </Text>
    );
  return <LivePeople />;
}

function LivePeople() {
  const [open, setOpen] = useState<OpenDialog>();
  const canChange = useCan('admin');
  const onClose = () => setOpen(undefined);
  const showLink = (invitation: UnmailedInvitation) => setOpen({ name: 'link', invitation });
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} maw={640}>
          <Title order={2} size="h4">
            People
          </Title>
          <Text size="sm" c="dimmed">
            The people who can sign in, to the account and to its sandbox. The role of each decides what the
            person may do.
          </Text>
        </Stack>
        {canChange && (
          <Group gap="xs">
            <Button variant="default" onClick={() => setOpen({ name: 'add' })}>
              Add person
            </Button>
            <Button onClick={() => setOpen({ name: 'invite' })}>Invite person</Button>
          </Group>
        )}
      </Group>
      <FilterBar filters={FILTERS} />
      <PeopleTable canChange={canChange} onOpen={setOpen} />
      {canChange && <InvitationTable onUnmailed={showLink} />}
      <RoleTable />
      {open?.name === 'add' && <AddPerson onClose={onClose} />}
      {open?.name === 'invite' && <InvitePerson onUnmailed={showLink} onClose={onClose} />}
      {open?.name === 'link' && <InvitationLink invitation={open.invitation} onClose={onClose} />}
      {open?.name === 'edit' && <EditPerson person={open.person} onClose={onClose} />}
      {open?.name === 'deactivate' && <DeactivatePerson person={open.person} onClose={onClose} />}
    </Stack>
  );
}

function PeopleTable({ canChange, onOpen }: { canChange: boolean; onOpen: (dialog: OpenDialog) => void }) {
  const { is_active: isActive } = useUrlSearch();
  const { data: session } = useSession();
  const columns: Column<Person>[] = [
    { header: 'Name', render: ({ name }) => name },
    { header: 'E-mail', render: ({ email }) => email },
    { header: 'Role', render: ({ role }) => nameRole(role) },
    { header: 'Status', render: (person) => <StatusBadge status={readStatus(person)} /> },
    { header: 'Added', render: ({ created_at: at }) => <TimeAgo at={at} /> },
    { header: 'Deactivated', render: ({ deactivated_at: at }) => <TimeAgo at={at} /> },
  ];
  if (canChange)
    columns.push({
      header: 'Actions',
      render: (person) =>
        person.deactivated_at === null &&
        canManage(session?.user.role, person.role) && <PersonActions person={person} onOpen={onOpen} />,
    });
  return (
    <PagedTable
      label="People"
      queryKey={['/users', isActive]}
      readPage={async (cursor) => {
        const filter = isActive ? { is_active: isActive === 'true' } : {};
        const query = { limit: 50, ...filter, ...(cursor ? { cursor } : {}) };
        const { data } = await client.GET('/users', { params: { query } });
        return data?.data ?? { items: [], cursor: null };
      }}
      rowKey={({ id }) => id}
      empty="Nobody matches this filter."
      columns={columns}
    />
  );
}

function PersonActions({ person, onOpen }: { person: Person; onOpen: (dialog: OpenDialog) => void }) {
  return (
    <Group gap={6} wrap="nowrap">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Edit ${person.name}`}
        onClick={() => onOpen({ name: 'edit', person })}
      >
        Edit
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Deactivate ${person.name}`}
        onClick={() => onOpen({ name: 'deactivate', person })}
      >
        Deactivate
      </Button>
    </Group>
  );
}

function readStatus({ deactivated_at: at }: Person): string {
  return at === null ? 'active' : 'inactive';
}
