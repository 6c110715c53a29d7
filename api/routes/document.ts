import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { assertReadMethod } from '../../shared/http/request.js';
import { findPackageRoot } from '../../shared/platform/files/package-root.js';
import { assertAcceptsResponse } from '../middleware/negotiate.js';
import { REFERENCE_PAGE_HTML, REFERENCE_PAGE_SCRIPT } from '../reference/page.js';
import { toReferenceView } from '../reference/view.js';
import type { ApiMiddleware } from '../runtime/context.js';

const require = createRequire(import.meta.url);

const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'favicon-32x32.png': 'image/png',
};

// The policy blocks inline scripts, and resources from other origins. It allows inline styles,
// because swagger-ui sets style attributes.
const PAGE_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'";

/**
 * Reads docs/openapi.json, which `npm run build` generates from the routes' `@openapi` blocks and
 * the schemas.
 */
export function readDocument(): string {
  return readFileSync(join(findPackageRoot(), 'docs/openapi.json'), 'utf8');
}

/**
 * @openapi
 * /openapi.json:
 *   get:
 *     operationId: getOpenApi
 *     summary: This document
 *     description: Public; no key is needed.
 *     security: []
 *     responses:
 *       '200':
 *         description: An OpenAPI 3.0.3 document
 *         content:
 *           application/json:
 *             schema: { type: object, additionalProperties: true }
 *             example: { openapi: 3.0.3 }
 *     x-errors: [406]
 *     tags: [Description]
 */
/**
 * Responds with openapi.json under both version prefixes, and with the reference page at /docs. A
 * client needs no key for them, because they contain no tenant data (docs/decisions.md §1, row 10).
 */
export function documentRoutes(): ApiMiddleware {
  const document = readDocument();
  // Build the page's document only when it is first requested, because most processes never get
  // such a request.
  let view: string | undefined;
  const readView = () => {
    view ??= JSON.stringify(toReferenceView(JSON.parse(document)));
    return view;
  };
  const assets = dirname(require.resolve('swagger-ui-dist/package.json'));
  return async (ctx, next) => {
    const { path } = ctx;
    const isDocument = ctx.state.prefix !== '' && path === `${ctx.state.prefix}/openapi.json`;
    if (!isDocument && !path.startsWith('/docs')) return next();
    if (isDocument) assertAcceptsResponse(ctx);
    assertReadMethod(ctx.method);
    if (isDocument) {
      ctx.state.route = '/openapi.json';
      ctx.type = 'application/json';
      ctx.body = document;
      return undefined;
    }
    ctx.state.route = '/docs';
    ctx.set('Content-Security-Policy', PAGE_POLICY);
    return serveDocs(ctx, path, { assets, readView });
  };
}

const assetCache = new Map<string, Buffer>();

function readAsset(path: string): Buffer {
  const content = assetCache.get(path) ?? readFileSync(path);
  assetCache.set(path, content);
  return content;
}

function serveDocs(
  ctx: Parameters<ApiMiddleware>[0],
  path: string,
  { assets, readView }: { assets: string; readView: () => string },
): void {
  const name = path.slice('/docs/'.length);
  const type = ASSETS[name];
  if (path === '/docs' || name === '') {
    ctx.type = 'text/html';
    ctx.body = REFERENCE_PAGE_HTML;
  } else if (name === 'start.js') {
    ctx.type = 'text/javascript';
    ctx.body = REFERENCE_PAGE_SCRIPT;
  } else if (name === 'openapi.json') {
    ctx.type = 'application/json';
    ctx.body = readView();
  } else if (type) {
    ctx.type = type;
    ctx.set('Cache-Control', 'public, max-age=3600');
    // Read the file into memory. A stream would keep a file open for each client that stops
    // reading.
    ctx.body = readAsset(join(assets, name));
  } else {
    ctx.redirect('/docs');
  }
}
