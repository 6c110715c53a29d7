import { Anchor, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useCan } from '../../../api/session';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { ConnectDialog } from '../connect/connect-dialog';
import { useIntegrations } from '../vendors/use-integrations';
import { type Integration, VENDOR_KINDS } from '../vendors/vendor-kinds';
import { readFields } from '../vendors/vendor-schema';

/**
 * The vendors that an account can connect, by kind. For each kind, explains how the account works
 * without a vendor.
 */
export function Catalogue() {
  const reading = useIntegrations();
  const [chosen, setChosen] = useState<Integration>();
  const vendors = reading.data?.data.items ?? [];
  return (
    <Stack gap="sm" component="section" aria-label="Catalogue">
      <Title order={2} size="h4">
        Catalogue
      </Title>
      {reading.isPending && <Loading label="Loading the catalogue" rows={3} />}
      {reading.error && !reading.data && (
        <ProblemAlert problem={reading.error} onRetry={() => void reading.refetch()} />
      )}
      {reading.data && vendors.length === 0 && (
        <Text maw={720}>
          No vendor can be connected yet: this release has none built in. Each card says how the account works
          without one. E-mail leaves through the mail server of this deployment.
        </Text>
      )}
      {reading.data && (
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
          {VENDOR_KINDS.map(({ kind, ...texts }) => (
            <KindCard
              key={kind}
              {...texts}
              vendors={vendors.filter((vendor) => vendor.kind === kind)}
              onConnect={setChosen}
            />
          ))}
        </SimpleGrid>
      )}
      {chosen && <ConnectDialog integration={chosen} onClose={() => setChosen(undefined)} />}
    </Stack>
  );
}

function KindCard({
  name,
  offer,
  without,
  vendors,
  onConnect,
}: {
  name: string;
  offer: string;
  without: string;
  vendors: readonly Integration[];
  onConnect: (integration: Integration) => void;
}) {
  return (
    <Paper withBorder p="sm" component="section" aria-label={name}>
      <Stack gap="xs">
        <Title order={3} size="h5">
          {name}
        </Title>
        <Text size="sm">{offer}</Text>
        {vendors.length === 0 ? (
          <Text size="sm" c="dimmed">
            No vendor yet. {without}
          </Text>
        ) : (
          vendors.map((vendor) => (
            <VendorRow key={vendor.vendor} integration={vendor} onConnect={() => onConnect(vendor)} />
          ))
        )}
      </Stack>
    </Paper>
  );
}

function VendorRow({ integration, onConnect }: { integration: Integration; onConnect: () => void }) {
  const canConnect = useCan('admin');
  const { label, docs_url: docs } = integration;
  return (
    <Group gap="xs" justify="space-between" align="flex-start" wrap="nowrap">
      <Stack gap={0}>
        <Text fw={600}>{label}</Text>
        <Text size="sm" c="dimmed">
          {describeNeeds(integration)}
        </Text>
        <Anchor href={docs} target="_blank" rel="noopener noreferrer" size="sm">
          Manual of {label}
        </Anchor>
      </Stack>
      {canConnect && (
        <Button size="xs" flex="none" onClick={onConnect} aria-label={`Connect ${label}`}>
          Connect
        </Button>
      )}
    </Group>
  );
}

/** Lists what a person needs for connecting the vendor. */
function describeNeeds({ auth, label, credentials_schema, settings_schema }: Integration): string {
  const fields = [...readFields(credentials_schema), ...readFields(settings_schema)];
  const needed = fields
    .filter(({ isRequired }) => isRequired)
    .map((field) => field.label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()));
  const signIn = auth === 'oauth2' ? [`a sign-in at ${label}`] : [];
  return `Needs ${[...signIn, ...needed].join(', ') || 'nothing'}`;
}
