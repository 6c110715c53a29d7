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
 * Handles an incoming text, or one request of a call. The signature must already be verified.
 * @throws {Error} if the body does not have the vendor's format
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
  // Derive the id from the text's id at the vendor, so that a repeated webhook stores nothing.
  const entityId = deriveUuid([connectionId, text.externalId]);
  const command = createIntegrationCommand(
    { tenantId, connectionId, vendor, environment },
    { type: receiveText.type, entityId, input },
  );
  await commitCommands(api, [{ ...command, ...describeWebhook(ctx) }]);
}
