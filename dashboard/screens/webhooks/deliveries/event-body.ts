import { useQuery } from '@tanstack/react-query';
import { client } from '../../../api/client';
import { Problem } from '../../../api/problem';
import type { Delivery } from './delivery-columns';

/** What is known of the body that a delivery sent: its text, or why it cannot be shown. */
export type EventBody = { text: string } | { reason: string };

const MADE_UP: EventBody = {
  reason: 'The event was made up for this delivery, and the API does not keep made-up events for reading.',
};
const LOADING: EventBody = { reason: 'The body is being read.' };

/**
 * Reads the body that all attempts of a delivery sent. It is taken as the text of the response,
 * because a signature belongs to exact bytes.
 */
export function useEventBody({ event_id: id, trigger }: Delivery): EventBody {
  const isMadeUp = trigger === 'test' || trigger === 'probe';
  const { data } = useQuery({
    queryKey: ['event body', id],
    queryFn: () => readBody(id),
    enabled: !isMadeUp,
    staleTime: 'static',
  });
  return isMadeUp ? MADE_UP : (data ?? LOADING);
}

async function readBody(id: string): Promise<EventBody> {
  try {
    const { data } = await client.GET('/events/{id}', { params: { path: { id } }, parseAs: 'text' });
    return { text: data ?? '' };
  } catch (error) {
    // A replay of a made-up event has no event either.
    if (error instanceof Problem && error.status === 404) return MADE_UP;
    return { reason: error instanceof Error ? error.message : 'The body could not be read.' };
  }
}
