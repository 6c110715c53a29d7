import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import { ACCOUNT_PERMISSIONS } from '../../contracts/vocabulary.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import type { KeyMaterial } from '../api-keys/credential.js';
import { insertApiKeys } from '../api-keys/handlers.js';
import { buildOperatorAuditInsert } from '../audit-log/insert.js';
import { createTenantPair } from '../tenants/create-tenant.js';
import type { VerifiedSignUp } from '../users/commands.js';
import { insertUsers } from '../users/handlers.js';
import { completeSignUpRows, type OpenSignUp } from './sign-up-rows.js';

type SignUpCommand = Command<VerifiedSignUp>;

/**
 * Creates the accounts of sign-ups whose address is verified. Only the first of two commands finds
 * the sign-up open, so one sign-up never creates two accounts.
 */
async function completeSignUps(tx: Transaction, commands: SignUpCommand[]): Promise<CommandOutcome[]> {
  const open = await completeSignUpRows(
    tx,
    commands.map(({ input }) => input.sign_up_id),
  );
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) {
    const signUp = open.get(command.input.sign_up_id);
    open.delete(command.input.sign_up_id);
    outcomes.push(signUp ? await createAccount(tx, command, signUp) : notFoundOutcome('link'));
  }
  return outcomes;
}

async function createAccount(
  tx: Transaction,
  { tenantId, entityId, input }: SignUpCommand,
  { company, name, email, password_hash }: OpenSignUp,
): Promise<CommandOutcome> {
  await createTenantPair(tx, { live: tenantId, sandbox: input.sandbox_id }, { name: company });
  const owner = { tenant_id: tenantId, id: entityId, name, email, role: 'owner' as const };
  await insertUsers(tx, [{ ...owner, password_hash, email_proved_at: new Date().toISOString() }]);
  const keys = [
    buildKey(tenantId, 'First API key', input.api_key),
    buildKey(input.sandbox_id, 'First sandbox key', input.sandbox_key),
  ];
  await insertApiKeys(tx, keys);
  await tx.query(
    buildOperatorAuditInsert(
      keys.map((key) => ({
        tenantId: key.tenant_id,
        action: 'api_key.created',
        entityType: 'api_key',
        entityId: key.id,
        changes: diffNewRecord({ name: key.name, permissions: key.permissions }),
      })),
    ),
  );
  const changes = diffNewRecord({ company, name, email, role: 'owner', password: '[redacted]' });
  return { ok: true, changes, events: [] };
}

function buildKey(tenantId: string, name: string, { prefix, lastFour, hash }: KeyMaterial) {
  return {
    tenant_id: tenantId,
    id: newId(),
    kind: 'api' as const,
    name,
    prefix,
    last_four: lastFour,
    key_hash: hash,
    permissions: [...ACCOUNT_PERMISSIONS],
    scopes: [],
    read_only: false,
    tier: null,
    rolled_from: null,
    expires_at: null,
  };
}

export const signUpHandlers: CommandHandlers = {
  'user.complete_sign_up': completeSignUps,
};
