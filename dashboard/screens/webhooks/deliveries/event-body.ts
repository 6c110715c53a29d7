import { useQuery } from '@tanstack/react-query';
import { client } from '../../../api/client';
import { Problem } from '../../../api/problem';
import type { Delivery } from './delivery-columns';

/** The body of a delivery, or the reason why the page cannot show it. */
export type EventBody = { text: string } | { reason: string };

const LOADING: EventBody = { reason: 'The body is being read.' };

/**
 * Reads the body that all attempts of a delivery sent. Reads it as text and not as JSON, because a
 * signature covers the exact bytes.
 */
export function useEventBody({ id }: Delivery): EventBody {
  const { data } = useQuery({
    queryKey: ['delivery body', id],
    queryFn: () => readBody(id),
    staleTime: 'static',
  });
  return data ?? LOADING;
}

async function readBody(id: string): Promise<EventBody> {
  try {
    const params = { path: { id } };
    const { data } = await client.GET('/webhook-deliveries/{id}/body', { params, parseAs: 'text' });
    return { text: data ?? '' };
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return { reason: 'The event is no longer kept.' };
    return { reason: error instanceof Error ? error.message : 'The body could not be read.' };
  }
}
