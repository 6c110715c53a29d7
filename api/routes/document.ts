import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { methodNotAllowed } from '../../shared/platform/errors.js';
import type { ApiMiddleware } from '../context.js';
import { PAGE, START } from '../reference-page.js';
import { toReferenceView } from '../reference-view.js';

const require = createRequire(import.meta.url);

/** Files of the reference page that are served as they are. */
const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'favicon-32x32.png': 'image/png',
};

// No inline script or style but swagger-ui's own style attributes; nothing is loaded from elsewhere.
const PAGE_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'";

/** The committed document: made from the routes' blocks and the schemas by `npm run build`. */
export function readDocument(): string {
  // From sources the file stands one folder up, from dist two.
  const here = dirname(fileURLToPath(import.meta.url));
  const root = here.includes(`${join('dist', 'api')}`) ? join(here, '../../..') : join(here, '../..');
  return readFileSync(join(root, 'docs/openapi.json'), 'utf8');
}

/**
 * @openapi
 * /openapi.json:
 *   get:
 *     operationId: getOpenApi
 *     tags: [Description]
 *     summary: This document
 *     description: Public; no key is needed.
 *     security: []
 *     responses:
 *       '200':
 *         description: An OpenAPI 3.0.3 document
 *         content: { application/json: { schema: { type: object, additionalProperties: true }, example: { openapi: 3.0.3 } } }
 *       x-errors: [406, 429]
 */
/** openapi.json at both prefixes and the reference page at /docs: public, they hold no tenant data (decisions 1, row 10). */
export function documentRoutes(): ApiMiddleware {
  const document = readDocument();
  // Made when somebody first looks: most processes are never asked.
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
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET']);
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

const kept = new Map<string, Buffer>();

function assetOf(path: string): Buffer {
  const content = kept.get(path) ?? readFileSync(path);
  kept.set(path, content);
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
    ctx.body = PAGE;
  } else if (name === 'start.js') {
    ctx.type = 'text/javascript';
    ctx.body = START;
  } else if (name === 'openapi.json') {
    ctx.type = 'application/json';
    ctx.body = readView();
  } else if (type) {
    ctx.type = type;
    ctx.set('Cache-Control', 'public, max-age=3600');
    // From memory: a stream would hold a file open for each client that does not read.
    ctx.body = assetOf(join(assets, name));
  } else {
    ctx.redirect('/docs');
  }
}
