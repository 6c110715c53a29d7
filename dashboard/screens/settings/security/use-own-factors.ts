import { api } from '../../../api/client';

/** Reads the person's second factors. `hasFactor` is undefined until they are known. */
export function useOwnFactors() {
  const query = api.useQuery('get', '/me/factors', {});
  const factors = query.data?.data.items;
  return { ...query, factors, hasFactor: factors?.some(({ kind }) => kind !== 'recovery_codes') };
}
