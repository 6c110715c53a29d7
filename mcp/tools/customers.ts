import Joi from 'joi';
import { text } from '../../shared/contracts/fields.js';
import type { CustomerListQuery } from '../../shared/contracts/generated.js';
import { listCustomers } from '../../shared/resources/customers/queries.js';
import { customer } from '../../shared/resources/customers/schema.js';
import { pageCursor, pageSize } from './fields.js';
import { defineListTool, dollars } from './tool.js';

export const listCustomersTool = defineListTool<Pick<CustomerListQuery, 'search' | 'limit' | 'cursor'>>({
  name: 'list_customers',
  title: 'List customers',
  description:
    'Lists who is billed (motor clubs, insurers, shops, fleets, people), newest first; balance_cents is what each owes, in integer cents. To find one, search for a part of its company name or billing e-mail rather than paging. Its id is the customer_id of jobs and invoices. cursor is null on the last page.',
  scope: 'read_customers',
  entityType: 'customer',
  action: 'customer.listed',
  input: Joi.object({
    search: text(100).description('Part of company name or e-mail'),
    limit: pageSize(100),
    cursor: pageCursor(),
  }),
  output: customer,
  statement: listCustomers,
  summary: (items) => `${items.filter((item) => item.is_active).length} active`,
  line: ({ id, is_active, balance_cents }) =>
    `customer ${id}: ${is_active ? 'active' : 'inactive'}, owes ${dollars(balance_cents)}`,
});
