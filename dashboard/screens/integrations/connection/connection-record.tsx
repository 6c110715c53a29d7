import { api } from '../../../api/client';
import { RecordDrawer } from '../../../parts/record/record-drawer';
import { RecordTabs } from '../../../parts/record/record-tabs';
import { StatusBadge } from '../../../parts/record/status-badge';
import { BooksTab } from '../books/books-tab';
import { DriversTab } from '../fleet/drivers-tab';
import { VehiclesTab } from '../fleet/vehicles-tab';
import { IssuesTab } from '../issues/issues-tab';
import { nameConnection, useVendorName } from '../vendors/use-integrations';
import { CallsTab } from './calls-tab';
import { ConnectionActions } from './connection-actions';
import { OperationsTab } from './operations-tab';
import { OverviewTab } from './overview-tab';
import { PayoutsTab } from './payouts-tab';
import { RunsTab } from './runs-tab';
import { SettingsTab } from './settings-tab';

/** The page polls, because each call to the vendor changes the health but causes no event. */
const HEALTH_MS = 10_000;

export function ConnectionRecord({ id }: { id: string }) {
  const nameVendor = useVendorName();
  const reading = api.useQuery(
    'get',
    '/connections/{id}',
    { params: { path: { id } } },
    { refetchInterval: HEALTH_MS },
  );
  return (
    <RecordDrawer
      reading={reading}
      name={(connection) => nameConnection(connection, nameVendor)}
      status={({ status }) => <StatusBadge status={status} />}
      actions={(connection) => <ConnectionActions connection={connection} />}
      size={900}
    >
      {(connection) => (
        <RecordTabs
          tabs={[
            { value: 'overview', label: 'Overview', render: () => <OverviewTab connection={connection} /> },
            { value: 'runs', label: 'Runs', render: () => <RunsTab connectionId={id} /> },
            {
              value: 'operations',
              label: 'Operations',
              render: () => <OperationsTab connection={connection} />,
            },
            ...(connection.kind === 'accounting'
              ? [{ value: 'books', label: 'Books', render: () => <BooksTab connection={connection} /> }]
              : []),
            ...(connection.kind === 'payments'
              ? [{ value: 'payouts', label: 'Payouts', render: () => <PayoutsTab connectionId={id} /> }]
              : []),
            ...(connection.kind === 'telematics'
              ? [
                  { value: 'vehicles', label: 'Vehicles', render: () => <VehiclesTab connectionId={id} /> },
                  { value: 'drivers', label: 'Drivers', render: () => <DriversTab connectionId={id} /> },
                ]
              : []),
            { value: 'calls', label: 'Calls', render: () => <CallsTab connectionId={id} /> },
            { value: 'issues', label: 'Issues', render: () => <IssuesTab connectionId={id} /> },
            { value: 'settings', label: 'Settings', render: () => <SettingsTab connection={connection} /> },
          ]}
        />
      )}
    </RecordDrawer>
  );
}
