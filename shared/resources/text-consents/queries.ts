import type { TextConsentListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { textConsentFields } from './fields.js';
import { toPhoneKey } from './phone-key.js';

export function listTextConsents({ number, ...query }: TextConsentListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions().add('t.tenant_id = ?', scope.tenantId).addEqual(query, 'state');
  if (number !== undefined) conditions.add('t.phone_key = ?', toPhoneKey(number));
  return buildListQuery({
    table: 'text_consents',
    representation: textConsentFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
