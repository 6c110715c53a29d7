import { api } from '../../api/client';

/** A record that the palette found. */
export interface FoundRecord {
  screen: string;
  id: string;
  label: string;
  hint: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LIMIT = 5;

/**
 * Finds records by number, name or id. Looks up an id in each kind of record that has a drawer.
 * Searches for any other text on the server.
 * @param text finds nothing if it has fewer than two characters
 */
export function useFoundRecords(text: string): { found: FoundRecord[]; isSearching: boolean } {
  const isId = UUID.test(text);
  const byText = { enabled: !isId && text.length > 1 };
  const byId = { enabled: isId, retry: false };
  const query = { params: { query: { search: text, limit: LIMIT } } };
  const path = { params: { path: { id: text } } };
  const invoices = api.useQuery('get', '/invoices', query, byText);
  const workOrders = api.useQuery('get', '/work-orders', query, byText);
  const customers = api.useQuery('get', '/customers', query, byText);
  const invoice = api.useQuery('get', '/invoices/{id}', path, byId);
  const workOrder = api.useQuery('get', '/work-orders/{id}', path, byId);
  const customer = api.useQuery('get', '/customers/{id}', path, byId);
  const approval = api.useQuery('get', '/approvals/{id}', path, byId);
  const delivery = api.useQuery('get', '/webhook-deliveries/{id}', path, byId);
  const found = [
    ...both(invoices.data, invoice.data).map((one) => ({
      screen: 'invoices',
      id: one.id,
      label: `Invoice ${one.invoice_number}`,
      hint: one.status,
    })),
    ...both(workOrders.data, workOrder.data).map((one) => ({
      screen: 'work-orders',
      id: one.id,
      label: `Work order ${one.job_number}`,
      hint: one.status,
    })),
    ...both(customers.data, customer.data).map((one) => ({
      screen: 'customers',
      id: one.id,
      label: one.company_name,
      hint: 'Customer',
    })),
    ...(approval.data
      ? [{ screen: 'approvals', id: approval.data.id, label: 'Approval', hint: approval.data.status }]
      : []),
    ...(delivery.data
      ? [{ screen: 'webhooks', id: delivery.data.endpoint_id, label: 'Endpoint of the delivery', hint: text }]
      : []),
  ];
  const readings = [invoices, workOrders, customers, invoice, workOrder, customer, approval, delivery];
  return { found, isSearching: readings.some(({ isFetching }) => isFetching) };
}

function both<Row, One>(list: { data: { items: Row[] } } | undefined, one: One | undefined): (Row | One)[] {
  return [...(one ? [one] : []), ...(list?.data.items ?? [])];
}
