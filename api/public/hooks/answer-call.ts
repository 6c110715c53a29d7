import type { Command } from '../../../shared/contracts/command.js';
import type {
  CallAnswer,
  HookAnswer,
  InboundCall,
  PhoneInbound,
} from '../../../shared/integrations/contract/vendor.js';
import { deriveUuid } from '../../../shared/platform/crypto.js';
import { createIntegrationCommand } from '../../../shared/resources/connections/integration-command.js';
import { createMessage, type NewText } from '../../../shared/resources/messages/commands.js';
import { deriveLinkKey, sealLink } from '../../../shared/resources/planned-messages/link.js';
import { createWorkOrder } from '../../../shared/resources/work-orders/commands.js';
import type { ApiContext } from '../../runtime/context.js';
import type { ApiRuntime } from '../../runtime/runtime.js';
import { type CallerFacts, readCallerFacts } from './caller-facts.js';
import type { PhoneRequest } from './phone-request.js';
import { describeWebhook } from './store-webhook.js';

interface CallRequest extends PhoneRequest {
  phone: PhoneInbound;
}

/** The query parameter that marks the caller's choice from the menu. */
const CHOICE = 'step=choice';

/**
 * Answers one request of a call. The first answer is a menu, and the second carries out the
 * caller's choice. If an error occurs, connects the caller to the dispatcher.
 */
export async function answerCall(
  api: ApiRuntime,
  ctx: ApiContext,
  request: CallRequest,
): Promise<HookAnswer> {
  const { phone, connection, body } = request;
  const call = phone.readCall(body);
  const dispatcher = connection.settings.dispatcher_number;
  const dialNumber = typeof dispatcher === 'string' ? { dialNumber: dispatcher } : {};
  try {
    const facts = await readCallerFacts(api.db, { tenantId: connection.tenant_id, phone: call.from });
    const isChoice = ctx.querystring === CHOICE;
    const answer = isChoice ? await choose(api, ctx, { request, call, facts }) : greet(api, ctx, facts);
    return phone.renderCall('isConnected' in answer ? { ...answer, ...dialNumber } : answer);
  } catch (error) {
    api.logger.error({ err: error, requestId: ctx.state.requestId }, 'a step of a call failed');
    return phone.renderCall({ sentences: ['Please hold. We connect you.'], ...dialNumber });
  }
}

/**
 * The answer to one request of a call. If `isConnected` is true, the vendor then connects the
 * caller to the dispatcher.
 */
type Answer = CallAnswer | (CallAnswer & { isConnected: true });

function greet({ config }: ApiRuntime, ctx: ApiContext, { business_name }: CallerFacts): Answer {
  return {
    sentences: [
      `Welcome to ${business_name}.`,
      'For the status of your tow, press 1.',
      'To ask for a tow, press 2.',
      'To get your invoice as a text, press 3.',
      'To talk to a dispatcher, press 0 or hold.',
    ],
    menuUrl: `${config.publicUrl}${ctx.path}?${CHOICE}`,
    isConnected: true,
  };
}

interface Choice {
  request: CallRequest;
  call: InboundCall;
  facts: CallerFacts;
}

async function choose(api: ApiRuntime, ctx: ApiContext, choice: Choice): Promise<Answer> {
  const { digit } = choice.call;
  if (digit === '1') return tellStatus(choice.facts);
  if (digit === '2') return askForTow(api, ctx, choice);
  if (digit === '3') return textInvoice(api, ctx, choice);
  return { sentences: ['We connect you to a dispatcher.'], isConnected: true };
}

const STATUS_SENTENCES: Readonly<Record<string, string>> = {
  pending: 'We have your request, and a dispatcher is looking for a truck.',
  dispatched: 'A truck is assigned to you.',
  in_progress: 'Your driver is on the job.',
};

/** Answers only about the work order whose contact has the caller's number. */
function tellStatus({ job }: CallerFacts): Answer {
  if (!job) return { sentences: ['We find no open job for your number. We connect you.'], isConnected: true };
  const minutes = job.eta_minutes;
  const eta = minutes !== null && minutes > 0 ? [`The truck arrives in about ${minutes} minutes.`] : [];
  return { sentences: [STATUS_SENTENCES[job.status] ?? 'Your job is under way.', ...eta, 'Goodbye.'] };
}

/** Creates one work order per call, even if the vendor repeats the request. */
async function askForTow(api: ApiRuntime, ctx: ApiContext, { request, call }: Choice): Promise<Answer> {
  const { connection } = request;
  const input = {
    service_type: 'tow',
    contact_phone: call.from,
    notes: 'Asked for by phone. Call back to learn where the vehicle is.',
  };
  const entityId = deriveUuid([connection.id, call.externalId]);
  await run(api, ctx, {
    request,
    type: createWorkOrder.type,
    entityId,
    input,
    id: deriveUuid([entityId, 'tow']),
  });
  return { sentences: ['Thank you. A dispatcher calls you back in a moment.', 'Goodbye.'] };
}

/** Texts the link of the caller's newest open invoice to the caller's own number. */
async function textInvoice(api: ApiRuntime, ctx: ApiContext, choice: Choice): Promise<Answer> {
  const { request, call, facts } = choice;
  const { invoice, business_name } = facts;
  if (invoice === null)
    return { sentences: ['We find no open invoice for your number. We connect you.'], isConnected: true };
  const entityId = deriveUuid([invoice.id, call.externalId]);
  const { tenant_id: tenantId } = request.connection;
  const token = sealLink(deriveLinkKey(api.config), { tenantId, messageId: entityId });
  const dollars = (invoice.balance_cents / 100).toFixed(2);
  const text = `${business_name}: invoice ${invoice.invoice_number}, $${dollars} due. See and pay it here: ${api.config.publicUrl}/i/${token}`;
  const input: NewText = { to: call.from, text, invoice_id: invoice.id };
  await run(api, ctx, {
    request,
    type: createMessage.type,
    entityId,
    input,
    id: deriveUuid([entityId, 'invoice']),
  });
  return { sentences: ['We text you your invoice now.', 'Goodbye.'] };
}

/**
 * Submits a command whose id depends only on the call and the caller's choice. So the choice acts
 * only once, even if the vendor repeats the request.
 * @throws {Error} if the command fails
 */
async function run(
  api: ApiRuntime,
  ctx: ApiContext,
  {
    request,
    id,
    ...command
  }: { request: CallRequest; id: string; type: string; entityId: string; input: unknown },
): Promise<void> {
  const { tenant_id: tenantId, id: connectionId, vendor, environment } = request.connection;
  const built: Command = {
    ...createIntegrationCommand({ tenantId, connectionId, vendor, environment }, command),
    ...describeWebhook(ctx),
    id,
  };
  const submitted = await api.submit(built, 0);
  if ('ok' in submitted && !submitted.ok) throw new Error(submitted.error.message);
}
