import { Spotlight } from '@mantine/spotlight';
import { useFocusReturn } from '../../parts/dialogs/use-focus-return';
import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useCan } from '../../api/session';
import { useUrl } from '../../parts/url/use-url';
import { SCREENS } from '../../screens/screen-list';
import { useFoundRecords } from './find-records';

/** One entry of the palette. */
interface Offer {
  id: string;
  label: string;
  hint?: string;
  run: () => void;
}

/** Finds pages, actions, and records by number, name or id. */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  useFocusReturn();
  const [query, setQuery] = useState('');
  const [searched] = useDebouncedValue(query.trim(), 200);
  const { found, isSearching, hasFailed } = useFoundRecords(searched);
  const { openRecord, openScreen } = useUrl();
  const pages = usePages();
  const actions = useActions(onHelp);
  useEffect(() => Spotlight.open(), []);
  const matches = ({ label }: Offer) => label.toLowerCase().includes(query.trim().toLowerCase());
  const records = found.map(({ screen, id, search, label, hint }) => ({
    id: `record ${label} ${id}`,
    label,
    ...(hint ? { hint } : {}),
    run: () => (id && !search ? openRecord(id, screen) : openScreen(id ? `${screen}/${id}` : screen, search)),
  }));
  const groups = [
    { label: 'Records', offers: records },
    { label: 'Pages', offers: pages.filter(matches) },
    { label: 'Actions', offers: actions.filter(matches) },
  ].filter(({ offers }) => offers.length > 0);
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      shortcut={null}
      maxHeight={420}
      scrollable
    >
      <Spotlight.Search placeholder="Page, action, number, name or id" aria-label="Find" />
      <Spotlight.ActionsList>
        {groups.map(({ label, offers }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {offers.map(({ id, label: text, hint, run }) => (
              <Spotlight.Action
                key={id}
                label={text}
                {...(hint ? { description: hint } : {})}
                onClick={run}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && <Spotlight.Empty>{describeEmpty(isSearching, hasFailed)}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function describeEmpty(isSearching: boolean, hasFailed: boolean): string {
  if (isSearching) return 'Searching';
  if (hasFailed) return 'The search failed. Close this, and try again.';
  return 'Nothing found. Try a number, a name or an id.';
}

function usePages(): Offer[] {
  const { openScreen } = useUrl();
  return SCREENS.map(({ name, path }) => ({ id: `page ${path}`, label: name, run: () => openScreen(path) }));
}

function useActions(onHelp: () => void): Offer[] {
  const { openScreen, openRecord } = useUrl();
  const canWrite = useCan('write');
  const isAdmin = useCan('admin');
  const offers: (Offer | false)[] = [
    canWrite && { id: 'new invoice', label: 'New invoice', run: () => openRecord('new', 'invoices') },
    canWrite && {
      id: 'new work order',
      label: 'New work order',
      run: () => openRecord('new', 'work-orders'),
    },
    isAdmin && {
      id: 'api keys',
      label: 'Create API key',
      hint: 'In Settings',
      run: () => openScreen('settings', { tab: 'api-keys' }),
    },
    isAdmin && {
      id: 'agent keys',
      label: 'Create agent key',
      hint: 'In Settings',
      run: () => openScreen('settings', { tab: 'agent-keys' }),
    },
    isAdmin && {
      id: 'endpoints',
      label: 'Add endpoint',
      hint: 'In Webhooks',
      run: () => openScreen('webhooks'),
    },
    { id: 'overdue', label: 'Overdue invoices', run: () => openScreen('invoices', { status: 'overdue' }) },
    {
      id: 'claims',
      label: 'Claims on motor clubs',
      hint: 'In Invoices',
      run: () => openScreen('invoices', { view: 'claims' }),
    },
    { id: 'help', label: 'Show the keys', run: onHelp },
  ];
  return offers.filter((offer) => offer !== false);
}
