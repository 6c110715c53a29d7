import { Stack, Tabs, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useUrl, useUrlPath, useUrlSearch } from '../url/use-url';

/** One view of a screen. The URL names the view in `view`. */
export interface View {
  name: string;
  label: string;
  content: ReactNode;
}

/**
 * The heading of a screen, and its views as tabs. Without `view` in the URL, the first view is
 * open. A change of the view removes all filters.
 * @param shownView overrides the view that the URL names
 */
export function ViewTabs({
  name,
  views,
  shownView,
}: {
  name: string;
  views: readonly [View, ...View[]];
  shownView?: string | undefined;
}) {
  const { view } = useUrlSearch();
  const { screen } = useUrlPath();
  const { openScreen } = useUrl();
  const [first] = views;
  const shown = views.find((one) => one.name === (shownView ?? view)) ?? first;
  return (
    <Stack gap="sm">
      <Title order={1} size="h2">
        {name}
      </Title>
      <Tabs
        value={shown.name}
        keepMounted={false}
        onChange={(next) => openScreen(screen, next && next !== first.name ? { view: next } : {})}
      >
        <Tabs.List aria-label={`Views of ${name}`} mb="sm">
          {views.map(({ name: value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {views.map(({ name: value, content }) => (
          <Tabs.Panel key={value} value={value}>
            {content}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
