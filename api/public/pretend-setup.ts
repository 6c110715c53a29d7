import { methodNotAllowed } from '../../shared/http/request.js';
import type { SavedMethodState } from '../../shared/integrations/contract/saved-methods.js';
import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import { buildPretendPayment } from '../../shared/resources/autopay-attempts/pretend-sweep.js';
import { recordSavedMethod, type SavedMethodReport } from '../../shared/resources/saved-methods/commands.js';
import {
  describePretendMethod,
  isPretendMethod,
  PRETEND_METHODS,
  type PretendMethodName,
  toPretendMethodId,
} from '../../shared/resources/saved-methods/pretend-methods.js';
import { openSetupToken, type PretendSetup } from '../../shared/resources/saved-methods/pretend-url.js';
import { type PretendSavedMethod, readPretendMethod } from '../../shared/resources/saved-methods/queries.js';
import { toSavedMethodReport } from '../../shared/resources/saved-methods/to-report.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { FORM_PAGE_HEADERS, type PageChoice, renderChoicePage } from './page-html.js';
import { submitPretended, submitPretendReport } from './pretend-pay.js';
import { consumePublicLimits, readForPage, respondWithExplanation } from './public-page.js';
import { readRawBody } from './read-raw-body.js';

const PATH = /^\/pretend\/setup\/([^/]{1,400})$/;
const PAGE_LIMITS = { minute: 120, hour: 2000 };
const BODY = { maxBytes: 1000, deadlineMs: 5000 };

const DEPOSITS: PageChoice[] = [
  { name: 'deposits', value: 'right', label: 'Confirm the small deposits' },
  { name: 'deposits', value: 'wrong', label: 'Enter wrong amounts' },
];

/**
 * Handles `/pretend/setup/{token}`, where a person saves a payment method in a sandbox. The person
 * also confirms the deposits to a bank account, and decides how later charges end. No money moves.
 */
export function servePretendSetup(api: ApiRuntime): ApiMiddleware {
  return async (ctx, next) => {
    const [path, token = ''] = PATH.exec(ctx.path) ?? [];
    if (!path) return next();
    ctx.state.route = '/pretend/setup/{token}';
    ctx.set(FORM_PAGE_HEADERS);
    if (!['GET', 'HEAD', 'POST'].includes(ctx.method)) throw methodNotAllowed(ctx.method, ['GET', 'POST']);
    const network = findNetworkPrefix(ctx.ip);
    if (!(await consumePublicLimits(api, ctx, [{ key: `page:${network}`, limits: PAGE_LIMITS }]))) return;
    const setup = openSetupToken(api.config, token);
    const method = setup && (await readForPage(api, ctx, () => readPretendMethod(api.db, setup)));
    if (method === 'unavailable') return;
    if (!setup || !method)
      return respondWithExplanation(ctx, 404, ['No such page', 'Open a new page for a payment method.']);
    if (ctx.method !== 'POST') return respondWithChoices(ctx, method);
    const form = new URLSearchParams((await readRawBody(ctx, BODY)).toString('utf8'));
    const chosen = listChoices(method).find(({ name, value }) => form.get(name) === value);
    if (!chosen) return respondWithChoices(ctx, method);
    await pretend({ api, ctx, setup, method }, chosen);
    ctx.status = 303;
    ctx.set('Location', ctx.path);
  };
}

/** Lists the choices that the current state of the payment method allows. */
function listChoices({ status, type, debits }: PretendSavedMethod): PageChoice[] {
  const names = Object.keys(PRETEND_METHODS) as PretendMethodName[];
  const offer = (name: PretendMethodName) => ({
    name: 'method',
    value: name,
    label: PRETEND_METHODS[name].label,
  });
  if (status === 'open') return names.map(offer);
  if (status === 'verifying') return DEPOSITS;
  if (status === 'active' && type === 'card')
    return names.filter((name) => PRETEND_METHODS[name].type === 'card').map(offer);
  return debits.flatMap(({ attempt_id, invoice_number }) => [
    { name: 'settle', value: attempt_id, label: `Let the debit for ${invoice_number} arrive` },
    { name: 'fail', value: attempt_id, label: `Let the debit for ${invoice_number} fail` },
  ]);
}

function respondWithChoices(ctx: ApiContext, method: PretendSavedMethod): void {
  const { status, type, last4 } = method;
  const saved = last4 === null ? '' : ` It is a ${type === 'card' ? 'card' : 'bank account'} ${last4}.`;
  const next = status === 'active' && type === 'card' ? ' Choose how later charges end.' : '';
  ctx.type = 'text/html';
  ctx.body = renderChoicePage(
    'Payment method',
    `This is a sandbox, so no money moves. The payment method is ${status}.${saved}${next}`,
    listChoices(method),
  );
}

interface SetupRequest {
  api: ApiRuntime;
  ctx: ApiContext;
  setup: PretendSetup;
  method: PretendSavedMethod;
}

async function pretend(request: SetupRequest, { name, value }: PageChoice): Promise<void> {
  if (name === 'method' && isPretendMethod(value))
    return save(request, value, value === 'bank' ? 'verifying' : 'usable');
  if (name === 'deposits') return save(request, 'bank', value === 'right' ? 'usable' : 'failed');
  const { api, ctx, setup, method } = request;
  const debit = method.debits.find(({ attempt_id }) => attempt_id === value);
  if (!debit) return;
  const input = buildPretendPayment(
    { ...debit, method_type: method.type },
    name === 'settle' ? 'succeeded' : 'failed',
  );
  await submitPretended(api, ctx, { tenantId: setup.tenantId, paidId: debit.attempt_id, input });
}

/** Submits the report that a vendor would send about the payment method. */
async function save(
  { api, ctx, setup }: SetupRequest,
  name: PretendMethodName,
  status: SavedMethodState['status'],
): Promise<void> {
  const { tenantId, methodId } = setup;
  const verificationUrl = `${api.config.publicUrl}${ctx.path}`;
  const state = describePretendMethod(methodId, name, { status, verificationUrl });
  const input: SavedMethodReport = {
    ...toSavedMethodReport(toPretendMethodId(name), state),
    observed_at: new Date().toISOString(),
  };
  await submitPretendReport(api, ctx, { type: recordSavedMethod.type, tenantId, entityId: methodId, input });
}
