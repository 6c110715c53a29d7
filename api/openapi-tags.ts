/** A group of routes in the document, and the collections it begins with. */
interface Tag {
  name: string;
  description: string;
  collections: string[];
}

/** In the order of their importance to somebody who reads the document for the first time. */
const TAGS: Tag[] = [
  {
    name: 'Invoices',
    description: 'What is billed, the payments on it and the messages that carry it',
    collections: ['invoices', 'payments', 'messages'],
  },
  { name: 'Work orders', description: 'Jobs from call to completion', collections: ['work-orders'] },
  { name: 'Customers', description: 'The accounts that are billed', collections: ['customers'] },
  {
    name: 'Fleet',
    description: 'Trucks, drivers, inspections, rate cards and the yard',
    collections: ['dispatch-board', 'trucks', 'drivers', 'inspections', 'rate-cards', 'impounds'],
  },
  {
    name: 'Webhooks',
    description: 'Your receivers, and what was delivered to them',
    collections: ['webhook-endpoints', 'webhook-deliveries', 'webhook-replays'],
  },
  {
    name: 'Events',
    description: 'What happened, as a list and as a live stream',
    collections: ['events', 'event-types', 'stream', 'notices'],
  },
  { name: 'Exports', description: 'Records as files', collections: ['exports', 'export-schedules'] },
  { name: 'Approvals', description: 'Writes that wait for a human', collections: ['approvals'] },
  { name: 'Suggestions', description: 'Money left behind, found by the clock', collections: ['suggestions'] },
  { name: 'Claims', description: 'Claims on motor clubs', collections: ['claims'] },
  {
    name: 'Access',
    description: 'Keys, people, settings, limits and the outcome of writes',
    collections: ['me', 'operations', 'settings', 'api-keys', 'agent-keys', 'users', 'session', 'audit-log'],
  },
  { name: 'Description', description: 'This document', collections: ['openapi.json'] },
];

export const tags = TAGS.map(({ name, description }) => ({ name, description }));

type Paths = Record<string, Record<string, Record<string, unknown>>>;

/**
 * The paths by tag and collection; of a collection first its list and create, then one record, then
 * actions.
 */
export function inReadingOrder<P extends Paths>(paths: P): P {
  const entries = Object.entries(paths).map(([path, item]) => ({ path, item, rank: rankOf(path, item) }));
  const sorted = entries.sort((a, b) => compare(a.rank, b.rank));
  return Object.fromEntries(sorted.map(({ path, item }) => [path, item])) as P;
}

function rankOf(path: string, item: Paths[string]): number[] {
  const [first] = Object.values(item);
  const tag = TAGS.findIndex(({ name }) => (first?.tags as string[] | undefined)?.[0] === name);
  const [, collection = '', id, action] = path.split('/');
  const place = TAGS[tag]?.collections.indexOf(collection) ?? -1;
  const kind = id === undefined ? 0 : action === undefined ? 1 : 2;
  // What belongs to another group's collection comes last: /downloads among the exports.
  return [tag, place < 0 ? Number.MAX_SAFE_INTEGER : place, kind];
}

function compare(a: number[], b: number[]): number {
  const differing = a.findIndex((rank, index) => rank !== b[index]);
  return differing < 0 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
}
