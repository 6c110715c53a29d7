import type { Choice, Choices } from '../contract/accounting.js';
import type { OpenConnection } from '../contract/connection.js';
import { queryBooks } from './api/client.js';

interface Account {
  Id: string;
  FullyQualifiedName?: string;
  Name?: string;
  AccountType?: string;
}

interface TaxCode {
  Id: string;
  Name?: string;
}

const INCOME: readonly string[] = ['Income', 'Other Income'];
/** QuickBooks lets payments go to these accounts. */
const DEPOSIT: readonly string[] = ['Bank', 'Other Current Asset'];

/** Lists accounts and tax codes, up to a thousand of each. */
export async function listChoices(connection: OpenConnection): Promise<Choices> {
  const types = [...INCOME, ...DEPOSIT].map((type) => `'${type}'`).join(', ');
  const accounts = await queryBooks<Account>(
    connection,
    'Account',
    `where AccountType in (${types}) maxresults 1000`,
  );
  const codes = await queryBooks<TaxCode>(connection, 'TaxCode', 'maxresults 1000');
  return {
    account: accounts.map(
      ({ Id: id, FullyQualifiedName, Name, AccountType = '' }): Choice => ({
        id,
        name: FullyQualifiedName ?? Name ?? id,
        use: INCOME.includes(AccountType) ? 'income' : 'deposit',
      }),
    ),
    tax: codes.map(({ Id: id, Name }): Choice => ({ id, name: Name ?? id, use: null })),
  };
}
