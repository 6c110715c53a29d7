import Router from '@koa/router';
import { expect } from 'chai';
import { createRouter } from '../../../api/app.js';
import { RouteIndex } from '../../../api/runtime/route-index.js';
import type { ApiRuntime } from '../../../api/runtime/runtime.js';

const IDS = ['0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e', 'board', 'invoices', 'x%2Fy', ''];
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'];

describe('the index of the routes', () => {
  const router = createRouter({} as ApiRuntime);
  const index = new RouteIndex(router.stack);
  const match = (path: string, method: string) => router.match(path, method).pathAndMethod.at(-1);

  it('finds the same route as the router for every template, method and parameter', () => {
    let found = 0;
    for (const { path: template } of router.stack)
      for (const id of IDS)
        for (const method of METHODS) {
          const path = String(template).replaceAll(/:[a-z_]+/g, id);
          const layer = index.find(path, method);
          // The index ignores paths with an empty parameter, and leaves them to the router.
          if (layer || id !== '') expect(layer, `${method} ${path}`).to.equal(match(path, method));
          if (layer) found += 1;
        }
    expect(found).to.be.above(router.stack.length);
  });

  it('leaves unusual spellings and unknown paths to the router', () => {
    expect(match('/Invoices/', 'GET')).not.to.equal(undefined);
    for (const path of ['/Invoices/', '/invoices/', '/nothing', '/', ''])
      expect(index.find(path, 'GET'), path).to.equal(undefined);
  });

  it('runs the later of two routes that match', () => {
    const overlapping = new Router();
    overlapping.get('/trucks/:id', () => undefined);
    overlapping.get('/trucks/board', () => undefined);
    expect(new RouteIndex(overlapping.stack as never).find('/trucks/board', 'GET')?.path).to.equal(
      '/trucks/board',
    );
  });

  for (const template of ['/files/*path', '/:kind/list', '/notes{/:id}'])
    it(`refuses the template ${template}, whose parameters may match other paths`, () => {
      const layer = { path: template, methods: ['GET'] } as never;
      expect(() => new RouteIndex([layer])).to.throw(template);
    });
});
