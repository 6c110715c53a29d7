import { NativeSelect } from '@mantine/core';
import { useSession } from '../../../api/session';
import { canManage, findRole, ROLES, type Role } from './roles';

/** Chooses a role, and describes its rights. */
export function RoleField({
  role,
  error,
  onRole,
}: {
  role: Role;
  error: string | undefined;
  onRole: (role: Role) => void;
}) {
  const { data: session } = useSession();
  const offered = ROLES.filter((entry) => canManage(session?.user.role, entry.role));
  return (
    <NativeSelect
      label="Role"
      description={findRole(role)?.allows}
      data={offered.map((entry) => ({ value: entry.role, label: entry.name }))}
      value={role}
      error={error}
      onChange={(event) => onRole(event.currentTarget.value as Role)}
    />
  );
}
