import { createRateLimitError } from '../../../shared/http/rate-limit-response.js';
import { assertReadMethod, methodNotAllowed } from '../../../shared/http/request.js';
import { AppError } from '../../../shared/platform/errors.js';
import { findNetworkPrefix } from '../../../shared/platform/limits/network-prefix.js';
import {
  type DrivenWorkOrder,
  readDrivenWorkOrder,
} from '../../../shared/resources/work-order-links/driver-queries.js';
import { deriveLinkKeys, openDriverLink } from '../../../shared/resources/work-order-links/link.js';
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
import type { EmbeddedState } from './driver-contract.js';
import { DRIVER_HEADERS, LINK_ENDED, renderDriverPage } from './driver-html.js';
import { addPhoto } from './driver-photos.js';
import { buildDriverState } from './driver-state.js';

/**
 * Maximum number of requests per network. The phones of many drivers share the address of their
 * mobile network, and an open page reads once a minute.
 */
const NETWORK_LIMITS = { minute: 600, hour: 20_000 };
/** Maximum number of requests per work order, whatever networks they come from. */
const WORK_ORDER_LIMITS = { minute: 120, hour: 2000 };

const PATH = /^\/d\/([^/]*)(?:\/(state|actions|photos))?$/;
const FILE_PATH = /^\/d\/(assets\/[\w.-]+|sw\.js|shell)$/;

/** A request behind a link, whether or not the link still opens. */
interface LinkRequest {
  api: ApiRuntime;
  ctx: ApiContext;
  counted: PublicLimit[];
  /** True if this service made the link, and its text is complete. */
  isGenuine: boolean;
  read: () => Promise<DrivenWorkOrder | undefined>;
}

/**
 * Handles `/d/{token}`, on which a driver works on one work order. The path has no version prefix,
 * and the link is the only credential. `/d/{token}/state` is what the page shows as JSON;
 * `/d/{token}/actions` and `/d/{token}/photos` take what the driver did.
 */
export function serveDriverPages(api: ApiRuntime): ApiMiddleware {
  const keys = deriveLinkKeys(api.config);
  const files = new BuiltFiles('driver-page');
  return async (ctx, next) => {
    if (FILE_PATH.test(ctx.path)) return sendPageFile(ctx, files);
    const [path, token = '', part] = PATH.exec(ctx.path) ?? [];
    if (!path) return next();
    ctx.state.route = `/d/{token}${part === undefined ? '' : `/${part}`}`;
    ctx.set(PAGE_HEADERS);
    const target = openDriverLink(keys, token);
    const counted: PublicLimit[] = [{ key: `driver:${findNetworkPrefix(ctx.ip)}`, limits: NETWORK_LIMITS }];
    // Count by link. Otherwise an earlier driver's link would use up the requests of the next
    // driver.
    if (target)
      counted.push({ key: `driver-job:${target.workOrderId}/${target.mark}`, limits: WORK_ORDER_LIMITS });
    const read = async () => target && readDrivenWorkOrder(api.db, target);
    const request = { api, ctx, counted, isGenuine: target !== undefined, read };
    return part === undefined ? openPage(request, files) : answerPage(request, part);
  };
}

/** Responds with the page. Errors are HTML pages too. */
async function openPage(
  { api, ctx, counted, isGenuine, read }: LinkRequest,
  files: BuiltFiles,
): Promise<void> {
  assertReadMethod(ctx.method);
  if (!(await consumePublicLimits(api, ctx, counted))) return;
  const workOrder = await readForPage(api, ctx, read);
  if (workOrder === 'unavailable') return;
  if (workOrder) return sendDriverPage(ctx, files, buildDriverState(workOrder));
  // Send no script for a mistyped link: it would delete what the page of the right link has stored
  // on the phone.
  if (!isGenuine) return respondWithExplanation(ctx, 404, [LINK_ENDED.title, LINK_ENDED.text]);
  await sendDriverPage(ctx, files, { has_ended: true });
  ctx.status = 404;
}

/** Responds to the script of the page: with JSON, also if a request is refused. */
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
  // An action may have ended the work order, and with it the link.
  const current = part === 'state' ? workOrder : await read();
  ctx.type = 'application/json';
  ctx.body = JSON.stringify({ ok: true, data: { state: current ? buildDriverState(current) : null } });
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

/** Sends a file of the build, or the page without a work order. */
async function sendPageFile(ctx: ApiContext, files: BuiltFiles): Promise<void> {
  ctx.state.route = '/d/{file}';
  assertReadMethod(ctx.method);
  const name = ctx.path.slice('/d/'.length);
  if (name === 'shell') return sendDriverPage(ctx, files, null);
  const file = await files.find(name);
  if (!file) throw new AppError('not_found', 'There is no such file.');
  // The names of all files below assets/ contain a hash of the content.
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
