import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client';
import { useCan } from '../../../api/session';
import { Facts } from '../../../parts/record/facts';
import { RecordDrawer } from '../../../parts/record/record-drawer';
import { RecordTable } from '../../../parts/record/record-table';
import { humanize } from '../../../parts/record/status-badge';
import { SearchLink } from '../../../parts/url/links';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';
import type { RateCard } from './card-draft';
import { SupersedeCard } from './card-form';
import { CardState } from './card-state';

interface RecordProps {
  onOpen: (id: string) => void;
  onClose: () => void;
}

/** One version of a rate card, with its prices. */
export function RateCardRecord({ id, ...props }: RecordProps & { id: string }) {
  const reading = api.useQuery('get', '/rate-cards/{id}', { params: { path: { id } } });
  return (
    <RecordDrawer
      reading={reading}
      name={({ name, version }) => `${name}, version ${version}`}
      status={(card) => <CardState card={card} />}
      actions={(card) => <Actions card={card} onOpen={props.onOpen} />}
      onClose={props.onClose}
    >
      {(card) => (
        <>
          <Details card={card} />
          <ItemTable card={card} />
        </>
      )}
    </RecordDrawer>
  );
}

/**
 * Only the newest version can be superseded. If a colleague supersedes the card meanwhile, an open
 * dialog stays, so that nothing that was typed is lost.
 */
function Actions({ card, onOpen }: { card: RateCard; onOpen: (id: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const canWrite = useCan('write');
  const isNewest = card.superseded_by === null;
  return (
    <>
      {canWrite && isNewest && <Button onClick={() => setOpen(true)}>Supersede</Button>}
      {isOpen && <SupersedeCard card={card} onOpen={onOpen} onClose={() => setOpen(false)} />}
    </>
  );
}

function Details({ card }: { card: RateCard }) {
  const { start, end, weekends } = card.after_hours_window;
  return (
    <Facts
      items={{
        'Effective from': card.effective_from,
        'Effective until': card.effective_until && `Before ${card.effective_until}`,
        'Next version': card.superseded_by && (
          <SearchLink search={{ card: card.superseded_by }}>Version {card.version + 1}</SearchLink>
        ),
        'Default card': card.is_default ? 'Yes' : 'No',
        'After hours': `${start} to ${end}${weekends ? ', and weekends' : ''}`,
        Created: <TimeAgo at={card.created_at} />,
      }}
    />
  );
}

function ItemTable({ card }: { card: RateCard }) {
  return (
    <RecordTable
      label="Items"
      rows={card.items.map((item, index) => ({ ...item, position: index }))}
      rowKey={({ position }) => String(position)}
      empty="This card has no items."
      columns={[
        { header: 'Name', render: ({ name }) => name },
        { header: 'Category', render: ({ category }) => humanize(category) },
        { header: 'Service', render: ({ service_type: type }) => (type === null ? 'Any' : humanize(type)) },
        {
          header: 'Price',
          align: 'right',
          render: ({ unit_price_cents: cents, unit_type: unit }) => (
            <>
              <Money cents={cents} /> {describeUnit(unit)}
            </>
          ),
        },
        { header: 'Included', align: 'right', render: ({ included_quantity: quantity }) => quantity || '–' },
        {
          header: 'Minimum',
          align: 'right',
          render: ({ minimum_cents: cents }) => (cents === null ? '–' : <Money cents={cents} />),
        },
        { header: 'Charged', render: ({ after_hours: isLate }) => (isLate ? 'Only after hours' : 'Always') },
        { header: 'Tax', render: ({ taxable }) => (taxable ? 'Taxable' : 'Not taxed') },
      ]}
    />
  );
}

/** Units that count once per work order. All others are a quantity, such as miles. */
const ONCE = ['flat', 'each'];

function describeUnit(unit: string): string {
  const word = humanize(unit).toLowerCase();
  return ONCE.includes(unit) ? word : `per ${word}`;
}
