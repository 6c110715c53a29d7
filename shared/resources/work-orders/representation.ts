import {
  type JsonMember,
  jsonObjectWithoutNulls,
  jsonShortText,
  jsonTime,
} from '../../contracts/resource.js';
import { shortCustomerName } from '../customers/representation.js';
import { workOrderFields } from './fields.js';

/**
 * Returns the members of a work order for agents. Until the work order is accepted, agents see the
 * status `new` instead of `pending`.
 */
export function agentWorkOrderMembers(alias: string): JsonMember[] {
  return workOrderFields.members(alias).map((member) => (member === 'status' ? agentStatus(alias) : member));
}

function agentStatus(alias: string): { name: string; sql: string } {
  const isNew = `${alias}.status = 'pending' and ${alias}.intake = 'new'`;
  return { name: 'status', sql: `case when ${isNew} then 'new' else ${alias}.status end` };
}

/**
 * Returns SQL for a work order in the agents' list, with only the members that help an agent choose
 * a work order. The tool get_work_order shows all members.
 */
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
