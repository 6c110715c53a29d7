import Joi from 'joi';
import type { JsonMember } from '../../contracts/resource.js';
import { allRequired, oneOrMore, uuid } from '../../contracts/schemas/fields.js';
import type { Database } from '../../platform/postgres/database.js';
import type { Field } from '../fields/field.js';
import type { RecordRef } from '../record-refs.js';

/** The value of `expand` with which a response names the vendors' ids of a record. */
export const EXTERNAL_IDS = 'external_ids';

/** The kinds of external ids that a record can have, by its entity type. */
const KINDS = {
  invoice: ['invoice'],
  customer: ['customer'],
  // Payments vendors know the payment that they took, books the payment that was entered there.
  payment: ['payment', 'booked_payment'],
} as const;

export type ExternalEntity = keyof typeof KINDS;

/** A vendor's id of a record. */
export const externalId = allRequired({
  connection_id: uuid(),
  vendor: Joi.string().example('quickbooks'),
  id: Joi.string().example('145').description('The id at the vendor'),
  url: Joi.string().allow(null).description("The record's page at the vendor, if it is known"),
}).meta({ className: 'ExternalId' });

/** The member `external_ids` of a record, for schemas. */
export const externalIds = () =>
  Joi.array()
    .items(externalId)
    .description(
      'The ids of the record at connected vendors, also disconnected ones. Only with expand=external_ids',
    );

export const externalIdQuery = Joi.object({
  expand: oneOrMore([EXTERNAL_IDS]).description('external_ids adds the ids of the record at vendors'),
}).meta({ className: 'ExternalIdQuery' });

/** The query of a single record. Accepts the words of lists too, which change nothing here. */
export const recordQuery = Joi.object({
  expand: oneOrMore([EXTERNAL_IDS, 'line_items', 'names']).description(
    'external_ids adds the ids of the record at vendors. Other words of lists change nothing here',
  ),
}).meta({ className: 'RecordQuery' });

/** Returns SQL for the array of a record's external ids. */
function buildArray(entity: ExternalEntity, { tenant, id }: { tenant: string; id: string }): string {
  const kinds = KINDS[entity].map((kind) => `'${kind}'`).join(', ');
  return `coalesce((select json_agg(json_build_object('connection_id', c.id, 'vendor', c.vendor, 'id', x.external_id, 'url', x.url)
    order by c.created_at, c.id)
    from connections c join external_ids x on x.tenant_id = c.tenant_id and x.connection_id = c.id and x.kind in (${kinds})
      and x.local_id = ${id}
    where c.tenant_id = ${tenant}), '[]'::json)`;
}

/** Returns the member for lists whose rows have this alias. */
export function externalIdsMember(entity: ExternalEntity, alias: string): JsonMember {
  return { name: EXTERNAL_IDS, sql: buildArray(entity, { tenant: `${alias}.tenant_id`, id: `${alias}.id` }) };
}

/**
 * The column `external_ids` of CSV files, as JSON; empty for a record that no vendor knows. The
 * representation of the record has no such member, because it costs a search.
 */
export const externalIdsColumn = (entity: ExternalEntity): Field => ({
  output: null,
  columns: null,
  csv: [
    {
      name: EXTERNAL_IDS,
      kind: 'plain',
      sql: (alias) =>
        `nullif(${buildArray(entity, { tenant: `${alias}.tenant_id`, id: `${alias}.id` })}::text, '[]')`,
    },
  ],
  isLastInCsv: true,
});

/** Reads the external ids of one record, as JSON text. */
export async function readExternalIds(
  db: Database,
  entity: ExternalEntity,
  { tenant_id, id }: RecordRef,
): Promise<string> {
  const [row] = await db.read<{ ids: string }>(tenant_id, {
    name: `read-external-ids-of-${entity}`,
    text: `select ${buildArray(entity, { tenant: '$1::uuid', id: '$2::uuid' })}::text as ids`,
    values: [tenant_id, id],
  });
  return (row as { ids: string }).ids;
}
