import type { HookAnswer, InboundText } from '../../../shared/integrations/contract/vendor.js';
import { deriveUuid } from '../../../shared/platform/crypto.js';
import type { CalledConnection } from '../../../shared/resources/connections/hook-queries.js';
import { createIntegrationCommand } from '../../../shared/resources/connections/integration-command.js';
import { type ReceivedText, receiveText } from '../../../shared/resources/messages/commands.js';
import type { ApiContext } from '../../runtime/context.js';
import type { ApiRuntime } from '../../runtime/runtime.js';
import { answerCall } from './answer-call.js';
import type { PhoneRequest } from './phone-request.js';
import { commitCommands, describeWebhook } from './store-webhook.js';

/**
 * Handles a text or a step of a call, whose signature was verified.
 * @throws {Error} if the body is none of the vendor's
 */
export async function receivePhone(
  api: ApiRuntime,
  ctx: ApiContext,
  request: PhoneRequest,
): Promise<HookAnswer> {
  const { phone } = request.vendor;
  if (!phone) throw new Error('the vendor brings no texts or calls');
  if (request.part === 'voice') return answerCall(api, ctx, { ...request, phone });
  await storeText(api, ctx, { connection: request.connection, text: phone.readText(request.body) });
  return phone.textAnswer;
}

async function storeText(
  api: ApiRuntime,
  ctx: ApiContext,
  { connection, text }: { connection: CalledConnection; text: InboundText },
): Promise<void> {
  const { tenant_id: tenantId, id: connectionId, vendor, environment } = connection;
  const input: ReceivedText = {
    connection_id: connectionId,
    from: text.from,
    to: text.to,
    text: text.text,
    external_id: text.externalId,
    opt_out_type: text.optOutType,
  };
  // The same text always gets the same id, so a repeated webhook stores nothing.
  const entityId = deriveUuid([connectionId, text.externalId]);
  const command = createIntegrationCommand(
    { tenantId, connectionId, vendor, environment },
    { type: receiveText.type, entityId, input },
  );
  await commitCommands(api, [{ ...command, ...describeWebhook(ctx) }]);
}
