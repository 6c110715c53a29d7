import { api } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { ScreenLink } from '../../../parts/url/links';

export type Endpoint = Schemas['WebhookEndpoint'];

/**
 * A page size above an account's maximum number of endpoints, so that one page contains all of
 * them.
 */
const ALL = 200;

/**
 * Reads the account's endpoints. Returns undefined while they are being read, and for people
 * without the right to see them.
 */
export function useEndpoints(): readonly Endpoint[] | undefined {
  const canSee = useCan('admin');
  const { data } = api.useQuery(
    'get',
    '/webhook-endpoints',
    { params: { query: { limit: ALL } } },
    { enabled: canSee },
  );
  return data?.data.items;
}

/**
 * The address of an endpoint. It is a link, unless the endpoint is deleted or hidden from the
 * person.
 */
export function EndpointName({ id }: { id: string }) {
  const endpoints = useEndpoints();
  const endpoint = endpoints?.find((one) => one.id === id);
  if (!endpoint) return <>{`${endpoints ? 'Deleted endpoint' : 'Endpoint'} ${id.slice(-12)}`}</>;
  return <ScreenLink screen={`webhooks/${id}`}>{endpoint.url}</ScreenLink>;
}
