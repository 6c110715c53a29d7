import { Stack, Title } from '@mantine/core';
import { RecordTable } from '../../../parts/record/record-table';
import { ROLES } from './roles';

/** What each role allows. The roles are the same in every account. */
export function RoleTable() {
  return (
    <Stack gap="xs" mt="md">
      <Title order={3} size="h5">
        Roles
      </Title>
      <RecordTable
        label="Roles"
        rows={ROLES}
        rowKey={({ role }) => role}
        empty=""
        columns={[
          { header: 'Role', render: ({ name }) => name },
          { header: 'May do', render: ({ allows }) => allows },
        ]}
      />
    </Stack>
  );
}
