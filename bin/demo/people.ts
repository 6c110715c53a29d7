import { UNUSABLE_PASSWORD_HASH } from '../../shared/platform/crypto.js';
import type { Transaction } from '../../shared/platform/postgres/database.js';
import { insertUsers } from '../../shared/resources/users/handlers.js';
import { insertRows } from './insert-records.js';
import { createAuditEntry } from './records/audit.js';
import { deriveDemoId } from './records/random.js';
import { DEMO_PROFILES } from './records/tenants.js';

const COLLEAGUES = [
  { name: 'Priya Raman', role: 'dispatcher' },
  { name: 'Luis Ortega', role: 'bookkeeper' },
] as const;

/**
 * Adds two colleagues of each company's owner. A colleague cannot sign in until the owner sets a
 * password.
 */
export async function insertDemoPeople(tx: Transaction): Promise<void> {
  const people = DEMO_PROFILES.flatMap(({ slug, pair }) =>
    COLLEAGUES.map(({ name, role }) => {
      const [firstName = name] = name.toLowerCase().split(' ');
      return {
        tenant_id: pair.live,
        id: deriveDemoId(`${slug}/user/${firstName}`),
        name,
        email: `${firstName}@${slug}.example`,
        role,
      };
    }),
  );
  await insertUsers(
    tx,
    people.map((person) => ({ ...person, password_hash: UNUSABLE_PASSWORD_HASH })),
  );
  await insertRows(
    tx,
    'audit_entries',
    people.map(({ tenant_id, id, name, email, role }) =>
      createAuditEntry({ tenant_id, entity_type: 'user', entity_id: id }, 'user.created', {
        name,
        email,
        role,
      }),
    ),
  );
}
