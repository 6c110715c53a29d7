/**
 * Returns SQL that is true if a person owns a confirmed factor. Recovery codes do not count,
 * because they only replace a lost factor.
 * @param person SQL expressions of the person's account and id
 */
export function ownsFactorSql(person: { tenantId: string; userId: string }): string {
  return `exists (select from user_factors f where f.tenant_id = ${person.tenantId} and f.user_id = ${person.userId}
    and f.confirmed_at is not null and f.removed_at is null and f.kind <> 'recovery_codes')`;
}

/**
 * Returns SQL that is true if the account requires a factor and the person has none. The query must
 * name the table `n` (tenants).
 */
export function isFactorMissingSql(user: string): string {
  return `(n.require_factor and not ${ownsFactorSql({ tenantId: `${user}.tenant_id`, userId: `${user}.id` })})`;
}
