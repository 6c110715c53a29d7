import type { Config } from '../../config/config.js';
import type { Command, Prompt } from '../../contracts/command.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { insertOperations } from '../../sync/operation-rows.js';
import { findTextConnections, providerFor } from './choose-provider.js';
import { planOperations, promptProviders } from './plan.js';
import { findPretendFailure } from './pretend-text.js';
import { countSegments } from './segments.js';
import { findFirstState, insertMessages } from './store.js';

/** A text message that does not announce an invoice. */
export interface PlannedText {
  /** The command that sends the text. */
  command: Command;
  id?: string;
  to: string;
  text: string;
  work_order_id: string | null;
  /** The invoice that the link in the text opens. */
  invoice_id?: string | null;
  template?: string | null;
}

/**
 * The template of the text to the account's own driver. Quiet hours do not apply, because the
 * driver is at work.
 */
const DRIVER_TEMPLATE = 'driver_link';

/**
 * Stores texts in the transaction of the commands that send them. In a sandbox, or without a
 * connection for texts, they stay in the outbox.
 * @returns the wake-up jobs of each command, by the command's id
 */
export async function storeTexts(
  tx: Transaction,
  texts: readonly PlannedText[],
  config: Config,
): Promise<Map<string, Prompt[]>> {
  const prompts = new Map<string, Prompt[]>();
  if (texts.length === 0) return prompts;
  const connections = await findTextConnections(
    tx,
    texts.map(({ command }) => command.tenantId),
  );
  const rows = texts.map(
    ({ command, id = newId(), to, text, work_order_id, invoice_id = null, template = null }) => {
      const { tenantId: tenant_id, environment } = command;
      const { provider, connectionId } = providerFor(
        config,
        { channel: 'sms', environment },
        connections.get(tenant_id),
      );
      const prompted = promptProviders([{ id, provider, connectionId }]);
      prompts.set(command.id, [...(prompts.get(command.id) ?? []), ...prompted]);
      return {
        tenant_id,
        id,
        work_order_id,
        invoice_id,
        template,
        channel: 'sms' as const,
        recipient: to,
        body_text: text,
        segments: countSegments(text),
        respects_quiet_hours: template !== null && template !== DRIVER_TEMPLATE,
        ...findFirstState(provider, findPretendFailure({ channel: 'sms', recipient: to, environment })),
        provider,
        connection_id: connectionId,
      };
    },
  );
  await insertMessages(tx, rows);
  await insertOperations(tx, planOperations(rows));
  return prompts;
}
