import { Alert, Group, Stack, Text } from '@mantine/core';
import { CircleAlert, Info } from 'lucide-react';
import { api } from '../../../api/client';
import { Facts } from '../../../parts/record/facts';
import { humanize } from '../../../parts/record/status-badge';
import { TimeAgo } from '../../../parts/values/time';
import type { BookSettings } from '../books/book-settings';
import { nameConnection, useIntegration, useVendorName } from '../vendors/use-integrations';
import { type Connection, nameKind } from '../vendors/vendor-kinds';

export function OverviewTab({ connection }: { connection: Connection }) {
  const nameVendor = useVendorName();
  const { vendor, kind, environment, external_account: account, health, scopes, created_at } = connection;
  return (
    <Stack gap="md">
      <NextStep connection={connection} />
      <Facts
        items={{
          Vendor: nameVendor(vendor),
          Kind: nameKind(kind),
          'Account at the vendor': account ?? 'Not known yet',
          Environment: humanize(environment),
          'Last success': <TimeAgo at={health.last_success_at} empty="Not yet" />,
          'Last webhook': <TimeAgo at={health.last_webhook_at} empty="None yet" />,
          'Waiting writes': <Backlog health={health} />,
          'Calls in the last hour': describeCalls(health),
          'Last error': health.last_error ?? 'None',
          'Sign-in lasts until':
            health.token_expires_at === null ? undefined : <TimeAgo at={health.token_expires_at} />,
          'What it may do': scopes.length === 0 ? undefined : scopes.join(', '),
          Connected: <TimeAgo at={created_at} />,
        }}
      />
    </Stack>
  );
}

function describeCalls({ error_rate: rate }: Connection['health']): string {
  if (rate === null) return 'None';
  return rate === 0 ? 'All succeeded' : `${Math.ceil(rate * 100)} % failed`;
}

function Backlog({ health: { backlog, oldest_due_at: oldest } }: Pick<Connection, 'health'>) {
  if (backlog === 0) return <>None</>;
  return (
    <Group gap={4}>
      {backlog}
      {oldest && (
        <span>
          , the oldest since <TimeAgo at={oldest} />
        </span>
      )}
    </Group>
  );
}

/** True for books whose income accounts nobody has chosen yet. */
function isUnmapped({ kind, settings }: Connection): boolean {
  const { accounts = {} } = settings as BookSettings;
  return kind === 'accounting' && Object.keys(accounts).length === 0;
}

/**
 * Returns the name of the books that were connected before these. An account enters its invoices
 * in one set of books: the oldest that is connected. Returns undefined if these are the oldest.
 */
function useOlderBooks({ id, kind, created_at: createdAt }: Connection): string | undefined {
  const nameVendor = useVendorName();
  const { data } = api.useQuery(
    'get',
    '/connections',
    { params: { query: { limit: 200 } } },
    { enabled: kind === 'accounting' },
  );
  const older = data?.data.items.findLast(
    (one) =>
      one.kind === 'accounting' &&
      one.id !== id &&
      one.status !== 'revoked' &&
      one.external_account !== null &&
      one.created_at < createdAt,
  );
  return older && nameConnection(older, nameVendor);
}

/**
 * Explains why the connection does not work, and how to repair it. Shows nothing while the
 * connection works and a person need not choose anything.
 */
function NextStep({ connection }: { connection: Connection }) {
  const { status, status_reason: reason } = connection;
  const isOAuth = useIntegration(connection.vendor)?.auth === 'oauth2';
  const olderBooks = useOlderBooks(connection);
  const steps: Record<Connection['status'], string | undefined> = {
    pending: isOAuth
      ? 'It waits for the sign-in at the vendor. Press Reconnect if the page was closed, or ten minutes have passed.'
      : 'It waits for the first answer of the vendor, which takes some seconds.',
    active:
      olderBooks !== undefined
        ? `Invoices are entered in ${olderBooks}, which was connected earlier. Disconnect it to enter them here.`
        : isUnmapped(connection)
          ? 'Choose the income accounts under Books. Invoices wait until their categories have one.'
          : undefined,
    paused: 'Nothing is sent or read, and writes wait. Press Resume to go on.',
    needs_reauth: isOAuth
      ? 'Press Reconnect, and sign in at the vendor again. Writes wait until then.'
      : 'Enter new credentials under Settings. Writes wait until then.',
    failing: 'The vendor has not answered for a while. The service keeps trying, and writes wait.',
    revoked: 'It is disconnected, and its history stays. To connect again, start from the catalogue.',
  };
  const step = steps[status];
  if (step === undefined) return null;
  const isBad = status === 'needs_reauth' || status === 'failing';
  const Icon = isBad ? CircleAlert : Info;
  return (
    <Alert
      variant="outline"
      color={isBad ? 'red' : 'blue'}
      icon={<Icon size={18} aria-hidden />}
      styles={{ message: { color: 'var(--mantine-color-text)' } }}
    >
      {reason && <Text size="sm">{reason}</Text>}
      <Text size="sm">{step}</Text>
    </Alert>
  );
}
