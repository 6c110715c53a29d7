import Joi from 'joi';
import type { CustomerListQuery } from '../../shared/contracts/generated.js';
import { MAX_WHOLE_ITEMS } from '../../shared/contracts/resource.js';
import { text } from '../../shared/contracts/schemas/fields.js';
import { listAgentCustomers } from '../../shared/resources/customers/queries.js';
import { agentCustomerListItem } from '../../shared/resources/customers/schema.js';
import { formatUsd, quoteText } from '../text/format.js';
import { pageCursor, pageSize } from './fields.js';
import { defineListTool } from './tool.js';

export const listCustomersTool = defineListTool<Pick<CustomerListQuery, 'search' | 'limit' | 'cursor'>>({
  name: 'list_customers',
  title: 'List customers',
  description: `Lists who is billed (motor clubs, insurers, shops, fleets, people), newest first; balance_cents is what each owes, in integer cents. To find one, search for a part of its company name or billing e-mail rather than paging. Its id is the customer_id of jobs and invoices. With a limit of at most ${MAX_WHOLE_ITEMS} customers are whole, with address, terms, tax and credit. cursor is null on the last page.`,
  scope: 'read_customers',
  entityType: 'customer',
  action: 'customer.listed',
  input: Joi.object({
    search: text(100).description('Part of company name or e-mail'),
    limit: pageSize(100),
    cursor: pageCursor(),
  }),
  output: agentCustomerListItem,
  buildQuery: listAgentCustomers,
  summarize: (items) => `${items.filter((item) => item.is_active).length} active`,
  describeItem: ({ id, company_name, is_active, balance_cents }) =>
    `${quoteText(company_name)}, ${is_active ? 'active' : 'inactive'}, owes ${formatUsd(balance_cents)}, customer ${id}`,
});
