import type { Command } from '../../shared/contracts/command.js';
import { createSystemCommand } from '../../shared/contracts/system-command.js';
import { methodNotAllowed, readUserAgent } from '../../shared/http/request.js';
import { deriveUuid } from '../../shared/platform/crypto.js';
import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import { openPretendToken, type PretendPage } from '../../shared/resources/open-pay-links/pretend-page.js';
import { type PretendLink, readPretendLink } from '../../shared/resources/pay-links/queries.js';
import { type PaymentReport, recordPayment } from '../../shared/resources/payments/commands.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { FORM_PAGE_HEADERS, renderChoicePage } from './page-html.js';
import { consumePublicLimits, readForPage, respondWithExplanation } from './public-page.js';
import { readRawBody } from './read-raw-body.js';

const PATH = /^\/pretend\/pay\/([^/]{1,400})$/;
const PAGE_LIMITS = { minute: 120, hour: 2000 };
const BODY = { maxBytes: 1000, deadlineMs: 5000 };

/** The outcomes that a person can choose on the page, with the resulting payment status. */
const OUTCOMES = {
  card: { label: 'Pay by card', status: 'succeeded', method: 'card' },
  bank: { label: 'Pay by bank account', status: 'processing', method: 'ach' },
  settle: { label: 'Let the debit arrive', status: 'succeeded', method: 'ach' },
  fail: { label: 'Let the debit fail', status: 'failed', method: 'ach' },
  decline: { label: 'Decline the card', status: undefined, method: 'card' },
} as const;
type Outcome = keyof typeof OUTCOMES;

/**
 * Handles `/pretend/pay/{token}`, where a sandbox simulates the reports of a payments vendor: a
 * payment, a debit that arrives or fails, a declined card. No money moves.
 */
export function servePretendPay(api: ApiRuntime): ApiMiddleware {
  return async (ctx, next) => {
    const [path, token = ''] = PATH.exec(ctx.path) ?? [];
    if (!path) return next();
    ctx.state.route = '/pretend/pay/{token}';
    ctx.set(FORM_PAGE_HEADERS);
    if (!['GET', 'HEAD', 'POST'].includes(ctx.method)) throw methodNotAllowed(ctx.method, ['GET', 'POST']);
    const network = findNetworkPrefix(ctx.ip);
    if (!(await consumePublicLimits(api, ctx, [{ key: `page:${network}`, limits: PAGE_LIMITS }]))) return;
    const page = openPretendToken(api.config, token);
    const link = page && (await readForPage(api, ctx, () => readPretendLink(api.db, page)));
    if (link === 'unavailable') return;
    if (!page || !link)
      return respondWithExplanation(ctx, 404, ['No such page', 'Open a new pay link of the invoice.']);
    const offered = listOffered(link);
    if (ctx.method !== 'POST') return respondWithChoices(ctx, link, offered);
    const form = new URLSearchParams((await readRawBody(ctx, BODY)).toString('utf8'));
    const outcome = offered.find((name) => name === form.get('outcome'));
    if (outcome === undefined) return respondWithChoices(ctx, link, offered);
    await pretend(api, ctx, { page, link, outcome });
    ctx.status = 303;
    ctx.set('Location', ctx.path);
  };
}

/**
 * Lists the outcomes that a person can choose now. A person can pay an open link. A debit that is
 * still processing can arrive or fail.
 */
function listOffered({ status, payment_status }: PretendLink): Outcome[] {
  if (payment_status === 'processing') return ['settle', 'fail'];
  return status === 'open' ? ['card', 'bank', 'decline'] : [];
}

function respondWithChoices(ctx: ApiContext, link: PretendLink, offered: readonly Outcome[]): void {
  const dollars = `$${(link.amount_cents / 100).toFixed(2)}`;
  const state = link.payment_status
    ? `The payment is ${link.payment_status}.`
    : `The page is ${link.status}.`;
  ctx.type = 'text/html';
  ctx.body = renderChoicePage(
    `Invoice ${link.invoice_number}: ${dollars}`,
    `This is a sandbox, so no money moves. ${state}`,
    offered.map((name) => ({ name: 'outcome', value: name, label: OUTCOMES[name].label })),
  );
}

async function pretend(
  api: ApiRuntime,
  ctx: ApiContext,
  { page, link, outcome }: { page: PretendPage; link: PretendLink; outcome: Outcome },
): Promise<void> {
  const { status, method } = OUTCOMES[outcome];
  if (status === undefined) return;
  const now = new Date().toISOString();
  const input: PaymentReport = {
    invoice_id: link.invoice_id,
    pay_link_id: page.payLinkId,
    provider_payment_id: `pretend_${page.payLinkId}`,
    status,
    amount_cents: link.amount_cents,
    method,
    fee_cents: 0,
    failure_reason: status === 'failed' ? 'The sandbox let the debit fail.' : null,
    paid_at: now,
    observed_at: now,
  };
  await submitPretended(api, ctx, { tenantId: page.tenantId, paidId: page.payLinkId, input });
}

/**
 * Submits the report that a vendor would send about a payment.
 * @param paidId the id of the pay link, or of another record that the customer pays. Each such
 *   record has only one payment
 */
export async function submitPretended(
  api: ApiRuntime,
  ctx: ApiContext,
  { tenantId, paidId, input }: { tenantId: string; paidId: string; input: PaymentReport },
): Promise<void> {
  const entityId = deriveUuid([paidId, 'payment']);
  await submitPretendReport(api, ctx, { type: recordPayment.type, tenantId, entityId, input });
}

/**
 * Submits a command that the integrations worker would submit after it has read the vendor's
 * records.
 */
export async function submitPretendReport(
  api: ApiRuntime,
  ctx: ApiContext,
  report: Pick<Command, 'type' | 'tenantId' | 'entityId' | 'input'>,
): Promise<void> {
  const command: Command = {
    ...createSystemCommand({ ...report, environment: 'sandbox', name: 'pretend' }),
    source: 'webhook',
    requestId: ctx.state.requestId,
    ip: ctx.ip,
    userAgent: readUserAgent(ctx.req),
  };
  await api.submit(command, 0);
}
