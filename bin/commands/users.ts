import { randomBytes } from 'node:crypto';
import Joi from 'joi';
import { email, text } from '../../shared/contracts/schemas/fields.js';
import { validate } from '../../shared/contracts/schemas/validate.js';
import { hashPassword } from '../../shared/platform/crypto.js';
import { newId } from '../../shared/platform/ids.js';
import { diffNewRecord } from '../../shared/records/changes.js';
import { type RecordRef, refKey } from '../../shared/records/record-refs.js';
import { renderRecords } from '../../shared/records/render-records.js';
import { lockFactorsOfPeople, markFactorsRemoved } from '../../shared/resources/factors/factor-rows.js';
import { insertUsers } from '../../shared/resources/users/handlers.js';
import { userTable } from '../../shared/resources/users/table.js';
import { recordOperatorAction } from '../cli/audit-entry.js';
import type { RunCommand } from '../cli/command.js';
import { usageError } from '../cli/exit-codes.js';
import { findNamedTenant } from './tenants.js';

const userFields = Joi.object({ name: text(100).required(), email: email().required() });

/** `tow users create`: adds a person who can sign in. Generates the password and shows it once. */
export const createUser: RunCommand = async ({ values, positionals }, { store }) => {
  const person = validate<{ name: string; email: string }>(userFields, {
    name: values.name,
    email: values.email,
  });
  const { db } = await store();
  const tenant = await findNamedTenant(db, { values, positionals });
  if (tenant.environment === 'sandbox')
    throw usageError('Users belong to the live tenant, not to its sandbox.');
  const password = randomBytes(15).toString('base64url');
  const ref = { tenant_id: tenant.id, id: newId() };
  const row = { ...ref, ...person, password_hash: await hashPassword(password) };
  const body = await db.transaction([tenant.id], async (tx) => {
    const inserted = await insertUsers(tx, [row]);
    if (inserted.size === 0) throw usageError(`${person.email} already belongs to a user of this tenant.`);
    recordOperatorAction(tx, {
      tenantId: tenant.id,
      action: 'user.created',
      entityType: 'user',
      entityId: ref.id,
      changes: diffNewRecord(person),
    });
    const bodies = await renderRecords(tx, userTable, [ref]);
    return JSON.parse(bodies.get(refKey(ref)) ?? '{}') as Record<string, unknown>;
  });
  return {
    data: { ...body, tenant_id: tenant.id, password },
    text: `${password}\n\nThis password of ${person.email} is shown only now.\nuser id  ${ref.id}\ntenant   ${tenant.name}`,
  };
};

/**
 * `tow users remove-factors`: removes the second factors of a person who has lost them. The person
 * then signs in with the password alone.
 */
export const removeFactors: RunCommand = async ({ values, positionals }, { store }) => {
  const { db } = await store();
  const tenant = await findNamedTenant(db, { values, positionals });
  const removed = await db.transaction([tenant.id], async (tx) => {
    const people = await tx.query<RecordRef>({
      text: `select tenant_id, id from users where tenant_id = $1 and lower(email) = lower($2) and deactivated_at is null for update`,
      values: [tenant.id, values.email],
    });
    const [person] = people;
    if (!person) throw usageError(`${values.email} belongs to no active user of this tenant.`);
    const factors = [...(await lockFactorsOfPeople(tx, people)).values()].flat();
    await markFactorsRemoved(tx, factors);
    recordOperatorAction(tx, {
      tenantId: tenant.id,
      action: 'user.factors_removed',
      entityType: 'user',
      entityId: person.id,
      changes: [{ field: 'factors', from: factors.length, to: 0 }],
    });
    return factors.length;
  });
  return { data: { removed }, text: `Removed ${removed} factors of ${values.email}.` };
};
