import { client } from '../../api/client';
import { Problem } from '../../api/problem';
import type { Search } from '../../parts/url/use-url';

/** A record that the palette found. */
export interface FoundRecord {
  screen: string;
  /** The id in the path of the record. Undefined if `search` names the record. */
  id?: string | undefined;
  search?: Search;
  label: string;
  hint?: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isId(text: string): boolean {
  return UUID.test(text);
}

/**
 * Finds the record with an id. An id does not name its kind, so this asks for every kind of record
 * that the dashboard can show, and for the request with this id.
 */
export async function findById(id: string): Promise<FoundRecord[]> {
  const init = { params: { path: { id } } };
  const found = await Promise.all([
    find(client.GET('/invoices/{id}', init), (one) => ({
      screen: 'invoices',
      label: `Invoice ${one.invoice_number}`,
      hint: one.status,
    })),
    find(client.GET('/work-orders/{id}', init), (one) => ({
      screen: 'work-orders',
      label: `Work order ${one.job_number}`,
      hint: one.status,
    })),
    find(client.GET('/customers/{id}', init), (one) => ({
      screen: 'customers',
      label: one.company_name,
      hint: 'Customer',
    })),
    find(client.GET('/payments/{id}', init), (one) => ({
      screen: 'invoices',
      id: one.invoice_id,
      search: { tab: 'payments' },
      label: 'Invoice of the payment',
    })),
    find(client.GET('/claims/{id}', init), (one) => ({
      screen: 'invoices',
      id: one.invoice_id,
      search: { tab: 'claims' },
      label: `Invoice of the claim on ${one.club}`,
      hint: one.status,
    })),
    find(client.GET('/remittances/{id}', init), (one) => ({
      screen: 'remittances',
      label: `Remittance ${one.reference}`,
      hint: one.status,
    })),
    find(client.GET('/approvals/{id}', init), (one) => ({
      screen: 'approvals',
      label: 'Approval',
      hint: one.status,
    })),
    find(client.GET('/suggestions/{id}', init), (one) => ({
      screen: 'suggestions',
      label: `Suggestion: ${one.title}`,
      hint: one.status,
    })),
    find(client.GET('/webhook-endpoints/{id}', init), (one) => ({
      screen: 'webhooks',
      label: `Endpoint ${one.url}`,
    })),
    find(client.GET('/webhook-deliveries/{id}', init), (one) => ({
      screen: 'webhooks',
      id: undefined,
      search: { view: 'deliveries', delivery: id },
      label: `Delivery of ${one.event_type}`,
      hint: one.status,
    })),
    find(client.GET('/events/{id}', init), (one) => ({
      screen: 'webhooks',
      id: undefined,
      search: { view: 'deliveries', event_id: id },
      label: `Deliveries of the event ${one.type}`,
    })),
    find(client.GET('/exports/{id}', init), (one) => ({
      screen: 'exports',
      label: `Export of ${one.resource}`,
      hint: one.status,
    })),
    find(client.GET('/connections/{id}', init), (one) => ({
      screen: 'integrations',
      label: `Connection ${one.label}`,
      hint: one.status,
    })),
    find(client.GET('/audit-log/{id}', init), (one) => ({
      screen: 'audit-log',
      label: `Audit entry: ${one.action}`,
    })),
    findRequest(id),
  ]);
  return found.filter((one) => one !== undefined);
}

/** Leads to the audit entries of a request, by the id that its response had. */
async function findRequest(id: string): Promise<FoundRecord | undefined> {
  const query = { request_id: id, limit: 1 };
  const data = await readIfAllowed(client.GET('/audit-log', { params: { query } }));
  if (!data?.data.items.length) return undefined;
  return { screen: 'audit-log', search: { request_id: id }, label: 'Audit entries of the request' };
}

/** Describes a record that is read by its id. */
async function find<One extends { id: string }>(
  reading: Promise<{ data?: One }>,
  describe: (one: One) => Omit<FoundRecord, 'id'> & { id?: string | undefined },
): Promise<FoundRecord | undefined> {
  const one = await readIfAllowed(reading);
  return one && { id: one.id, ...describe(one) };
}

/** Returns undefined if there is no such record, or if the person may not read it. */
async function readIfAllowed<Read>(reading: Promise<{ data?: Read }>): Promise<Read | undefined> {
  try {
    return (await reading).data;
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 403)) return undefined;
    throw error;
  }
}
