import { createRateLimitError } from '../../../shared/http/rate-limit-response.js';
import { assertReadMethod, methodNotAllowed } from '../../../shared/http/request.js';
import { AppError } from '../../../shared/platform/errors.js';
import { findNetworkPrefix } from '../../../shared/platform/limits/network-prefix.js';
import { readWorkOrderPayment } from '../../../shared/resources/terminal-payments/work-order-queries.js';
import {
  type DrivenWorkOrder,
  readDrivenWorkOrder,
} from '../../../shared/resources/work-order-links/driver-queries.js';
import {
  deriveLinkKeys,
  type LinkTarget,
  openDriverLink,
} from '../../../shared/resources/work-order-links/link.js';
import { readBody } from '../../middleware/body.js';
import { assertNoCsrf } from '../../middleware/session-cookie.js';
import { BuiltFiles, sendBuiltFile } from '../../runtime/built-files.js';
import type { ApiContext, ApiMiddleware } from '../../runtime/context.js';
import type { ApiRuntime } from '../../runtime/runtime.js';
import { PAGE_HEADERS } from '../page-html.js';
import {
  consumePublicLimits,
  type PublicLimit,
  readForPage,
  respondWithExplanation,
} from '../public-page.js';
import { type DriverRequest, parseAction, runAction } from './driver-actions.js';
import type { DriverState, EmbeddedState } from './driver-contract.js';
import { DRIVER_HEADERS, LINK_ENDED, renderDriverPage } from './driver-html.js';
import { readPayments, showPayment, takePaymentTap } from './driver-payments.js';
import { addPhoto } from './driver-photos.js';
import { buildDriverState } from './driver-state.js';

/**
 * Maximum number of requests per network. Many drivers share the address of their mobile network,
 * and each open page sends a request once a minute.
 */
const NETWORK_LIMITS = { minute: 600, hour: 20_000 };
/** Maximum number of requests per work order, from all networks together. */
const WORK_ORDER_LIMITS = { minute: 120, hour: 2000 };

/**
 * Maximum number of taps that concern payments, for each work order and for all drivers of an
 * account. Each tap may start a payment at a vendor.
 */
const PAYMENT_LIMITS = {
  workOrder: { minute: 20, hour: 200 },
  account: { minute: 120, hour: 2000 },
};

const PATH = /^\/d\/([^/]*)(?:\/(state|actions|photos|payments))?$/;
const PAYMENT_PATH = /^\/d\/([^/]*)\/payments\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;
const FILE_PATH = /^\/d\/(assets\/[\w.-]+|sw\.js|shell)$/;

/** A request to a driver's link. The link may have expired. */
interface LinkRequest {
  api: ApiRuntime;
  ctx: ApiContext;
  counted: PublicLimit[];
  /** True if this service made the link and the link is complete. */
  isGenuine: boolean;
  read: () => Promise<DrivenWorkOrder | undefined>;
}

/**
 * Handles `/d/{token}`, the page on which a driver works on one work order. The path has no version
 * prefix, and the link is the only credential. `/d/{token}/state` returns the page's content as
 * JSON. `/d/{token}/actions`, `/d/{token}/photos` and `/d/{token}/payments` receive the driver's
 * actions, photos and payment taps.
 */
export function serveDriverPages(api: ApiRuntime): ApiMiddleware {
  const keys = deriveLinkKeys(api.config);
  const files = new BuiltFiles('driver-page');
  return async (ctx, next) => {
    if (FILE_PATH.test(ctx.path)) return sendPageFile(ctx, files);
    const [, payingToken, paymentId] = PAYMENT_PATH.exec(ctx.path) ?? [];
    const [path, pageToken = '', part] = PATH.exec(ctx.path) ?? [];
    if (!path && paymentId === undefined) return next();
    const token = payingToken ?? pageToken;
    ctx.state.route = `/d/{token}${describePart(part, paymentId)}`;
    ctx.set(PAGE_HEADERS);
    const target = openDriverLink(keys, token);
    const counted: PublicLimit[] = [{ key: `driver:${findNetworkPrefix(ctx.ip)}`, limits: NETWORK_LIMITS }];
    // Count by link. Otherwise the link of an earlier driver would use up the next driver's
    // requests.
    if (target)
      counted.push({ key: `driver-job:${target.workOrderId}/${target.mark}`, limits: WORK_ORDER_LIMITS });
    const read = async () => target && readDrivenWorkOrder(api.db, target);
    const request = { api, ctx, counted, isGenuine: target !== undefined, read };
    if (paymentId !== undefined) return followPayment(request, target, paymentId);
    return part === undefined ? openPage(request, files) : answerPage(request, part);
  };
}

function describePart(part: string | undefined, paymentId: string | undefined): string {
  if (paymentId !== undefined) return '/payments/{id}';
  return part === undefined ? '' : `/${part}`;
}

