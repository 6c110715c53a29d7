import { readLogo } from '../../../shared/documents/logo-queries.js';
import { assertReadMethod } from '../../../shared/http/request.js';
import { findNetworkPrefix } from '../../../shared/platform/limits/network-prefix.js';
import { deriveLinkKeys, openTrackingLink } from '../../../shared/resources/work-order-links/link.js';
import type { TrackedWorkOrder } from '../../../shared/resources/work-order-links/tracking-queries.js';
import { respondWithLogo } from '../../routes/logo.js';
import type { ApiContext, ApiMiddleware } from '../../runtime/context.js';
import type { ApiRuntime } from '../../runtime/runtime.js';
import { PAGE_HEADERS } from '../page-html.js';
import { consumePublicLimits, readForPage, respondWithExplanation } from '../public-page.js';
import { renderTrackingPage, TRACKING_HEADERS } from './tracking-html.js';
import { TrackingReader } from './tracking-reader.js';
import { buildLetterhead, buildTrackingState } from './tracking-view.js';

/** Maximum number of pages and logos per network. Many motorists share the address of one. */
const PAGE_LIMITS = { minute: 300, hour: 10_000 };
/**
 * Maximum number of requests for the state, per network. A page that shows a truck on its way sends
 * some 43 a minute, others four. A page that is refused asks less often. The hour allows what the
 * minutes allow. These requests are counted apart, so they keep nobody from opening a page.
 */
const STATE_LIMITS = { minute: 1200, hour: 72_000 };

type TrackingRuntime = Pick<ApiRuntime, 'config' | 'db' | 'limiter' | 'logger'>;

const PATH = /^\/t\/([^/]*)(\/state|\/logo)?$/;

/**
 * Handles `/t/{token}`, the page on which a motorist follows the truck. The path has no version
 * prefix and needs no key. `/t/{token}/state` returns the changing part of the page as JSON, and
 * `/t/{token}/logo` the account's logo.
 */
export function serveTrackingPages(api: TrackingRuntime): ApiMiddleware {
  const keys = deriveLinkKeys(api.config);
  const reader = new TrackingReader(api.db);
  return async (ctx, next) => {
    const [path, token = '', part = ''] = PATH.exec(ctx.path) ?? [];
    if (!path) return next();
    ctx.state.route = `/t/{token}${part}`;
    ctx.set(PAGE_HEADERS);
    assertReadMethod(ctx.method);
    const network = findNetworkPrefix(ctx.ip);
    const counted =
      part === '/state'
        ? [{ key: `tracking-state:${network}`, limits: STATE_LIMITS }]
        : [{ key: `tracking:${network}`, limits: PAGE_LIMITS }];
    if (!(await consumePublicLimits(api, ctx, counted))) return undefined;
    const target = openTrackingLink(keys, token);
    const tracked = target && (await readForPage(api, ctx, () => reader.read(target)));
    if (tracked === 'unavailable') return undefined;
    if (!target || !tracked)
      return respondWithExplanation(ctx, 404, [
        'No such link',
        'This link is not valid. Open it again from the message, complete and unchanged.',
      ]);
    if (tracked.has_link_ended) return respondWithEnd(ctx, tracked);
    if (part === '/logo') return respondWithAccountLogo(api, ctx, target.tenantId);
    respondWithTracking(ctx, tracked, { part, path: `/t/${token}` });
  };
}

function respondWithEnd(ctx: ApiContext, { company, phone }: TrackedWorkOrder): void {
  const contact = phone ? `${company}: ${phone}` : company;
  respondWithExplanation(ctx, 410, ['This link has ended', `With questions, call ${contact}.`]);
}

async function respondWithAccountLogo(
  api: TrackingRuntime,
  ctx: ApiContext,
  tenantId: string,
): Promise<void> {
  const logo = await readForPage(api, ctx, () => readLogo(api.db, tenantId));
  if (logo === 'unavailable') return;
  if (logo) respondWithLogo(ctx, logo);
  else respondWithExplanation(ctx, 404, ['No such picture', 'Open the link without /logo.']);
}

function respondWithTracking(
  ctx: ApiContext,
  tracked: TrackedWorkOrder,
  { part, path }: { part: string; path: string },
): void {
  const state = buildTrackingState(tracked);
  if (part === '/state') {
    ctx.type = 'application/json';
    ctx.body = JSON.stringify(state);
    return;
  }
  ctx.set(TRACKING_HEADERS);
  ctx.type = 'text/html';
  const letterhead = buildLetterhead(tracked);
  ctx.body = renderTrackingPage({ letterhead, logo: tracked.logo, state, path });
}
