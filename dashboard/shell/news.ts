import type { EventRecord, Schemas } from '../api/records';
import { formatCents } from '../parts/values/money';

/** News for people, such as a new work order. */
export interface News {
  /** The kind of news in the plural, such as "new work orders". */
  kind: string;
  text: string;
  /** The id of the record. */
  id: string;
  /** The screen that shows the record; empty for the overview. */
  screen: string;
  /** False if the record has no drawer of its own. */
  hasRecord: boolean;
  /** Other screens that show the record too. */
  alsoOn: readonly string[];
}

export function describeApproval(approval: Schemas['Approval']): News {
  const { id, agent_name: name, amount_cents: cents } = approval;
  return {
    kind: 'new approvals',
    text: `${name ?? 'Somebody'} asks for an approval of ${formatCents(cents)}`,
    id,
    screen: 'approvals',
    hasRecord: true,
    alsoOn: [],
  };
}

/** Maps the subject of a notice to its screen. */
const NOTICE_SCREENS: Readonly<Record<string, string>> = {
  webhook_endpoint: 'webhooks',
  export: 'exports',
  connection: 'integrations',
};

export function describeNotice(notice: Schemas['Notice']): News {
  const screen = NOTICE_SCREENS[notice.entity_type];
  return {
    kind: 'new notices',
    text: notice.title,
    id: screen ? notice.entity_id : notice.id,
    screen: screen ?? '',
    hasRecord: screen !== undefined,
    alsoOn: [''],
  };
}

/**
 * Returns the news that an event has for people. Returns undefined if people need not know the
 * event.
 */
export function describeEvent({ type, data }: EventRecord): News | undefined {
  const record = data.object as { id: string; job_number?: string; title?: string; club?: string };
  const base = { id: record.id, hasRecord: true, alsoOn: [] };
  if (type === 'work_order.created')
    return {
      ...base,
      kind: 'new work orders',
      text: `New work order ${record.job_number ?? ''}`.trim(),
      screen: 'work-orders',
      alsoOn: ['dispatch'],
    };
  if (type === 'club_offer.created')
    return {
      ...base,
      kind: 'new offers of clubs',
      text: `${record.club ?? 'A motor club'} offers a job`,
      screen: 'dispatch',
      hasRecord: false,
    };
  if (type === 'ai.suggestion.created')
    return {
      ...base,
      kind: 'new suggestions',
      text: `New suggestion: ${record.title ?? ''}`,
      screen: 'suggestions',
    };
  if (type === 'export.completed')
    return { ...base, kind: 'finished exports', text: 'An export is ready', screen: 'exports' };
  return undefined;
}
