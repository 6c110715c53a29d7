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

/**
 * The facts that a payments vendor needs to open the page of a payment method, or to remove the
 * method.
 */
export interface SetupFacts {
  status: string;
  /** The vendor's id of the customer, from the customer's oldest payment method that has it. */
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

/** A payment method that a sandbox pretends. */
export interface PretendSavedMethod {
  status: string;
  type: string | null;
  last4: string | null;
  /** The bank debits that are still processing, oldest first. */
  debits: { attempt_id: string; invoice_id: string; invoice_number: string; amount_cents: number }[];
}

/** Maximum number of debits that the page of a pretend payment method shows. */
const MAX_DEBITS = 20;

export async function readPretendMethod(
  db: Database,
  { tenantId, methodId }: { tenantId: string; methodId: string },
): Promise<PretendSavedMethod | undefined> {
  const [row] = await db.read<PretendSavedMethod>(tenantId, {
    name: 'read-pretend-method',
    text: `select ${buildStatusSql('m')} as status, m.type, m.last4, coalesce((select json_agg(f) from (
             select a.id as attempt_id, a.invoice_id, i.invoice_number, a.amount_cents from autopay_attempts a
             join invoices i on i.tenant_id = a.tenant_id and i.id = a.invoice_id
             where a.tenant_id = m.tenant_id and a.payment_method_id = m.id and a.status = 'processing'
             order by a.id limit ${MAX_DEBITS}) f), '[]') as debits
           from saved_methods m join tenants t on t.tenant_id = m.tenant_id and t.environment = 'sandbox'
           where m.tenant_id = $1 and m.id = $2 and m.connection_id is null`,
    values: [tenantId, methodId],
  });
  return row;
}
