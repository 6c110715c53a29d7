import { api } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import type { Connection } from '../vendors/vendor-kinds';

type Choice = Schemas['Choice'];

export interface BookChoices {
  income: readonly Choice[];
  deposit: readonly Choice[];
  taxes: readonly Choice[];
}

/** The page polls until the worker has read the choices, which follows the sign-in by seconds. */
const POLL_MS = 5000;
/** Then the vendor lists nothing, or cannot be asked. */
const MAX_POLLS = 24;

/** Reads what the settings of books can name. Returns undefined while it is being read. */
export function useBookChoices({ id }: Connection): BookChoices | undefined {
  const accounts = useChoices(id, 'account');
  const taxes = useChoices(id, 'tax');
  if (!accounts || !taxes) return undefined;
  return {
    income: accounts.filter(({ use }) => use === 'income'),
    deposit: accounts.filter(({ use }) => use === 'deposit'),
    taxes,
  };
}

function useChoices(id: string, of: Schemas['ChoiceSubject']): readonly Choice[] | undefined {
  const { data } = api.useQuery(
    'get',
    '/connections/{id}/choices',
    { params: { path: { id }, query: { of } } },
    {
      refetchInterval: ({ state }) =>
        state.data?.data.items.length === 0 && state.dataUpdateCount < MAX_POLLS ? POLL_MS : false,
    },
  );
  return data?.data.items;
}

/** Returns an entry's name for people: its id if the vendor does not list it. */
export function nameChoice(id: string, listed: readonly Choice[]): string {
  return listed.find((one) => one.id === id)?.name ?? `${id}, which the vendor does not list`;
}
