import type { Command } from '../../shared/contracts/command.js';
import { createSystemCommand } from '../../shared/contracts/system-command.js';
import { assertReadMethod, readUserAgent } from '../../shared/http/request.js';
import { newId } from '../../shared/platform/ids.js';
import type { LinkedInvoice } from '../../shared/resources/messages/link-queries.js';
import { createPayLink, type InvoicePayLink } from '../../shared/resources/pay-links/commands.js';
import {
  findCurrentPayLink,
  findOpenPayLink,
  PAGE_IS_OPEN,
} from '../../shared/resources/pay-links/queries.js';
import { payLinkTable } from '../../shared/resources/pay-links/table.js';
import type { LinkTarget } from '../../shared/resources/planned-messages/link.js';
import { waitForOpening } from '../runtime/await-opening.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { PAGE_HEADERS, renderForwardPage } from './page-html.js';
import { respondWithExplanation } from './public-page.js';

interface PayRequest {
  target: LinkTarget;
  found: LinkedInvoice;
  /** The path of the invoice page, to which the customer returns. */
  path: string;
}

/**
 * Leads the customer to the vendor's page, where the customer pays the invoice. Two browser windows
 * get the same vendor page, so that the customer cannot pay twice.
 */
export async function respondWithPayPage(
  api: ApiRuntime,
  ctx: ApiContext,
  request: PayRequest,
): Promise<void> {
  const { target, found } = request;
  if (!found.canPayOnline)
    return respondWithExplanation(ctx, 409, [
      'This invoice cannot be paid online now',
      `Open the link in your message again to see what is due. With questions, contact ${found.document.sender}.`,
    ]);
  const url =
    (await findOpenPayLink(api.db, { tenantId: target.tenantId, invoiceId: found.invoiceId })) ??
    (await openPage(api, ctx, request));
  if (url === undefined)
    return respondWithExplanation(ctx, 503, [
      'The payment page could not be opened',
      'Go back and try again in a minute. You have not paid anything.',
    ]);
  ctx.type = 'text/html';
  ctx.body = renderForwardPage('Opening the payment page', url);
}

async function openPage(
  api: ApiRuntime,
  ctx: ApiContext,
  { target, found, path }: PayRequest,
): Promise<string | undefined> {
  const id = newId();
  const input: InvoicePayLink = { invoice_id: found.invoiceId, return_path: path };
  const command: Command = {
    ...createSystemCommand({
      type: createPayLink.type,
      tenantId: target.tenantId,
      environment: found.environment,
      name: 'invoice page',
      entityId: id,
      input,
    }),
    source: 'webhook',
    requestId: ctx.state.requestId,
    ip: ctx.ip,
    userAgent: readUserAgent(ctx.req),
  };
  const submitted = await api.submit(command, 0);
  if ('accepted' in submitted) return undefined;
  // If another window has just opened a page for this amount, this window gets that page.
  const isOpen = !submitted.ok && submitted.error.message === PAGE_IS_OPEN;
  if (!submitted.ok && !isOpen) return undefined;
  const current = submitted.ok
    ? id
    : await findCurrentPayLink(api.db, { tenantId: target.tenantId, invoiceId: found.invoiceId });
  if (current === undefined) return undefined;
  const body = await waitForOpening(api.db, payLinkTable, { tenant_id: target.tenantId, id: current });
  const { url } = JSON.parse(body ?? '{}') as { url?: string | null };
  return url ?? undefined;
}

/** The pages for customers whom the vendor sends back. */
const RETURN_PAGES: Readonly<Record<string, [title: string, text: string]>> = {
  '/paid': [
    'Thank you',
    'If you have paid, the company will see your payment in a moment. You can close this page.',
  ],
  '/saved': [
    'Thank you',
    'If you have saved a card or a bank account, the company will see it in a moment. You can close this page.',
  ],
};

/**
 * Handles the paths to which a payments vendor returns customers who did not come from an invoice
 * page. The pages do not say whether the payment succeeded, because only the vendor's report proves
 * that.
 */
export function serveReturnPages(): ApiMiddleware {
  return (ctx, next) => {
    const page = RETURN_PAGES[ctx.path];
    if (!page) return next();
    ctx.state.route = ctx.path;
    ctx.set(PAGE_HEADERS);
    assertReadMethod(ctx.method);
    respondWithExplanation(ctx, 200, page);
    return undefined;
  };
}
