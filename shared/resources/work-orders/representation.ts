import {
  type JsonMember,
  jsonObjectWithoutNulls,
  jsonShortText,
  jsonTime,
} from '../../contracts/resource.js';
import { shortCustomerName } from '../customers/representation.js';
import { workOrderFields } from './fields.js';

/** A work order as agents see it: `new` until accepted, so `pending` means accepted. */
export function agentWorkOrderMembers(alias: string): JsonMember[] {
  return workOrderFields.members(alias).map((member) => (member === 'status' ? agentStatus(alias) : member));
}

function agentStatus(alias: string): { name: string; sql: string } {
  const isNew = `${alias}.status = 'pending' and ${alias}.intake = 'new'`;
  return { name: 'status', sql: `case when ${isNew} then 'new' else ${alias}.status end` };
}

/** A work order in an agent's list: enough to choose one. get_work_order has every member. */
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
