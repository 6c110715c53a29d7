/** A group of routes in the document, and the first path segments of its collections. */
interface Tag {
  name: string;
  description: string;
  collections: string[];
}

/** Sorted by importance to a first-time reader. */
const TAGS: Tag[] = [
  {
    name: 'Invoices',
    description: 'Invoices, their payments and the messages that deliver them',
    collections: ['invoices', 'payments', 'messages'],
  },
  {
    name: 'Work orders',
    description: 'Tows and roadside work from call to completion',
    collections: ['work-orders'],
  },
  { name: 'Customers', description: 'The companies and people that are billed', collections: ['customers'] },
  {
    name: 'Fleet',
    description: 'Trucks, drivers, inspections, rate cards and the yard',
    collections: ['dispatch-board', 'trucks', 'drivers', 'inspections', 'rate-cards', 'impounds'],
  },
  {
    name: 'Webhooks',
    description: 'Your endpoints and the deliveries to them',
    collections: ['webhook-endpoints', 'webhook-deliveries', 'webhook-replays'],
  },
  {
    name: 'Events',
    description: 'Events as a list and as a live stream',
    collections: ['events', 'event-types', 'stream', 'notices'],
  },
  {
    name: 'Exports',
    description: 'Records as files',
    collections: ['exports', 'export-schedules', 'downloads'],
  },
  {
    name: 'Integrations',
    description: 'Connections to vendors, and what needs a decision about them',
    collections: ['integrations', 'connections', 'sync-issues'],
  },
  { name: 'Approvals', description: 'Writes that wait for a person', collections: ['approvals'] },
  {
    name: 'Suggestions',
    description: 'Likely billing mistakes that detectors found',
    collections: ['suggestions'],
  },
  { name: 'Claims', description: 'Claims submitted to motor clubs', collections: ['claims'] },
  {
    name: 'Access',
    description: 'Keys, people, settings, limits and the outcome of writes',
    collections: ['me', 'operations', 'settings', 'api-keys', 'agent-keys', 'users', 'session', 'audit-log'],
  },
  { name: 'Description', description: 'This document', collections: ['openapi.json'] },
];

export const tags = TAGS.map(({ name, description }) => ({ name, description }));

/**
 * Returns the tag of a path's collection.
 * @throws {Error} if no tag lists the collection
 */
export function findTag(path: string): string {
  const [, collection = ''] = path.split('/');
  const found = TAGS.find(({ collections }) => collections.includes(collection));
  if (!found) throw new Error(`add ${collection} to a tag in api/openapi/tags.ts`);
  return found.name;
}

type Paths = Record<string, Record<string, Record<string, unknown>>>;

/**
 * Sorts the paths by tag and collection. Within a collection the list and create come first, then
 * one record, then its actions.
 */
export function sortPaths<P extends Paths>(paths: P): P {
  const entries = Object.entries(paths).map(([path, item]) => ({
    path,
    item,
    rank: computeRank(path, item),
  }));
  const sorted = entries.sort((a, b) => compareRanks(a.rank, b.rank));
  return Object.fromEntries(sorted.map(({ path, item }) => [path, item])) as P;
}

function computeRank(path: string, item: Paths[string]): number[] {
  const [first] = Object.values(item);
  const tag = TAGS.findIndex(({ name }) => (first?.tags as string[] | undefined)?.[0] === name);
  const [, collection = '', id, action] = path.split('/');
  const collectionIndex = TAGS[tag]?.collections.indexOf(collection) ?? -1;
  const kind = id === undefined ? 0 : action === undefined ? 1 : 2;
  // A path whose block names the tag of other collections comes last.
  return [tag, collectionIndex < 0 ? Number.MAX_SAFE_INTEGER : collectionIndex, kind];
}

function compareRanks(a: number[], b: number[]): number {
  const differing = a.findIndex((rank, index) => rank !== b[index]);
  return differing < 0 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
}
