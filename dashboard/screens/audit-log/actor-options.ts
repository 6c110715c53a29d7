import { api } from '../../api/client';
import { readEnvironment } from '../../api/environment';
import { useCan } from '../../api/session';

interface Option {
  value: string;
  label: string;
}

const KINDS: readonly Option[] = [
  { value: 'user', label: 'All people' },
  { value: 'api_key', label: 'All API keys' },
  { value: 'agent', label: 'All agents' },
  { value: 'integration', label: 'All connected vendors' },
  { value: 'system', label: 'The service itself' },
];

const PAGE = { params: { query: { limit: 200 } } };

/**
 * Returns the options of the filter by actor: kinds of actors, people and keys.
 * @param chosen the filter's value in the URL; always an option, even if the actor is unknown
 */
export function useActorOptions(chosen: string | undefined): readonly Option[] {
  const canRead = useCan('admin');
  // The API returns people only in the live account.
  const isLive = readEnvironment() === 'live';
  const people = api.useQuery('get', '/users', PAGE, { enabled: canRead && isLive });
  const apiKeys = api.useQuery('get', '/api-keys', PAGE, { enabled: canRead });
  const agentKeys = api.useQuery('get', '/agent-keys', PAGE, { enabled: canRead });
  const options = [
    ...KINDS,
    ...listNamed(people.data?.data.items, 'person'),
    ...listNamed(apiKeys.data?.data.items, 'API key'),
    ...listNamed(agentKeys.data?.data.items, 'agent'),
  ];
  const isKnown = !chosen || options.some(({ value }) => value === chosen);
  return isKnown ? options : [...options, { value: chosen, label: `Actor ${chosen.slice(0, 8)}…` }];
}

function listNamed(records: readonly { id: string; name: string }[] = [], kind: string): Option[] {
  return records.map(({ id, name }) => ({ value: id, label: `${name} (${kind})` }));
}
