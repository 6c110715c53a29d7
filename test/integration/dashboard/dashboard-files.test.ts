import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from '../../support/load/processes.js';
import { useStack } from '../../support/use-stack.js';

/** The built dashboard; `npm run build` writes it. */
const ASSETS = join(PROJECT, 'dist', 'dashboard', 'assets');

describe('the files of the dashboard at /app/', () => {
  const stack = useStack();
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${stack.origin}${path}`, { redirect: 'manual', ...init });
  const findScript = () =>
    readdirSync(ASSETS).find((name) => name.endsWith('.js') && statSync(join(ASSETS, name)).size > 10_000);

  it('every path below /app/ gets the page, without a key, so that a link to a record opens it', async () => {
    for (const path of ['/app/', '/app/invoices', '/app/invoices/0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e']) {
      const response = await get(path);
      expect(response.status, path).to.equal(200);
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(await response.text()).to.include('<div id="root">');
    }
    const bare = await get('/app?env=sandbox');
    expect([bare.status, bare.headers.get('location')]).to.deep.equal([302, '/app/?env=sandbox']);
  });

  it('the page forbids inline scripts, other hosts and framing, and each response has its own nonce', async () => {
    const [first, second] = [await get('/app/'), await get('/app/')];
    const policy = first.headers.get('content-security-policy') ?? '';
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "connect-src 'self'",
      'frame-src blob:;',
      "require-trusted-types-for 'script'",
      'trusted-types default',
    ])
      expect(policy).to.include(part);
    expect(policy).to.not.match(/unsafe-|https?:|\*/);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? 'none';
    const html = await first.text();
    expect(html).to.include(`content="${nonce}"`);
    expect(html).to.not.match(/<script(?![^>]*\ssrc=)/);
    expect(second.headers.get('content-security-policy')).to.not.include(nonce);
    expect(first.headers.get('cache-control')).to.equal('no-store');
  });

  it('hashed files are compressed and cached for a year, the icon is revalidated', async () => {
    const path = `/app/assets/${findScript()}`;
    const zipped = await get(path, { headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers.get('content-encoding')).to.equal('gzip');
    expect(zipped.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(zipped.headers.get('x-content-type-options')).to.equal('nosniff');
    const plain = await get(path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).to.equal(null);
    expect(await plain.text()).to.equal(await zipped.text());
    expect((await get('/app/icon.svg')).headers.get('cache-control')).to.equal('no-cache');
  });

  it('no path leads to a file outside the built dashboard', async () => {
    const marks = [
      '../../package.json',
      '..%2f..%2fpackage.json',
      '%2e%2e/%2e%2e/package.json',
      'assets/../../../package.json',
    ];
    for (const mark of marks) {
      const response = await get(`/app/${mark}`);
      expect(await response.text(), mark).to.not.include('"dependencies"');
    }
    expect((await get('/app/assets/none.js')).status).to.equal(404);
  });

  it('only GET and HEAD are allowed', async () => {
    const refused = await get('/app/', { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).to.deep.equal([405, 'GET']);
    const head = await get('/app/', { method: 'HEAD' });
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
  });
});
