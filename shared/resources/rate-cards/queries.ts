import type { RateCardListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { rateCardFields } from './fields.js';

export function listRateCards(query: RateCardListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions().add('t.tenant_id = ?', scope.tenantId).addEqual(query, 'is_default');
  if (query.in_force_on !== undefined) {
    conditions.add(
      `t.effective_from <= ?::date and not exists (select from rate_cards n where n.tenant_id = t.tenant_id
         and lower(n.name) = lower(t.name) and n.version = t.version + 1 and n.effective_from <= ?::date)`,
      query.in_force_on,
      query.in_force_on,
    );
  }
  return buildListQuery({
    table: 'rate_cards',
    representation: rateCardFields.representation('t'),
    conditions,
    search: { term: query.search, columns: ['name'] },
    limit: query.limit,
    position: scope.position,
  });
}
