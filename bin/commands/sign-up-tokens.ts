import { randomBytes } from 'node:crypto';
import { encodeBase62 } from '../../shared/platform/crypto.js';
import { NO_TENANT } from '../../shared/platform/ids.js';
import { insertSignUpToken } from '../../shared/resources/sign-ups/sign-up-rows.js';
import type { RunCommand } from '../cli/command.js';
import { usageError } from '../cli/exit-codes.js';

const DEFAULT_DAYS = 14;
const MAX_DAYS = 90;

/**
 * `tow signup-tokens create`: creates a token and shows it once. If SIGNUP is invite, each token
 * allows one sign-up.
 */
export const createSignUpToken: RunCommand = async ({ values }, { store }) => {
  const days = Number(values.days ?? DEFAULT_DAYS);
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS)
    throw usageError(`--days must be a whole number from 1 to ${MAX_DAYS}.`);
  const token = encodeBase62(randomBytes(32), 43);
  const { db } = await store();
  const { id, expiresAt } = await db.transaction([NO_TENANT], (tx) => insertSignUpToken(tx, { token, days }));
  const expires_at = expiresAt.toISOString();
  return {
    data: { id, token, expires_at },
    text: `${token}\n\nThis token allows one sign-up and is shown only now.\nexpires  ${expires_at}`,
  };
};
