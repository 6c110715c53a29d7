import { methodNotAllowed } from '../../shared/http/request.js';
import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import { openTapToken, type PretendTap } from '../../shared/resources/terminal-payments/pretend-url.js';
import {
  type PretendTerminalPayment,
  readPretendTerminalPayment,
} from '../../shared/resources/terminal-payments/queries.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { FORM_PAGE_HEADERS, renderChoicePage } from './page-html.js';
import { submitPretended } from './pretend-pay.js';
import { consumePublicLimits, readForPage, respondWithExplanation } from './public-page.js';
import { readRawBody } from './read-raw-body.js';

const PATH = /^\/pretend\/reader\/([^/]{1,400})$/;
const PAGE_LIMITS = { minute: 120, hour: 2000 };
const BODY = { maxBytes: 1000, deadlineMs: 5000 };

const OUTCOMES = {
  tap: { label: 'Tap the card', status: 'succeeded' },
  decline: { label: 'Tap a card that the bank declines', status: 'failed' },
} as const;
type Outcome = keyof typeof OUTCOMES;

/**
 * Handles `/pretend/reader/{token}`, where a person pretends to present a card to a sandbox's card
 * reader. No money moves.
 */
export function servePretendReader(api: ApiRuntime): ApiMiddleware {
  return async (ctx, next) => {
    const [path, token = ''] = PATH.exec(ctx.path) ?? [];
    if (!path) return next();
    ctx.state.route = '/pretend/reader/{token}';
    ctx.set(FORM_PAGE_HEADERS);
    if (!['GET', 'HEAD', 'POST'].includes(ctx.method)) throw methodNotAllowed(ctx.method, ['GET', 'POST']);
    const network = findNetworkPrefix(ctx.ip);
    if (!(await consumePublicLimits(api, ctx, [{ key: `page:${network}`, limits: PAGE_LIMITS }]))) return;
    const tap = openTapToken(api.config, token);
    const payment = tap && (await readForPage(api, ctx, () => readPretendTerminalPayment(api.db, tap)));
    if (payment === 'unavailable') return;
    if (!tap || !payment)
      return respondWithExplanation(ctx, 404, ['No such page', 'Start a new payment on the card reader.']);
    if (ctx.method !== 'POST') return respondWithChoices(ctx, payment);
    const form = new URLSearchParams((await readRawBody(ctx, BODY)).toString('utf8'));
    const outcome = listOffered(payment).find((name) => name === form.get('outcome'));
    if (outcome === undefined) return respondWithChoices(ctx, payment);
    await present(api, ctx, { tap, payment, outcome });
    ctx.status = 303;
    ctx.set('Location', ctx.path);
  };
}

function listOffered({ status, is_expired: isExpired }: PretendTerminalPayment): Outcome[] {
  return status === 'waiting' && !isExpired ? ['tap', 'decline'] : [];
}

function respondWithChoices(ctx: ApiContext, payment: PretendTerminalPayment): void {
  const dollars = `$${(payment.amount_cents / 100).toFixed(2)}`;
  const state = listOffered(payment).length > 0 ? 'The reader waits for a card.' : 'The reader is idle.';
  ctx.type = 'text/html';
  ctx.body = renderChoicePage(
    `Invoice ${payment.invoice_number}: ${dollars}`,
    `This is a sandbox, so no money moves. ${state}`,
    listOffered(payment).map((name) => ({ name: 'outcome', value: name, label: OUTCOMES[name].label })),
  );
}

async function present(
  api: ApiRuntime,
  ctx: ApiContext,
  { tap, payment, outcome }: { tap: PretendTap; payment: PretendTerminalPayment; outcome: Outcome },
): Promise<void> {
  const { tenantId, terminalPaymentId } = tap;
  const { status } = OUTCOMES[outcome];
  const now = new Date().toISOString();
  await submitPretended(api, ctx, {
    tenantId,
    paidId: terminalPaymentId,
    input: {
      invoice_id: payment.invoice_id,
      pay_link_id: null,
      terminal_payment_id: terminalPaymentId,
      provider_payment_id: `pretend_${terminalPaymentId}`,
      status,
      amount_cents: payment.amount_cents,
      method: 'card',
      fee_cents: 0,
      failure_reason: status === 'failed' ? 'The bank declined the card.' : null,
      paid_at: now,
      observed_at: now,
    },
  });
}
