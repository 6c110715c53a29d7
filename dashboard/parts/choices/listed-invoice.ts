import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client';

/**
 * Returns the number and the customer of an invoice, for the rows of other lists. One request reads
 * the newest 100 invoices. Each older invoice needs a request of its own. The invoices are not read
 * again after changes of the account, because a list may contain 50 old invoices.
 */
export function useListedInvoice(id: string | null) {
  const newest = useQuery({
    queryKey: ['invoices of rows'],
    queryFn: async () => {
      const { data } = await client.GET('/invoices', { params: { query: { limit: 100 } } });
      return data?.data.items ?? [];
    },
    staleTime: 'static',
  });
  const listed = newest.data?.find((invoice) => invoice.id === id);
  const single = useQuery({
    queryKey: ['invoices of rows', id],
    queryFn: async () => {
      const { data } = await client.GET('/invoices/{id}', { params: { path: { id: id ?? '' } } });
      return data ?? null;
    },
    staleTime: 'static',
    enabled: id !== null && newest.isSuccess && !listed,
  });
  return listed ?? single.data ?? undefined;
}
