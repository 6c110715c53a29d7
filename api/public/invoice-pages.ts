import type { Command } from '../../shared/contracts/command.js';
import { createSystemCommand } from '../../shared/contracts/system-command.js';
import { readLogo } from '../../shared/documents/logo-queries.js';
import { assertReadMethod, methodNotAllowed, readUserAgent } from '../../shared/http/request.js';
import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import { markInvoiceViewed } from '../../shared/resources/invoices/commands.js';
import { type LinkedInvoice, readLinkedInvoice } from '../../shared/resources/messages/link-queries.js';
import { deriveLinkKey, type LinkTarget, openLink } from '../../shared/resources/planned-messages/link.js';
import { respondWithPdf } from '../routes/invoice-pdf.js';
import { respondWithLogo } from '../routes/logo.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { FORM_PAGE_HEADERS, PAGE_HEADERS, renderInvoicePage } from './page-html.js';
import { respondWithPayPage } from './pay-page.js';
import { consumePublicLimits, readForPage, respondWithExplanation } from './public-page.js';

/**
 * Maximum number of requests per network. Opening a page takes up to three requests. Within these
 * limits, an attacker cannot guess a link.
 */
const PAGE_LIMITS = { minute: 120, hour: 2000 };

/** Maximum number of PDFs per network. A PDF costs a hundred times as much as a page. */
const PDF_LIMITS = { minute: 20, hour: 200 };

/** Maximum number of pay pages per network. Each request may open a page at the payments vendor. */
const PAY_LIMITS = { minute: 10, hour: 60 };

const PATH = /^\/i\/([^/]*)(\/pdf|\/logo|\/pay)?$/;

/**
 * Maximum time that the page waits until the view is recorded. The command runs even if the page
 * stops waiting.
 */
const VIEW_RECORDING_TIMEOUT_MS = 1000;

/** Matches the User-Agent of programs that open links before a person reads the mail or text. */
const ROBOT_USER_AGENT =
  /bot\b|crawl|spider|preview|scanner|safelinks|proofpoint|mimecast|barracuda|facebookexternalhit|whatsapp|slack/i;

const UNKNOWN_LINK_TEXT = 'This link is not valid. Open it again from the message, complete and unchanged.';

/**
 * Handles `/i/{token}`, the invoice page behind the link in a message. The path has no version
 * prefix and needs no key. `/i/{token}/pdf` is the invoice as a PDF, and `/i/{token}/logo` the
 * account's logo. A POST to `/i/{token}/pay` leads to the page where the customer pays.
 */
export function serveInvoicePages(api: ApiRuntime): ApiMiddleware {
  const key = deriveLinkKey(api.config);
  return async (ctx, next) => {
    const [path, token = '', part = ''] = PATH.exec(ctx.path) ?? [];
    if (!path) return next();
    ctx.state.route = `/i/{token}${part}`;
    ctx.set(PAGE_HEADERS);
    if (part === '/pay') assertPostMethod(ctx.method);
    else assertReadMethod(ctx.method);
    const network = findNetworkPrefix(ctx.ip);
    const counted = [{ key: `page:${network}`, limits: PAGE_LIMITS }];
    if (part === '/pdf') counted.push({ key: `page-pdf:${network}`, limits: PDF_LIMITS });
    if (part === '/pay') counted.push({ key: `page-pay:${network}`, limits: PAY_LIMITS });
    if (!(await consumePublicLimits(api, ctx, counted))) return undefined;
    const target = openLink(key, token);
    const found = target && (await readForPage(api, ctx, () => readLinkedInvoice(api.db, target)));
    if (found === 'unavailable') return undefined;
    if (!target || !found) return respondWithExplanation(ctx, 404, ['No such invoice', UNKNOWN_LINK_TEXT]);
    if (found.state !== 'open') return respondWithState(ctx, found);
    return respondWithInvoice(api, ctx, { target, found, part, path: `/i/${token}` });
  };
}

function assertPostMethod(method: string): void {
  if (method !== 'POST') throw methodNotAllowed(method, ['POST']);
}

function respondWithState(ctx: ApiContext, { state, document: { sender } }: LinkedInvoice): void {
  if (state === 'revised')
    respondWithExplanation(ctx, 404, [
      'This invoice is being revised',
      `${sender} will send you a new message when it is ready.`,
    ]);
  else if (state === 'withdrawn')
    respondWithExplanation(ctx, 410, [
      'This invoice was withdrawn',
      `Nothing is owed on it. With questions, contact ${sender}.`,
    ]);
  else
    respondWithExplanation(ctx, 410, [
      'This link has expired',
      `To see the invoice, ask ${sender} to send it to you once more.`,
    ]);
}

interface LinkRequest {
  target: LinkTarget;
  found: LinkedInvoice;
  part: string;
  path: string;
}

async function respondWithInvoice(
  api: ApiRuntime,
  ctx: ApiContext,
  { target, found, part, path }: LinkRequest,
): Promise<void> {
  if (part === '/pay') {
    await respondWithPayPage(api, ctx, { target, found, path });
  } else if (part === '/pdf') {
    await respondWithPdf(api, ctx, { tenantId: target.tenantId, document: found.document });
  } else if (part === '/logo') {
    const logo = await readLogo(api.db, target.tenantId);
    if (!logo)
      return respondWithExplanation(ctx, 404, [
        'No such picture',
        'To see the invoice, open the link without /logo.',
      ]);
    respondWithLogo(ctx, logo);
  } else {
    if (found.isUnseen && isPersonViewing(ctx))
      await waitAtMost(VIEW_RECORDING_TIMEOUT_MS, recordView(api, ctx, { target, found }));
    ctx.type = 'text/html';
    if (found.canPayOnline) ctx.set(FORM_PAGE_HEADERS);
    ctx.body = renderInvoicePage(found.document, { path, canPayOnline: found.canPayOnline });
  }
}

function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  return Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, ms).unref())]);
}

/**
 * False if the headers show that a program opens the page. Mail programs and scanners often open a
 * page before a person does.
 */
function isPersonViewing(ctx: ApiContext): boolean {
  const purpose = `${ctx.get('Sec-Purpose')} ${ctx.get('Purpose')} ${ctx.get('X-Purpose')} ${ctx.get('X-Moz')}`;
  const destination = ctx.get('Sec-Fetch-Dest');
  return (
    ctx.method === 'GET' &&
    !/prefetch|prerender|preview/i.test(purpose) &&
    !ROBOT_USER_AGENT.test(ctx.get('User-Agent')) &&
    (destination === '' || destination === 'document')
  );
}

/** Marks the invoice as viewed. If this fails, the next view marks it. */
async function recordView(
  api: ApiRuntime,
  ctx: ApiContext,
  { target, found }: { target: LinkTarget; found: LinkedInvoice },
): Promise<void> {
  const command: Command = {
    ...createSystemCommand({
      type: markInvoiceViewed.type,
      tenantId: target.tenantId,
      environment: found.environment,
      name: 'invoice page',
      entityId: found.invoiceId,
      input: {},
    }),
    // Commands of requests without a key have the source `webhook`, and the audit entry stores the
    // client's address.
    source: 'webhook',
    requestId: ctx.state.requestId,
    ip: ctx.ip,
    userAgent: readUserAgent(ctx.req),
  };
  await api.submit(command, 0).catch((error: unknown) => {
    api.logger.warn({ err: error, requestId: ctx.state.requestId }, 'a view of an invoice was not recorded');
  });
}
