import { Group, Stack, Text } from '@mantine/core';
import { api } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { Facts } from '../../../parts/record/facts';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { Money } from '../../../parts/values/money';
import { ExactTime } from '../../../parts/values/time';

type Impound = Schemas['Impound'];

export function ImpoundTab({ workOrderId }: { workOrderId: string }) {
  const { data, error, isPending, refetch } = api.useQuery('get', '/impounds', {
    params: { query: { work_order_id: workOrderId, limit: 50 } },
  });
  if (isPending) return <Loading rows={3} />;
  if (!data) return <ProblemAlert problem={error} onRetry={() => void refetch()} />;
  const impounds = data.data.items;
  if (impounds.length === 0)
    return <Text c="dimmed">The vehicle of this work order is not in the yard.</Text>;
  return (
    <Stack gap="lg">
      {impounds.map((impound) => (
        <OneImpound key={impound.id} impound={impound} />
      ))}
    </Stack>
  );
}

function OneImpound({ impound }: { impound: Impound }) {
  const { vehicle } = impound;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <StatusBadge status={impound.status} />
        {impound.hold_reason && <Text size="sm">{impound.hold_reason}</Text>}
      </Group>
      <Facts
        items={{
          Vehicle: [vehicle.year, vehicle.color, vehicle.make, vehicle.model].filter(Boolean).join(' '),
          VIN: vehicle.vin,
          Plate: vehicle.plate,
          Lot: impound.lot,
          Spot: impound.spot,
          'In the yard since': <ExactTime at={impound.impounded_at} />,
          'Days in the yard': impound.days,
          'Free days': impound.free_days,
          'Daily rate': <Money cents={impound.daily_rate_cents} />,
          'Storage so far': <Money cents={impound.storage_cents} />,
          'Days not invoiced yet': impound.unbilled_days,
          Released: impound.released_at ? <ExactTime at={impound.released_at} /> : undefined,
          'Released as': impound.release_kind ? humanize(impound.release_kind) : undefined,
          'Released to': impound.released_to ?? undefined,
          Notes: impound.notes ?? undefined,
        }}
      />
    </Stack>
  );
}
