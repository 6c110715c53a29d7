import { randomBytes } from 'node:crypto';
import type { MapConfig } from '../../shared/config/map-settings.js';
import { assertReadMethod } from '../../shared/http/request.js';
import { AppError } from '../../shared/platform/errors.js';
import { type BuiltFile, BuiltFiles, sendBuiltFile } from '../runtime/built-files.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';

const ROUTE = '/app/{path}';
const INDEX = 'index.html';
const isWorker = (name: string) => name.endsWith('.mjs');
/** The mark in index.html that each response replaces with its nonce. */
const NONCE_MARK = '__CSP_NONCE__';

/**
 * Builds the Content-Security-Policy. The page may exchange data only with its own host and, if a
 * map is set, with the map's hosts. Scripts come only from files. The component library writes
 * style elements, which need the nonce. `blob:` is for the PDF of an invoice and for chosen
 * pictures before they are sent. No text becomes HTML, except by the one policy of
 * dashboard/trusted-types.ts.
 */
function buildPolicy(nonce: string, origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    ["img-src 'self' blob:", ...origins].join(' '),
    buildConnectSource(origins),
    'frame-src blob:',
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');
}

const buildConnectSource = (origins: readonly string[]) => ["connect-src 'self'", ...origins].join(' ');

/**
 * Serves the dashboard at /app/. For a path without a file, serves the page, whose script then
 * shows the screen of that path. The page gets its data from the API with the session cookie.
 * @param map settings of the map; the policy allows the hosts in these settings
 */
export function serveDashboard(map: MapConfig | undefined): ApiMiddleware {
  const origins = map?.origins ?? [];
  const files = new BuiltFiles('dashboard');
  return async (ctx, next) => {
    if (ctx.path !== '/app' && !ctx.path.startsWith('/app/')) return next();
    ctx.state.route = ROUTE;
    assertReadMethod(ctx.method);
    if (ctx.path === '/app') {
      ctx.redirect(`/app/${ctx.search}`);
      return;
    }
    const name = ctx.path.slice('/app/'.length);
    const file = name === INDEX ? undefined : await files.find(name);
    if (file) {
      // A file's name below assets/ contains a hash of its content, so browsers may keep the file.
      // A worker file is an exception: its response carries a policy that depends on the map
      // settings.
      const isImmutable = name.startsWith('assets/') && !isWorker(name);
      ctx.set('Cache-Control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
      ctx.set('Content-Security-Policy', `default-src 'none'; ${buildConnectSource(origins)}`);
      sendBuiltFile(ctx, file);
      return;
    }
    if (name.startsWith('assets/')) throw new AppError('not_found', 'There is no such file.');
    await sendPage(ctx, await files.find(INDEX), origins);
  };
}

async function sendPage(
  ctx: ApiContext,
  page: BuiltFile | undefined,
  origins: readonly string[],
): Promise<void> {
  if (!page) {
    const message = 'The dashboard is not built. Run `npm run build`, then open this page again.';
    throw new AppError('service_unavailable', message);
  }
  const nonce = randomBytes(16).toString('base64');
  ctx.set('Content-Security-Policy', buildPolicy(nonce, origins));
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Referrer-Policy', 'no-referrer');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.type = page.contentType;
  ctx.body = page.plain.toString('utf8').replace(NONCE_MARK, nonce);
}
