import { Stack, Title } from '@mantine/core';
import { RecordTable } from '../../../parts/record/record-table';
import { ROLES } from './roles';

/** The rights of each role. Every account has the same roles. */
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
