import type { Command } from '../../shared/contracts/command.js';
import { systemCommand } from '../../shared/contracts/system-command.js';
import { isTransientDatabaseError, methodNotAllowed } from '../../shared/platform/errors.js';
import { networkOf } from '../../shared/platform/network-of.js';
import { markInvoiceViewed } from '../../shared/resources/invoices/commands.js';
import { type LinkTarget, linkKeyOf, openLink } from '../../shared/resources/messages/link.js';
import { type LinkedInvoice, readLinkedInvoice } from '../../shared/resources/messages/link-queries.js';
import { readLogo } from '../../shared/resources/settings/logo-queries.js';
import type { AnyContext, ApiMiddleware } from '../context.js';
import { answerPdf } from '../routes/invoice-pdf.js';
import { answerLogo } from '../routes/logo.js';
import type { ApiRuntime } from '../runtime.js';
import { invoicePage, noticePage, PAGE_HEADERS } from './page-html.js';

/**
 * Requests of one network; a page is up to three of them. Whoever has a link needs few, whoever
 * guesses gets nowhere.
 */
const LIMITS = { minute: 120, hour: 2000 };

/** A PDF costs a hundred times what a page does. */
const PDF_LIMITS = { minute: 20, hour: 200 };

const PATH = /^\/i\/([^/]*)(\/pdf|\/logo)?$/;

/** How long the page waits for its own look to be noted; it is noted all the same. In ms. */
const NOTING_MS = 1000;

/** Programs that open links before anybody reads the message, as far as they say so. */
const ROBOT =
  /bot\b|crawl|spider|preview|scanner|safelinks|proofpoint|mimecast|barracuda|facebookexternalhit|whatsapp|slack/i;

const UNKNOWN = 'This link does not lead anywhere. Open it again from the message, whole and unchanged.';

/**
 * `/i/{token}`: what a customer sees who follows the link in a message, without a key and outside
 * the versions. `/pdf` is the same as a PDF, `/logo` the account's logo on it.
 */
export function invoicePages(api: ApiRuntime): ApiMiddleware {
  const key = linkKeyOf(api.config);
  return async (ctx, next) => {
    const [path, token = '', part = ''] = PATH.exec(ctx.path) ?? [];
    if (!path) return next();
    ctx.state.route = `/i/{token}${part}`;
    ctx.set(PAGE_HEADERS);
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET']);
    const network = networkOf(ctx.ip);
    const decisions = [await api.limiter.consume(`page:${network}`, LIMITS)];
    if (part === '/pdf') decisions.push(await api.limiter.consume(`page-pdf:${network}`, PDF_LIMITS));
    const windows = decisions.flatMap((one) => one.windows.filter(({ remaining }) => remaining < 0));
    if (windows.length > 0) {
      ctx.set('Retry-After', String(Math.max(...windows.map((window) => window.resetSeconds))));
      return notice(ctx, 429, ['Too many requests', 'Wait a minute, then open the link again.']);
    }
    const target = openLink(key, token);
    const found = target && (await read(api, ctx, target));
    if (found === 'away') return undefined;
    if (!target || !found) return notice(ctx, 404, ['No such invoice', UNKNOWN]);
    if (found.state !== 'open') return explain(ctx, found);
    return show(api, ctx, { target, found, part, path: `/i/${token}` });
  };
}

/** A person gets a page where a program would get an envelope. */
async function read(
  api: ApiRuntime,
  ctx: AnyContext,
  target: LinkTarget,
): Promise<LinkedInvoice | 'away' | undefined> {
  try {
    return await readLinkedInvoice(api.db, target);
  } catch (error) {
    if (!isTransientDatabaseError(error)) throw error;
    api.logger.warn({ err: error, requestId: ctx.state.requestId }, 'a public page could not be read');
    ctx.set('Retry-After', '5');
    notice(ctx, 503, ['Not available right now', 'Open the link again in a moment.']);
    return 'away';
  }
}

function notice(ctx: AnyContext, status: number, [title, text]: [string, string]): void {
  ctx.status = status;
  ctx.type = 'text/html';
  ctx.body = noticePage(title, text);
}

function explain(ctx: AnyContext, { state, document: { sender } }: LinkedInvoice): void {
  if (state === 'revised')
    notice(ctx, 404, [
      'This invoice is being revised',
      `${sender} will send you a new message when it is ready.`,
    ]);
  else if (state === 'withdrawn')
    notice(ctx, 410, [
      'This invoice was withdrawn',
      `Nothing is owed on it. With questions, contact ${sender}.`,
    ]);
  else
    notice(ctx, 410, [
      'This link has expired',
      `To see the invoice, ask ${sender} to send it to you once more.`,
    ]);
}

interface Shown {
  target: LinkTarget;
  found: LinkedInvoice;
  part: string;
  path: string;
}

async function show(api: ApiRuntime, ctx: AnyContext, { target, found, part, path }: Shown): Promise<void> {
  if (part === '/pdf') {
    await answerPdf(api, ctx, { tenantId: target.tenantId, document: found.document });
  } else if (part === '/logo') {
    const logo = await readLogo(api.db, target.tenantId);
    if (!logo) return notice(ctx, 404, ['No such picture', 'The invoice is at the link without /logo.']);
    answerLogo(ctx, logo);
  } else {
    if (found.isUnseen && isLook(ctx)) await atMost(NOTING_MS, noteSeen(api, ctx, { target, found }));
    ctx.type = 'text/html';
    ctx.body = invoicePage(found.document, path);
  }
}

function atMost(ms: number, work: Promise<void>): Promise<void> {
  return Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, ms).unref())]);
}

/** False for what browsers, mail programs and scanners load before anybody looks, as far as it can be told. */
function isLook(ctx: AnyContext): boolean {
  const purpose = `${ctx.get('Sec-Purpose')} ${ctx.get('Purpose')} ${ctx.get('X-Purpose')} ${ctx.get('X-Moz')}`;
  const destination = ctx.get('Sec-Fetch-Dest');
  return (
    ctx.method === 'GET' &&
    !/prefetch|prerender|preview/i.test(purpose) &&
    !ROBOT.test(ctx.get('User-Agent')) &&
    (destination === '' || destination === 'document')
  );
}

/** Marks the invoice as viewed. Should the store be away, the next look tells. */
async function noteSeen(
  api: ApiRuntime,
  ctx: AnyContext,
  { target, found }: { target: LinkTarget; found: LinkedInvoice },
): Promise<void> {
  const command: Command = {
    ...systemCommand({
      type: markInvoiceViewed.type,
      tenantId: target.tenantId,
      environment: found.environment,
      name: 'invoice page',
      entityId: found.invoiceId,
      input: {},
    }),
    // It comes from outside, unasked, like a partner's call; the audit log keeps from where.
    source: 'webhook',
    requestId: ctx.state.requestId,
    ip: ctx.ip,
    userAgent: ctx.get('User-Agent').slice(0, 200) || null,
  };
  await api.submit(command, 0).catch((error: unknown) => {
    api.logger.warn({ err: error, requestId: ctx.state.requestId }, 'a look at an invoice was not recorded');
  });
}
