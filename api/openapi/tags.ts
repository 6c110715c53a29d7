/** The groups of operations. The groups that matter most to a first-time reader come first. */
export const tags = [
  { name: 'Invoices', description: 'Invoices, their payments and the messages that deliver them' },
  { name: 'Work orders', description: 'Tows and roadside work from call to completion' },
  { name: 'Customers', description: 'The companies and people that are billed' },
  { name: 'Fleet', description: 'Trucks, drivers, inspections, rate cards and the yard' },
  { name: 'Webhooks', description: 'Your endpoints and the deliveries to them' },
  { name: 'Events', description: 'Events as a list and as a live stream' },
  { name: 'Exports', description: 'Records as files' },
  { name: 'Integrations', description: 'Connections to vendors, and what needs a decision about them' },
  { name: 'Approvals', description: 'Writes that wait for a person' },
  { name: 'Suggestions', description: 'Likely billing mistakes that detectors found' },
  {
    name: 'Club offers',
    description: 'Jobs that motor clubs offer by their own keys, and the answers of the company',
  },
  { name: 'Claims', description: 'Claims submitted to motor clubs' },
  { name: 'Access', description: 'Keys, people, settings, limits and the outcome of writes' },
  { name: 'Description', description: 'This document' },
];

/** Within a tag, the paths with these first segments come first, in this sequence. */
const COLLECTIONS = [
  'invoices',
  'recurring-invoices',
  'payments',
  'messages',
  'dispatch-board',
  'trucks',
  'drivers',
  'inspections',
  'rate-cards',
  'impounds',
  'webhook-endpoints',
  'webhook-deliveries',
  'webhook-replays',
  'events',
  'event-types',
  'stream',
  'notices',
  'exports',
  'export-schedules',
  'downloads',
  'integrations',
  'connections',
  'sync-issues',
  'me',
  'overview',
  'operations',
  'settings',
  'api-keys',
  'agent-keys',
  'users',
  'session',
  'audit-log',
];

type Paths = Record<string, Record<string, Record<string, unknown>>>;

/**
 * Sorts the paths by tag, then by collection. Within a collection, `/trucks` comes first, then
 * `/trucks/{id}`, then `/trucks/{id}/…`.
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
  const tag = tags.findIndex(({ name }) => (first?.tags as string[] | undefined)?.[0] === name);
  const [, collection = '', id, action] = path.split('/');
  const place = COLLECTIONS.indexOf(collection);
  const kind = id === undefined ? 0 : action === undefined ? 1 : 2;
  return [tag, place < 0 ? COLLECTIONS.length : place, kind];
}

function compareRanks(a: number[], b: number[]): number {
  const differing = a.findIndex((rank, index) => rank !== b[index]);
  return differing < 0 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
}
