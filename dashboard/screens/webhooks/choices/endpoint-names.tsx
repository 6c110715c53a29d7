import { api } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { ScreenLink } from '../../../parts/url/links';

export type Endpoint = Schemas['WebhookEndpoint'];

/** More than an account may have, so that one page has them all. */
const ALL = 200;

/**
 * Reads the account's endpoints. Returns undefined until they are read, and for people who may not
 * see them.
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

/** The address of an endpoint, as a link to it unless it is deleted or hidden from the person. */
export function EndpointName({ id }: { id: string }) {
  const endpoints = useEndpoints();
  const endpoint = endpoints?.find((one) => one.id === id);
  if (!endpoint) return <>{`${endpoints ? 'Deleted endpoint' : 'Endpoint'} ${id.slice(-12)}`}</>;
  return <ScreenLink screen={`webhooks/${id}`}>{endpoint.url}</ScreenLink>;
}
