import Joi from 'joi';
import { cursor, limit, text } from '../../shared/contracts/fields.js';
import type { CustomerListQuery } from '../../shared/contracts/generated.js';
import { listCustomers } from '../../shared/resources/customers/queries.js';
import { customer } from '../../shared/resources/customers/schema.js';
import { countBy, defineListTool } from './tool.js';

export const listCustomersTool = defineListTool<Pick<CustomerListQuery, 'search' | 'limit' | 'cursor'>>({
  name: 'list_customers',
  title: 'List customers',
  description:
    'Lists who is billed (motor clubs, insurers, shops, people), newest first, with what each owes in integer cents. `search` matches a part of company name or billing e-mail.',
  scope: 'read_customers',
  entityType: 'customer',
  action: 'customer.listed',
  input: Joi.object({
    search: text(100).description('Part of company name or e-mail'),
    limit: limit(100),
    cursor: cursor(),
  }),
  output: customer,
  statement: listCustomers,
  summary: (items) => countBy(items, 'company_type'),
});
