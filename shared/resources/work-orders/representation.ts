import {
  type JsonMember,
  jsonObjectWithoutNulls,
  jsonShortText,
  jsonTime,
} from '../../contracts/resource.js';
import { customerName, shortCustomerName } from '../customers/representation.js';
import { workOrderFields } from './fields.js';

/**
 * Returns the members of a work order for agents. Until the work order is accepted, agents see the
 * status `new` instead of `pending`.
 */
export function agentWorkOrderMembers(alias: string): JsonMember[] {
  return workOrderFields.members(alias).map((member) => (member === 'status' ? agentStatus(alias) : member));
}

/** Returns the current names of the records that a work order refers to, as JSON members. */
export function workOrderNames(alias: string): JsonMember[] {
  const ofTenant = (other: string) => `${other}.tenant_id = ${alias}.tenant_id and ${other}.id = ${alias}`;
  return [
    customerName(alias),
    {
      name: 'truck_unit_number',
      sql: `(select k.unit_number from trucks k where ${ofTenant('k')}.truck_id)`,
    },
    { name: 'driver_name', sql: `(select d.name from drivers d where ${ofTenant('d')}.driver_id)` },
  ];
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
