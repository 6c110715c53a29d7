import {
  type JsonMember,
  jsonObjectWithoutNulls,
  jsonShortText,
  jsonTime,
} from '../../contracts/resource.js';
import { shortCustomerName } from '../customers/representation.js';
import { workOrderFields } from './fields.js';

/** Agents see `new` until the work order is accepted, so for them `pending` means accepted. */
export function agentWorkOrderMembers(alias: string): JsonMember[] {
  return workOrderFields.members(alias).map((member) => (member === 'status' ? agentStatus(alias) : member));
}

function agentStatus(alias: string): { name: string; sql: string } {
  const isNew = `${alias}.status = 'pending' and ${alias}.intake = 'new'`;
  return { name: 'status', sql: `case when ${isNew} then 'new' else ${alias}.status end` };
}

/** Agents choose a work order by these members. The tool get_work_order shows every member. */
export function agentWorkOrderListRepresentation(alias: string): string {
  return jsonObjectWithoutNulls(alias, [
    'id',
    'job_number',
    agentStatus(alias),
    'billing_status',
    'service_type',
    shortCustomerName(alias),
    jsonShortText(alias, 'pickup_location'),
    jsonTime(alias, 'created_at'),
  ]);
}
