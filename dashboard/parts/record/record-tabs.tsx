import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useUrl, useUrlSearch } from '../url/use-url';

export interface RecordTab {
  /** The tab's name in the URL: `?tab=price`. */
  value: string;
  label: string;
  /** Renders the tab's content; called only while the tab is open. */
  render: () => ReactNode;
}

/**
 * The tabs of a record. The URL names the open tab in `tab`. Without `tab`, the first tab is open.
 */
export function RecordTabs({ tabs }: { tabs: readonly RecordTab[] }) {
  const { tab, cursor } = useUrlSearch();
  const { setSearch } = useUrl();
  const first = tabs[0]?.value ?? '';
  const open = tabs.some(({ value }) => value === tab) ? (tab ?? first) : first;
  // Keep the cursor, so that the list behind the record stays on its page.
  const choose = (value: string | null) =>
    setSearch({ tab: value === first || value === null ? undefined : value, cursor }, { replace: true });
  return (
    <Tabs value={open} onChange={choose} keepMounted={false}>
      <Tabs.List>
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, render }) => (
        <Tabs.Panel key={value} value={value} pt="md">
          {value === open && render()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
