import { Stack, Tabs, Title } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';
import { Loading } from '../../parts/basics/loading';
import { useUrl, useUrlSearch } from '../../parts/url/use-url';
import { AccountTab } from './account/account-tab';
import { AgentKeysTab } from './agent-keys/agent-keys-tab';
import { ApiKeysTab } from './api-keys/api-keys-tab';
import { PeopleTab } from './people/people-tab';
import { SecurityTab } from './security/security-tab';
import { TextsTab } from './texts/texts-tab';

const TrucksTab = lazy(async () => ({ default: (await import('./trucks/trucks-tab')).TrucksTab }));
const DriversTab = lazy(async () => ({ default: (await import('./drivers/drivers-tab')).DriversTab }));
const RateCardsTab = lazy(async () => ({
  default: (await import('./rate-cards/rate-cards-tab')).RateCardsTab,
}));

const FIRST_TAB = 'account';

const TABS: readonly { value: string; name: string; Content: ComponentType }[] = [
  { value: FIRST_TAB, name: 'Account', Content: AccountTab },
  { value: 'api-keys', name: 'API keys', Content: ApiKeysTab },
  { value: 'agent-keys', name: 'Agent keys', Content: AgentKeysTab },
  { value: 'people', name: 'People', Content: PeopleTab },
  { value: 'texts', name: 'Texts', Content: TextsTab },
  { value: 'security', name: 'Security', Content: SecurityTab },
  { value: 'trucks', name: 'Trucks', Content: TrucksTab },
  { value: 'drivers', name: 'Drivers', Content: DriversTab },
  { value: 'rate-cards', name: 'Rate cards', Content: RateCardsTab },
];

/**
 * The settings of the account, its people, fleet and prices. The URL names the open tab:
 * `?tab=api-keys`.
 */
export function SettingsScreen() {
  const { tab } = useUrlSearch();
  const { openScreen } = useUrl();
  const open = TABS.find(({ value }) => value === tab)?.value ?? FIRST_TAB;
  // Drop the filters, because they mean nothing in another tab.
  const choose = (value: string | null) =>
    openScreen('settings', value && value !== FIRST_TAB ? { tab: value } : {});
  return (
    <Stack gap="sm">
      <Title order={1} size="h2">
        Settings
      </Title>
      <Tabs value={open} onChange={choose} keepMounted={false}>
        <Tabs.List>
          {TABS.map(({ value, name }) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ value, Content }) => (
          <Tabs.Panel key={value} value={value} pt="md">
            <Suspense fallback={<Loading />}>
              <Content />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
