import { Paper, SimpleGrid, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../../api/records';
import { keepSearch, type Search } from '../../../parts/url/use-url';
import { formatCents } from '../../../parts/values/money';
import { sumOf } from './hours';

/** The four most important numbers. Each number links to the records that it counts. */
export function Tiles({ overview }: { overview: Schemas['Overview'] }) {
  const { work_orders: orders, invoices, delivery_success_rate: rate, hours } = overview;
  const failed = sumOf(hours, 'deliveries_failed');
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md" component="nav" aria-label="Key figures">
      <Tile name="Open work orders" value={orders.open} note="On the dispatch board" to="dispatch" />
      <Tile
        name="Unassigned"
        value={orders.unassigned}
        note="Wait for a truck"
        to="work-orders"
        search={{ status: 'pending' }}
      />
      <Tile
        name="Overdue"
        value={formatCents(invoices.overdue_cents)}
        note={`${invoices.overdue_count} ${invoices.overdue_count === 1 ? 'invoice' : 'invoices'}`}
        to="invoices"
        search={{ status: 'overdue' }}
      />
      <Tile
        name="Delivery success"
        value={rate === null ? '–' : `${Math.floor(rate * 1000) / 10} %`}
        note={rate === null ? 'No deliveries in 24 hours' : `${failed} failed in 24 hours`}
        to="webhooks"
        search={{ view: 'deliveries' }}
      />
    </SimpleGrid>
  );
}

function Tile({
  name,
  value,
  note,
  to,
  search = {},
}: {
  name: string;
  value: ReactNode;
  note: string;
  to: string;
  search?: Search;
}) {
  const merge = (old: Search) => ({ ...keepSearch(old, false), ...search });
  return (
    <Paper component={Link} to={`/${to}`} search={merge as never} withBorder p="sm" className="tile">
      <Text component="span" display="block" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="span" display="block" fz={{ base: 20, sm: 26 }} fw={600} lh={1.3} className="digits">
        {value}
      </Text>
      <Text component="span" display="block" size="xs" c="dimmed">
        {note}
      </Text>
    </Paper>
  );
}
