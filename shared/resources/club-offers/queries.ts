import type { ClubOfferListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { clubOfferFields } from './fields.js';

/** Lists the account's offers. A club sees its own alone. */
export function listClubOffers(query: ClubOfferListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'club_offers',
    representation: clubOfferFields.representation('t'),
    conditions: new Conditions()
      .add('t.tenant_id = ?', scope.tenantId)
      .addIf(scope.clubId, 't.club_id = ?')
      .addEqual(query, 'status', 'reference', 'work_order_id'),
    limit: query.limit,
    position: scope.position,
  });
}
