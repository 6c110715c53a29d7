import type { Choice, Choices } from '../contract/accounting.js';
import type { OpenConnection } from '../contract/connection.js';
import { callXero } from './api/client.js';

interface Account {
  AccountID: string;
  Code?: string;
  Name?: string;
  Type?: string;
  Class?: string;
  EnablePaymentsToAccount?: boolean;
}

interface TaxRate {
  TaxType: string;
  Name?: string;
}

const ACTIVE = { where: 'Status=="ACTIVE"' };

/** Lists accounts and tax types. Lines name the code of an account; bank accounts may have none. */
export async function listChoices(connection: OpenConnection): Promise<Choices> {
  const { Accounts = [] } = await callXero<{ Accounts?: Account[] }>(connection, {
    method: 'GET',
    path: '/Accounts',
    query: ACTIVE,
  });
  const { TaxRates = [] } = await callXero<{ TaxRates?: TaxRate[] }>(connection, {
    method: 'GET',
    path: '/TaxRates',
    query: ACTIVE,
  });
  return {
    account: Accounts.flatMap(toChoices),
    tax: TaxRates.map(({ TaxType: id, Name }): Choice => ({ id, name: Name ?? id, use: null })),
  };
}

function toChoices({ AccountID, Code, Name, Type, Class, EnablePaymentsToAccount }: Account): Choice[] {
  const name = [Code, Name].filter(Boolean).join(' ') || AccountID;
  if (Class === 'REVENUE') return Code ? [{ id: Code, name, use: 'income' }] : [];
  return Type === 'BANK' || EnablePaymentsToAccount ? [{ id: AccountID, name, use: 'deposit' }] : [];
}
