import { adoptSecretKey } from '../../shared/server/secret-key.js';
import type { RunCommand } from '../cli/command.js';

const DATA_LOSS_TEXT =
  'Everything that the earlier key encrypted or signed is lost. Give each webhook endpoint a new secret (POST /webhook-endpoints/{id}/rotate-secret) and set its custom headers again. Send each invoice again whose link must still open.';

/**
 * `tow secret-key adopt`: run this command after a planned change of SECRET_KEY. From then on,
 * every process must have the new key.
 */
export const adoptConfiguredSecretKey: RunCommand = async (_args, { config, store }) => {
  const { db } = await store();
  const { isChanged } = await adoptSecretKey(db, config().secretKey);
  const text = isChanged
    ? `This SECRET_KEY is now the one that every process must have. ${DATA_LOSS_TEXT}`
    : 'Nothing to change: this SECRET_KEY is already the one that every process must have.';
  return { data: { changed: isChanged }, text };
};
