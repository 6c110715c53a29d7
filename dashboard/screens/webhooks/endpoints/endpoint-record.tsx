import { api } from '../../../api/client';
import { RecordDrawer } from '../../../parts/record/record-drawer';
import { RecordTabs } from '../../../parts/record/record-tabs';
import { StatusBadge } from '../../../parts/record/status-badge';
import { useUrlSearch } from '../../../parts/url/use-url';
import { EndpointActions } from './endpoint-actions';
import { EndpointDeliveries } from './endpoint-deliveries';
import { EndpointOverview } from './endpoint-overview';
import { EndpointSettings } from './endpoint-settings';

/** The page polls, because each delivery changes the endpoint's health. */
const REFRESH_MS = 15_000;

/** One endpoint. If the URL names a delivery or a replay, shows that delivery or replay instead. */
export function EndpointRecord({ id }: { id: string }) {
  const { delivery, replay } = useUrlSearch();
  return delivery || replay ? null : <EndpointDrawer id={id} />;
}

function EndpointDrawer({ id }: { id: string }) {
  const reading = api.useQuery(
    'get',
    '/webhook-endpoints/{id}',
    { params: { path: { id } } },
    { refetchInterval: REFRESH_MS },
  );
  return (
    <RecordDrawer
      reading={reading}
      name={({ url }) => url}
      status={({ health }) => <StatusBadge status={health.state} />}
      actions={(endpoint) => <EndpointActions endpoint={endpoint} />}
    >
      {(endpoint) => (
        <RecordTabs
          tabs={[
            {
              value: 'overview',
              label: 'Overview',
              render: () => <EndpointOverview endpoint={endpoint} />,
            },
            {
              value: 'settings',
              label: 'Settings',
              render: () => <EndpointSettings endpoint={endpoint} />,
            },
            {
              value: 'deliveries',
              label: 'Deliveries',
              render: () => <EndpointDeliveries endpointId={endpoint.id} />,
            },
          ]}
        />
      )}
    </RecordDrawer>
  );
}
