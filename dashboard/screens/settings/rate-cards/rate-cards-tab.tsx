import { Button } from '@mantine/core';
import { useState } from 'react';
import { useCan, useTimeZone } from '../../../api/session';
import { type Filter, SEARCH } from '../../../parts/list/filters';
import { ListScreen } from '../../../parts/list/list-screen';
import type { Column } from '../../../parts/record/record-table';
import { useOpenedRecord } from '../../../parts/url/use-opened-record';
import { useUrlSearch } from '../../../parts/url/use-url';
import { buildCurl } from '../../../parts/values/curl';
import { readToday } from '../../../parts/values/zoned-time';
import type { RateCard } from './card-draft';
import { NewCard } from './card-form';
import { CardState } from './card-state';
import { RateCardRecord } from './rate-card-record';

const COLUMNS: readonly Column<RateCard>[] = [
  { header: 'Version', align: 'right', render: ({ version }) => version },
  { header: 'Status', render: (card) => <CardState card={card} /> },
  { header: 'Effective from', render: ({ effective_from: from }) => from },
  { header: 'Superseded from', render: ({ effective_until: until }) => until ?? '–' },
  { header: 'Items', align: 'right', render: ({ items }) => items.length },
];

/** All versions of the rate cards, which price work orders. */
export function RateCardsTab() {
  const [isCreating, setCreating] = useState(false);
  const card = useOpenedRecord('card');
  const filters = useFilters();
  const create = useCan('write') && <Button onClick={() => setCreating(true)}>New rate card</Button>;
  return (
    <>
      <ListScreen<RateCard>
        isView
        name="Rate cards"
        path="/rate-cards"
        filters={filters}
        columns={COLUMNS}
        nameHeader="Name"
        rowName={({ name }) => name}
        recordParameter="card"
        actions={create}
        empty={{
          text: 'There are no rate cards yet. A rate card prices the invoice of a work order.',
          action: create,
          curl: buildCurl('/rate-cards', {
            method: 'POST',
            body: {
              name: 'Standard rates',
              effective_from: '2026-01-01',
              is_default: true,
              items: [{ category: 'hook_up', unit_type: 'flat', unit_price_cents: 12_500 }],
            },
          }),
        }}
      />
      {isCreating && <NewCard onOpen={card.open} onClose={() => setCreating(false)} />}
      {card.id && <RateCardRecord key={card.id} id={card.id} onOpen={card.open} onClose={card.close} />}
    </>
  );
}

/** The filter by day offers today, and the day of an older link. */
function useFilters(): readonly Filter[] {
  const { in_force_on: linked } = useUrlSearch();
  const today = readToday(useTimeZone());
  const days = linked && linked !== today ? [linked] : [];
  return [
    {
      name: 'in_force_on',
      label: 'In force',
      kind: 'choice',
      options: [{ value: today, label: 'Today' }, ...days.map((day) => ({ value: day, label: `On ${day}` }))],
    },
    {
      name: 'is_default',
      label: 'Default card',
      kind: 'choice',
      options: [
        { value: 'true', label: 'Yes' },
        { value: 'false', label: 'No' },
      ],
    },
    SEARCH,
  ];
}
