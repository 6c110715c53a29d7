import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client';
import { type FoundRecord, findById, isId } from './find-by-id';

const LIMIT = 5;

/**
 * Finds records by number, name or id. Searches for any text that is no id on the server.
 * @param text finds nothing if it has fewer than two characters
 */
export function useFoundRecords(text: string): {
  found: FoundRecord[];
  isSearching: boolean;
  hasFailed: boolean;
} {
  const byText = { enabled: !isId(text) && text.length > 1 };
  const query = { params: { query: { search: text, limit: LIMIT } } };
  const invoices = api.useQuery('get', '/invoices', query, byText);
  const workOrders = api.useQuery('get', '/work-orders', query, byText);
  const customers = api.useQuery('get', '/customers', query, byText);
  const byId = useQuery({
    queryKey: ['find by id', text],
    queryFn: () => findById(text),
    enabled: isId(text),
    retry: false,
  });
  const found: FoundRecord[] = [
    ...(byId.data ?? []),
    ...(invoices.data?.data.items ?? []).map((one) => ({
      screen: 'invoices',
      id: one.id,
      label: `Invoice ${one.invoice_number}`,
      hint: one.status,
    })),
    ...(workOrders.data?.data.items ?? []).map((one) => ({
      screen: 'work-orders',
      id: one.id,
      label: `Work order ${one.job_number}`,
      hint: one.status,
    })),
    ...(customers.data?.data.items ?? []).map((one) => ({
      screen: 'customers',
      id: one.id,
      label: one.company_name,
      hint: 'Customer',
    })),
  ];
  const readings = [invoices, workOrders, customers, byId];
  return {
    found,
    isSearching: readings.some(({ isFetching }) => isFetching),
    hasFailed: readings.some(({ isError }) => isError),
  };
}
