import { client, ifMatch } from '../../../api/client';
import type { Problem } from '../../../api/problem';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import type { Endpoint } from '../choices/endpoint-names';

/**
 * Changes an endpoint. If a newer version than the shown version exists, the API refuses the
 * change.
 */
export function useEndpointPatch(endpoint: Endpoint, done: string, onProblem?: (problem: Problem) => void) {
  return useWrite(
    (headers, body: Schemas['WebhookEndpointPatch']) =>
      client.PATCH('/webhook-endpoints/{id}', {
        params: { path: { id: endpoint.id }, header: { ...headers, ...ifMatch(endpoint) } },
        body,
      }),
    { done, ...(onProblem ? { onProblem } : {}) },
  );
}