async function readState(api: ApiRuntime, workOrder: DrivenWorkOrder): Promise<DriverState> {
  return buildDriverState(workOrder, await readPayments(api, workOrder));
}

/** Responds with the page. Errors are HTML pages too. */
async function openPage(
  { api, ctx, counted, isGenuine, read }: LinkRequest,
  files: BuiltFiles,
): Promise<void> {
  assertReadMethod(ctx.method);
  if (!(await consumePublicLimits(api, ctx, counted))) return;
  const state = await readForPage(api, ctx, async () => {
    const workOrder = await read();
    return workOrder && readState(api, workOrder);
  });
  if (state === 'unavailable') return;
  if (state) return sendDriverPage(ctx, files, state);
  // Send no script for a mistyped link. The script would delete the data that the page of the right
  // link has stored on the phone.
  if (!isGenuine) return respondWithExplanation(ctx, 404, [LINK_ENDED.title, LINK_ENDED.text]);
  await sendDriverPage(ctx, files, { has_ended: true });
  ctx.status = 404;
}

/** Responds to the page's script. The response is always JSON, even for a refused request. */
async function answerPage({ api, ctx, counted, read }: LinkRequest, part: string): Promise<void> {
  if (part === 'state') assertReadMethod(ctx.method);
  else {
    if (ctx.method !== 'POST') throw methodNotAllowed(ctx.method, ['POST']);
    assertNoCsrf(api, ctx);
  }
  await assertWithinLimits(api, counted);
  const workOrder = await read();
  if (!workOrder) throw new AppError('not_found', LINK_ENDED.text);
  if (part === 'actions') await act({ api, ctx, workOrder, reread: read });
  if (part === 'photos') await addPhoto({ api, ctx, workOrder, reread: read });
  if (part === 'payments') {
    const { tenant_id: tenantId, id } = workOrder;
    const key = `driver-payments:${tenantId}`;
    // Check the work order's limit first. If that limit is exceeded, the tap must not count against
    // the account's limit.
    await assertWithinLimits(api, [{ key: `${key}/${id}`, limits: PAYMENT_LIMITS.workOrder }]);
    await assertWithinLimits(api, [{ key, limits: PAYMENT_LIMITS.account }]);
    await takePaymentTap({ api, ctx, workOrder, reread: read }, (await readBody(ctx)).value);
  }
  // The action may have ended the work order and its link, so read the work order again.
  const current = part === 'state' ? workOrder : await read();
  sendData(ctx, { state: current ? await readState(api, current) : null });
}

/**
 * Responds with a payment of the work order. Works after the link has ended too, because a payment
 * that waits for a card continues without the link. The holder of an ended link must know the
 * payment's id.
 */
async function followPayment(
  { api, ctx, counted }: LinkRequest,
  target: LinkTarget | undefined,
  paymentId: string,
): Promise<void> {
  assertReadMethod(ctx.method);
  await assertWithinLimits(api, counted);
  const payment = target && (await readWorkOrderPayment(api.db, target, paymentId));
  if (!payment) throw new AppError('not_found', 'There is no such payment.');
  sendData(ctx, { payment: showPayment(payment) });
}

function sendData(ctx: ApiContext, data: object): void {
  ctx.type = 'application/json';
  ctx.body = JSON.stringify({ ok: true, data });
}

async function act(request: DriverRequest): Promise<void> {
  const { value } = await readBody(request.ctx);
  await runAction(request, parseAction(value));
}

async function assertWithinLimits(api: Pick<ApiRuntime, 'limiter'>, counted: PublicLimit[]): Promise<void> {
  const windows = [];
  for (const { key, limits } of counted) windows.push(...(await api.limiter.consume(key, limits)).windows);
  const refusal = createRateLimitError(windows, () => 'Too many requests.');
  if (refusal) throw refusal;
}

/** Sends a built file, or the page without a work order. */
async function sendPageFile(ctx: ApiContext, files: BuiltFiles): Promise<void> {
  ctx.state.route = '/d/{file}';
  assertReadMethod(ctx.method);
  const name = ctx.path.slice('/d/'.length);
  if (name === 'shell') return sendDriverPage(ctx, files, null);
  const file = await files.find(name);
  if (!file) throw new AppError('not_found', 'There is no such file.');
  // Files below assets/ have a hash of their content in their names, so browsers may keep them.
  const isHashed = name.startsWith('assets/');
  ctx.set('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  sendBuiltFile(ctx, file);
}

async function sendDriverPage(ctx: ApiContext, files: BuiltFiles, state: EmbeddedState): Promise<void> {
  const page = await files.find('index.html');
  if (!page) {
    const message = "The driver's page is not built. Run `npm run build`, then open this page again.";
    throw new AppError('service_unavailable', message);
  }
  ctx.set(DRIVER_HEADERS);
  ctx.type = 'text/html';
  ctx.body = renderDriverPage(page.plain.toString('utf8'), state);
}
