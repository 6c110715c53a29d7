import type { SavedMethodListQuery } from '../../contracts/generated.js';
import type { Database, SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { buildStatusSql, savedMethodFields } from './fields.js';

export function listSavedMethods(query: SavedMethodListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions().add('t.tenant_id = ?', scope.tenantId).addEqual(query, 'customer_id');
  if (query.status) conditions.add(`${buildStatusSql('t')} = ?`, query.status);
  return buildListQuery({
    table: 'saved_methods',
    representation: savedMethodFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}

/** The facts that a payments vendor needs to open the page of a payment method, or to remove it. */
export interface SetupFacts {
  status: string;
  /** The vendor's id of the customer, known from the customer's earlier methods. */
  provider_customer_id: string | null;
  provider_method_id: string | null;
  /** The vendor's id of the page. */
  page_id: string | null;
  customer_email: string | null;
}

export async function readSetupFacts(
  db: Database,
  { tenant_id, id, connection_id }: { tenant_id: string; id: string; connection_id: string },
): Promise<SetupFacts | undefined> {
  const [row] = await db.read<SetupFacts>(tenant_id, {
    name: 'read-setup-facts',
    text: `select m.status, m.provider_method_id, c.billing_email as customer_email, x.external_id as page_id,
             (select o.provider_customer_id from saved_methods o where o.tenant_id = m.tenant_id and o.customer_id = m.customer_id
                and o.connection_id = m.connection_id and o.provider_customer_id is not null order by o.id limit 1) as provider_customer_id
           from saved_methods m join customers c on c.tenant_id = m.tenant_id and c.id = m.customer_id
           left join external_ids x on x.tenant_id = m.tenant_id and x.connection_id = m.connection_id
             and x.kind = 'saved_method' and x.local_id = m.id
           where m.tenant_id = $1 and m.id = $2 and m.connection_id = $3`,
    values: [tenant_id, id, connection_id],
  });
  return row;
}
