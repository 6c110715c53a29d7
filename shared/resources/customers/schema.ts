import Joi from 'joi';
import { cursor, limit, slug, sort, text } from '../../contracts/schemas/fields.js';
import { COMPANY_TYPES } from '../../contracts/vocabulary.js';
import { externalIdQuery, externalIds } from '../../records/expansions/external-ids.js';
import { autopayTime } from '../autopay/enums.js';
import { customerFields } from './fields.js';

export { autopayTime };

export const customerCreate = Joi.object(customerFields.creation).meta({ className: 'CustomerCreate' });

export const customerPatch = Joi.object(customerFields.change).meta({ className: 'CustomerPatch' });

export const customer = customerFields.response
  .keys({ external_ids: externalIds() })
  .meta({ className: 'Customer' });

/**
 * A customer in a list for agents. Short pages contain whole customers. Longer pages omit null
 * members, and may omit the members below.
 */
export const agentCustomerListItem = customerFields.response
  .fork(
    [
      'address',
      'zip',
      'terms_days',
      'tax_exempt',
      'tax_rate_bps',
      'rate_card_id',
      'credit_cents',
      'billing_email',
      'primary_phone',
      'city',
      'state',
      'created_at',
      'updated_at',
      'autopay',
      'billing_connection_id',
      'coverage',
    ],
    (member) => member.optional(),
  )
  .meta({ className: 'AgentCustomerListItem' });

export const customerListQuery = Joi.object({
  search: text(100).description('Part of company_name or billing_email'),
  company_type: slug(COMPANY_TYPES),
  is_active: Joi.boolean(),
  expand: externalIdQuery.extract('expand'),
  sort: sort(['name']).description(
    'name is by company_name from A to Z, ignoring case; created_at is oldest first. A - reverses. Default: -created_at',
  ),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'CustomerListQuery' });
