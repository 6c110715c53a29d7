import type { Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { promptAfterCommit } from '../../queues/prompts-at-commit.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { insertOperations } from '../../sync/operation-rows.js';

/*
 * The rows of pay links are written here and not in the folder `pay-links`, to avoid an import
 * cycle. `pay-links` imports `invoices`, because a pay link is for an invoice's balance. `invoices`
 * imports this folder, because a changed invoice closes its pay link.
 */

/** The kind of the outbound operations that open and close pay links. */
export const PAY_LINK_KIND = 'pay_link';

export interface NewPayLink extends RecordRef {
  invoice_id: string;
  /** Null if the sandbox pretends the payment. */
  connection_id: string | null;
  amount_cents: number;
  return_path: string | null;
  /**
   * The address of a page that is already open. `expires_at` is the time, in RFC 3339, at which the
   * page stops working.
   */
  url?: string;
  expires_at?: string;
}

/**
 * The columns of an invoice that decide whether its pay link may stay open. `pay_link_id` is the id
 * of the newest link, which may already be closed.
 */
export interface LinkedInvoice extends RecordRef {
  pay_link_id?: string | null;
  status: string;
  total_cents: number;
  paid_cents: number;
}

const NEW_COLUMNS =
  'tenant_id uuid, id uuid, invoice_id uuid, connection_id uuid, amount_cents bigint, return_path text, url text, expires_at timestamptz';
const NEW_NAMES = 'tenant_id, id, invoice_id, connection_id, amount_cents, return_path, url, expires_at';

/**
 * Stores pay links, and closes the links that they replace. The caller has locked the invoices, and
 * must store the id of the new link in each invoice.
 */
export async function insertPayLinks(
  tx: Transaction,
  links: readonly NewPayLink[],
  replaced: readonly RecordRef[],
): Promise<void> {
  if (links.length === 0) return;
  await closePayLinks(tx, replaced);
  const insert = tx.query({
    name: 'insert-pay-links',
    text: `insert into pay_links (${NEW_NAMES}, status) select ${NEW_NAMES}, case when url is null then 'opening' else 'open' end from ${recordsetSql(NEW_COLUMNS)}`,
    values: [JSON.stringify(links)],
  });
  const opening = insertOperations(
    tx,
    links.flatMap(({ tenant_id, id: local_id, connection_id }) =>
      connection_id === null
        ? []
        : [{ tenant_id, connection_id, kind: PAY_LINK_KIND, local_id, verb: 'open', is_creation: true }],
    ),
  );
  await Promise.all([insert, opening]);
}

/** The statuses of invoices on which no customer may pay. */
const UNPAYABLE: readonly string[] = ['draft', 'needs_review', 'paid', 'void', 'cancelled'];

/**
 * Closes the pay links of invoices that are no longer payable, or that owe less than the link's
 * amount. After the commit, the worker of their connections closes the pages at the vendor.
 */
export async function closeOutdatedPayLinks(
  tx: Transaction,
  invoices: readonly LinkedInvoice[],
): Promise<void> {
  const linked = invoices.filter(({ pay_link_id: id }) => id != null);
  if (linked.length === 0) return;
  const outdated = await tx.query<RecordRef>({
    name: 'find-outdated-pay-links',
    text: `select l.tenant_id, l.id from ${recordsetSql('tenant_id uuid, pay_link_id uuid, payable_cents bigint')}
           join pay_links l on l.tenant_id = r.tenant_id and l.id = r.pay_link_id where l.amount_cents > r.payable_cents`,
    values: [
      JSON.stringify(
        linked.map(({ tenant_id, pay_link_id, status, total_cents, paid_cents }) => ({
          tenant_id,
          pay_link_id,
          payable_cents: UNPAYABLE.includes(status) ? 0 : total_cents - paid_cents,
        })),
      ),
    ],
  });
  await closePayLinks(tx, outdated);
}

/** Closes pay links that are opening or open, and lets the worker close their pages at once. */
async function closePayLinks(tx: Transaction, links: readonly RecordRef[]): Promise<void> {
  if (links.length === 0) return;
  const closed = await tx.query<RecordRef & { connection_id: string | null }>({
    name: 'close-pay-links',
    text: `update pay_links l set status = 'closed', updated_at = ${nextUpdatedAtSql('l')}
           from ${recordsetSql('tenant_id uuid, id uuid')}
           where l.tenant_id = r.tenant_id and l.id = r.id and l.status in ('opening', 'open')
           returning l.tenant_id, l.id, l.connection_id`,
    values: [JSON.stringify(links)],
  });
  promptAfterCommit(
    tx,
    closed.flatMap(({ tenant_id: tenantId, connection_id: id }) =>
      id === null ? [] : [{ queue: INTEGRATIONS_QUEUE, tenantId, id }],
    ),
  );
  await insertOperations(
    tx,
    closed.flatMap(({ tenant_id, id: local_id, connection_id }) =>
      connection_id === null
        ? []
        : [{ tenant_id, connection_id, kind: PAY_LINK_KIND, local_id, verb: 'close', is_creation: false }],
    ),
  );
}

/** The vendor's response about the page of a pay link. */
export interface PayLinkResult extends RecordRef {
  status: 'open' | 'paid' | 'closed' | 'failed';
  url?: string | null;
  expires_at?: string | null;
  error?: string | null;
}

/**
 * Stores the vendor's responses about pay links. A closed link stays closed, even if the vendor
 * reports it as open. Such a report answers an earlier request to open the page.
 */
export async function storePayLinkResults(tx: Transaction, results: readonly PayLinkResult[]): Promise<void> {
  if (results.length === 0) return;
  await tx.query({
    name: 'store-pay-link-results',
    text: `update pay_links l set updated_at = ${nextUpdatedAtSql('l')},
             status = case when l.status in ('opening', 'open') or r.status = 'paid' then r.status else l.status end,
             url = coalesce(r.url, l.url), expires_at = coalesce(r.expires_at, l.expires_at), error = coalesce(r.error, l.error)
           from ${recordsetSql('tenant_id uuid, id uuid, status text, url text, expires_at timestamptz, error text')}
           where l.tenant_id = r.tenant_id and l.id = r.id`,
    values: [JSON.stringify(results)],
  });
}
