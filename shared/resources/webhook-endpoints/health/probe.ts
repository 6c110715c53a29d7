import { insertSyntheticDeliveries } from '../../../deliveries/insert-deliveries.js';
import { newId } from '../../../platform/ids.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import type { RecordRef } from '../../../records/record-refs.js';
import { buildSyntheticEventBody } from '../../events/envelope.js';

interface ProbedEndpoint extends RecordRef {
  url: string;
  environment: 'live' | 'sandbox';
}

const PROBE_TYPE = 'endpoint.probe';

/**
 * Inserts a probe for each endpoint: a delivery without an event. With a probe, an endpoint that
 * was disabled for failing can show that it works again.
 *
 * The worker sends each probe only once, and sends it although the endpoint is disabled. The body
 * has the same form as an event, so the receiver can verify the probe as usual.
 */
export async function insertProbes(tx: Transaction, endpoints: readonly ProbedEndpoint[]): Promise<void> {
  const at = new Date();
  const probes = endpoints.map(({ tenant_id, id: endpoint_id, url, environment }) => {
    const event_id = newId();
    const data = { object: { id: endpoint_id, url } };
    const body = buildSyntheticEventBody({
      eventId: event_id,
      type: PROBE_TYPE,
      at,
      tenantId: tenant_id,
      environment,
      data,
    });
    return { tenant_id, id: newId(), endpoint_id, event_id, event_type: PROBE_TYPE, body };
  });
  await insertSyntheticDeliveries(tx, 'probe', probes);
}
