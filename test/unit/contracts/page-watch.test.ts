import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { newId } from '../../../shared/platform/ids.js';
import { PageWatch } from '../../support/browser/page-watch.js';

const ORIGIN = 'http://127.0.0.1:3000';

/** The ways to watch a page in a browser test: by itself, or with all pages of its context. */
const WAYS = {
  'a watched page': (watch: PageWatch, emitter: EventEmitter) =>
    watch.watchPage(emitter as unknown as Page, { origins: [ORIGIN] }),
  'a page of a watched context': (watch: PageWatch, emitter: EventEmitter) =>
    watch.watchContext(emitter as unknown as BrowserContext, { origins: [ORIGIN] }),
};

describe('what browser tests refuse from a page', () => {
  for (const [name, begin] of Object.entries(WAYS)) {
    function findFault(method: string, url: string): string | undefined {
      const watch = new PageWatch();
      const emitter = new EventEmitter();
      begin(watch, emitter);
      emitter.emit('request', { method: () => method, url: () => url });
      try {
        watch.expectNoFaults();
        return undefined;
      } catch (error) {
        return String((error as { actual: string[] }).actual);
      }
    }

    it(`${name} may call a route of openapi.json only with a method that it documents`, () => {
      const invoice = `${ORIGIN}/v1/invoices/${newId()}`;
      expect(findFault('GET', `${invoice}?include=payments`)).to.equal(undefined);
      expect(findFault('PATCH', invoice)).to.equal(undefined);
      expect(findFault('POST', `${ORIGIN}/v1/webhook-deliveries/replay`)).to.equal(undefined);
      expect(findFault('DELETE', invoice)).to.include('not in openapi.json: DELETE /v1/invoices/');
      expect(findFault('DELETE', `${ORIGIN}/v1/invoices`)).to.include('not in openapi.json');
      expect(findFault('GET', `${ORIGIN}/v1/no-such-list`)).to.include('not in openapi.json');
    });

    it(`${name} may not send a request to another origin`, () => {
      expect(findFault('GET', `${ORIGIN}/app/`)).to.equal(undefined);
      expect(findFault('GET', 'http://127.0.0.1:9/app/')).to.include('left the origin');
    });
  }
});
