import { adoptSecretKey } from '../../shared/platform/secret-key.js';
import type { RunCommand } from './command.js';

const LOST =
  'What the earlier one encrypted or signed is lost: give each webhook endpoint a new secret (POST /webhook-endpoints/{id}/rotate-secret) and its custom headers again, and send invoices again whose links must open.';

/**
 * `tow secret-key adopt`: after a planned change, makes the SECRET_KEY of this environment the one
 * that every process must have.
 */
export const adopt: RunCommand = async (_args, { config, store }) => {
  const { db } = await store();
  const { isChanged } = await adoptSecretKey(db, config().secretKey);
  const text = isChanged
    ? `This SECRET_KEY is now the one that every process must have. ${LOST}`
    : 'Every process must have this SECRET_KEY already.';
  return { data: { changed: isChanged }, text };
};
