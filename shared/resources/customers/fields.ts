import Joi from 'joi';
import { cents, email, integer, slug, strictBoolean, text, uuid } from '../../contracts/schemas/fields.js';
import { COMPANY_TYPES } from '../../contracts/vocabulary.js';
import { externalIdsColumn } from '../../records/expansions/external-ids.js';
import {
  optionalMultilineText,
  optionalReference,
  optionalText,
  recordId,
  time,
} from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { autopayField } from '../autopay/autopay-field.js';
import { rateCardTable } from '../rate-cards/table.js';
import { coverageField } from './coverage-field.js';

/**
 * Returns SQL for the open amount of a customer's released invoices that match `condition`. The
 * list of statuses must match the index invoices_owed.
 */
function owedSql(alias: string, condition: string): string {
  return `(select coalesce(sum(i.balance_due_cents), 0)::bigint from invoices i where i.tenant_id = ${alias}.tenant_id and i.customer_id = ${alias}.id
    and i.status in ('sending', 'sent_to_roadsync', 'viewed', 'partially_paid', 'overdue', 'disputed', 'failed') and ${condition})`;
}

/**
 * Returns SQL for the part of a customer's payments that is neither applied to invoices nor
 * refunded.
 */
function creditSql(alias: string): string {
  return `(select coalesce(sum(p.amount_cents - p.applied_cents - p.refunded_cents), 0)::bigint from payments p
    where p.tenant_id = ${alias}.tenant_id and p.customer_id = ${alias}.id and p.status = 'succeeded'
      and p.amount_cents > p.applied_cents + p.refunded_cents)`;
}

const companyName = () => text(200).example('Hudson Auto Club');

const cardId = () =>
  uuid()
    .allow(null)
    .description(
      "Any version of a rate card; the version in force prices this customer's work orders. null: the default",
    )
    .example(null);

const BILLED_THROUGH =
  'The motor-club connection through which the customer is billed. Its invoices become claims and are not mailed. Needs the permission approve';

export const customerFields = defineFields({
  id: recordId(),
  company_name: { input: companyName(), isRequired: true, columns: 'text', freeText: true },
  company_type: { input: slug(COMPANY_TYPES), columns: 'text', csv: 'plain' },
  billing_email: { input: email().allow(null), columns: 'text' },
  primary_phone: optionalText(32, { input: text(32).allow(null).example('+1 212 555 0100'), freeText: true }),
  address: optionalMultilineText(500, { freeText: true }),
  city: optionalText(120, { freeText: true }),
  state: optionalText(50, { freeText: true }),
  zip: optionalText(20, { freeText: true }),
  is_active: { input: strictBoolean(), setBy: 'change', output: Joi.boolean(), columns: 'boolean' },
  terms_days: {
    input: integer(0, 365).allow(null).description("Payment terms; null: the account's"),
    output: Joi.number().integer().allow(null).example(30),
    columns: 'integer',
  },
  tax_exempt: { input: strictBoolean(), output: Joi.boolean(), columns: 'boolean' },
  tax_rate_bps: {
    input: integer(0, 10_000).allow(null).description("Tax in basis points; null: the account's"),
    output: Joi.number().integer().allow(null).example(825),
    columns: 'integer',
  },
  rate_card_id: optionalReference(rateCardTable, { input: cardId(), output: cardId() }),
  balance_cents: {
    output: cents().description('Open amount of released invoices'),
    sql: (alias) => owedSql(alias, 'true'),
    columns: null,
    isComputedOnRead: true,
  },
  overdue_cents: {
    output: cents().example(0).description('The overdue part of balance_cents'),
    sql: (alias) => owedSql(alias, "i.status = 'overdue'"),
    columns: null,
    isComputedOnRead: true,
  },
  credit_cents: {
    output: cents().example(0).description('Overpaid and not refunded'),
    sql: creditSql,
    columns: null,
    isComputedOnRead: true,
  },
  created_at: time(),
  updated_at: time(),
  autopay: {
    ...autopayField(
      'Charges invoices to a saved payment method when they are sent or due. Needs the permission approve',
    ),
    setBy: 'change',
  },
  billing_connection_id: {
    input: uuid().allow(null).description(BILLED_THROUGH),
    setBy: 'change',
    output: uuid().allow(null).description(BILLED_THROUGH).example(null, { override: true }),
    columns: 'uuid',
  },
  coverage: coverageField,
  external_ids: externalIdsColumn('customer'),
});
