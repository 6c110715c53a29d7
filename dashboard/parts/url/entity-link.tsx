import type { ReactNode } from 'react';
import { RecordLink, ScreenLink } from './links';
import type { Search } from './use-url';

/** The screens with records at `/app/<screen>/<id>`, by the API's `entity_type`. */
const RECORD_SCREENS: Readonly<Record<string, string>> = {
  invoice: 'invoices',
  work_order: 'work-orders',
  customer: 'customers',
  approval: 'approvals',
  suggestion: 'suggestions',
  webhook_endpoint: 'webhooks',
  export: 'exports',
  connection: 'integrations',
  audit_entry: 'audit-log',
};

/** The screens for all other records. On these screens, a record has no URL of its own. */
const LIST_SCREENS: Readonly<Record<string, { screen: string; search?: Search }>> = {
  settings: { screen: 'settings' },
  tenant: { screen: 'settings' },
  api_key: { screen: 'settings', search: { tab: 'api-keys' } },
  agent_key: { screen: 'settings', search: { tab: 'agent-keys' } },
  user: { screen: 'settings', search: { tab: 'people' } },
  message: { screen: 'settings', search: { tab: 'texts' } },
  notice: { screen: 'settings', search: { tab: 'texts' } },
  webhook_replay: { screen: 'webhooks', search: { view: 'replays' } },
  dispatch_board: { screen: 'dispatch' },
  audit_log: { screen: 'audit-log' },
};

/**
 * A link to the record of an audit entry, an event or a notice. If the record has no URL of its
 * own, links to the screen that lists it. If no screen lists it, shows only the text.
 */
export function EntityLink({
  type,
  id,
  children,
}: {
  type: string | null;
  id: string | null;
  children: ReactNode;
}) {
  const recordScreen = RECORD_SCREENS[type ?? ''];
  if (recordScreen && id)
    return (
      <RecordLink screen={recordScreen} id={id}>
        {children}
      </RecordLink>
    );
  const list = (id && findOpenedRecord(type, id)) || LIST_SCREENS[type ?? ''];
  return list ? <ScreenLink {...list}>{children}</ScreenLink> : children;
}

/** Finds the screen that opens the record over one of its tabs or views. */
function findOpenedRecord(type: string | null, id: string): { screen: string; search: Search } | undefined {
  if (type === 'webhook_delivery')
    return { screen: 'webhooks', search: { view: 'deliveries', delivery: id } };
  if (type === 'truck') return { screen: 'settings', search: { tab: 'trucks', truck: id } };
  if (type === 'driver') return { screen: 'settings', search: { tab: 'drivers', driver: id } };
  if (type === 'rate_card') return { screen: 'settings', search: { tab: 'rate-cards', card: id } };
  return undefined;
}
