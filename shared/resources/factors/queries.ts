import type { FactorListQuery } from '../../contracts/generated.js';
import type { Principal } from '../../contracts/principal.js';
import type { Database, SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import type { RecordRef } from '../../records/record-refs.js';
import type { ProofKind } from '../sessions/factor-kinds.js';
import { ownsFactorSql } from '../sessions/owns-factor.js';
import { factorRepresentation } from './representation.js';

/** Lists the person's confirmed factors. */
export function listFactors(query: FactorListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'user_factors',
    representation: factorRepresentation('t'),
    conditions: new Conditions()
      .add('t.tenant_id = ?', scope.tenantId)
      .add('t.user_id = ?', scope.personId)
      .add('t.confirmed_at is not null and t.removed_at is null'),
    limit: query.limit as number,
    position: scope.position,
  });
}

/** A factor with the data for checking it. Members that other kinds of factors need are null. */
export interface StoredFactor {
  id: string;
  kind: ProofKind;
  /** True until the factor is confirmed. */
  is_pending: boolean;
  secret_sealed: string | null;
  challenge: string | null;
  credential_id: string | null;
  public_key: string | null;
  counter: string | null;
  transports: string[] | null;
  code_hashes: string[] | null;
}

/** Reads the factors of a person, including those that are not confirmed yet. */
export function readFactors(db: Database, person: RecordRef): Promise<StoredFactor[]> {
  return db.read<StoredFactor>(person.tenant_id, {
    name: 'read-factors',
    text: `select id, kind, confirmed_at is null as is_pending, secret_sealed, challenge, credential_id, public_key, counter, transports,
             code_hashes from user_factors where tenant_id = $1 and user_id = $2 and removed_at is null order by created_at, id`,
    values: [person.tenant_id, person.id],
  });
}

/** After a proof, the session needs no further proof for this time. */
const PROOF_LIFETIME = "interval '10 minutes'";

export interface FactorState {
  has_factor: boolean;
  /** True if a factor was proved in this session within the last ten minutes. */
  is_proved: boolean;
  email: string;
  /** PostgreSQL's current time. */
  now: Date;
}

/** Reads the state from PostgreSQL, because a cached principal may not show a recent proof yet. */
export async function readFactorState(
  db: Database,
  { id: userId, session }: Pick<Principal, 'id' | 'session'>,
): Promise<FactorState> {
  const tenantId = session?.tenantId as string;
  const [row] = await db.read<FactorState>(tenantId, {
    name: 'read-factor-state',
    text: `select ${ownsFactorSql({ tenantId: 'u.tenant_id', userId: 'u.id' })} as has_factor, u.email, now() as now,
             coalesce(s.factor_proved_at > now() - ${PROOF_LIFETIME}, false) as is_proved
           from users u join sessions s on s.tenant_id = u.tenant_id and s.user_id = u.id
           where u.tenant_id = $1 and u.id = $2 and s.id = $3`,
    values: [tenantId, userId, session?.id],
  });
  if (!row) throw new Error(`the session ${session?.id} or its person is gone`);
  return row;
}
