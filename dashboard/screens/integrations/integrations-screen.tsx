import { Stack, Text, Title } from '@mantine/core';
import { CONNECTION_STATUS } from '../../generated/vocabulary';
import { wordsOf } from '../../parts/choices/words';
import type { Filter } from '../../parts/list/filters';
import { ListScreen } from '../../parts/list/list-screen';
import type { Column } from '../../parts/record/record-table';
import { StatusBadge } from '../../parts/record/status-badge';
import { buildCurl } from '../../parts/values/curl';
import { TimeAgo } from '../../parts/values/time';
import { Catalogue } from './catalogue/catalogue';
import { nameConnection, useIntegrations, useVendorName } from './vendors/use-integrations';
import { type Connection, nameKind } from './vendors/vendor-kinds';

const STATUS: Filter = {
  name: 'status',
  label: 'Status',
  kind: 'choice',
  options: wordsOf(CONNECTION_STATUS),
};

const COLUMNS: readonly Column<Connection>[] = [
  { header: 'Kind', render: ({ kind }) => nameKind(kind) },
  { header: 'Status', width: 150, render: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Health', render: (connection) => <Health connection={connection} /> },
  { header: 'Last success', render: ({ health }) => <TimeAgo at={health.last_success_at} empty="Not yet" /> },
  {
    header: 'Waiting writes',
    align: 'right',
    render: ({ health }) => <span className="digits">{health.backlog}</span>,
  },
];

/** The vendors that an account can connect, and the account's connections. */
export function IntegrationsScreen() {
  const nameVendor = useVendorName();
  const vendors = useIntegrations().data?.data.items ?? [];
  const filters: readonly Filter[] = [
    STATUS,
    {
      name: 'vendor',
      label: 'Vendor',
      kind: 'choice',
      options: vendors.map(({ vendor, label }) => ({ value: vendor, label })),
    },
  ];
  return (
    <ListScreen<Connection>
      name="Integrations"
      path="/connections"
      filters={vendors.length > 0 ? filters : [STATUS]}
      columns={[{ header: 'Vendor', render: ({ vendor }) => nameVendor(vendor) }, ...COLUMNS]}
      nameHeader="Connection"
      rowName={(connection) => nameConnection(connection, nameVendor)}
      above={
        <Stack gap="md">
          <Catalogue />
          <Title order={2} size="h4">
            Connections
          </Title>
        </Stack>
      }
      empty={
        vendors.length > 0
          ? { text: 'Nothing is connected yet. Choose a vendor above.', curl: buildCurl('/integrations') }
          : {
              text: 'Nothing is connected, because no vendor can be connected yet.',
              curl: buildCurl('/integrations'),
            }
      }
    />
  );
}

/** Shows the worst problem of a connection's health, in words. */
function Health({ connection: { status, health } }: { connection: Connection }) {
  const { error_rate: rate, last_error: error } = health;
  if (status === 'revoked') return <>–</>;
  if (status !== 'active' && error) return <Text size="sm">{error}</Text>;
  if (rate === null) return <>No calls in the last hour</>;
  return <>{rate === 0 ? 'All calls succeed' : `${Math.ceil(rate * 100)} % of calls fail`}</>;
}
