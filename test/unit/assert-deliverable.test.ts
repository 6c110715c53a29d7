import { expect } from 'chai';
import { assertDeliverable } from '../../api/middleware/assert-deliverable.js';
import type { ApiRuntime } from '../../api/runtime.js';
import { AppError } from '../../shared/platform/errors.js';

/** The fault of an address, as the route tells it; undefined when it may be delivered to. */
function faultOf(url: string, production: boolean): unknown {
  try {
    const config = { production, allowLoopback: !production, publicUrl: 'https://api.example.com' };
    assertDeliverable({ config } as ApiRuntime, url);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).to.equal('validation_error');
    return error.details?.map(({ field, code }) => [field, code]);
  }
  return undefined;
}

const BLOCKED = [['url', 'blocked_address']];

describe('addresses of webhook endpoints', () => {
  it('take https everywhere, http in development and tests only', () => {
    for (const production of [true, false])
      expect(faultOf('https://hooks.example.com:8443/a?b=c', production)).to.equal(undefined);
    expect(faultOf('http://hooks.example.com/', false)).to.equal(undefined);
    expect(faultOf('http://hooks.example.com/', true)).to.deep.equal(BLOCKED);
  });

  it('are not this service itself: every event would make requests that make events', () => {
    expect(faultOf('https://api.example.com/v1/webhook-endpoints/x/test', true)).to.deep.equal(BLOCKED);
    expect(faultOf('https://api.example.com:8443/', true)).to.equal(undefined);
  });

  it('hold no credentials, which would be shown with them, and are addresses', () => {
    for (const url of ['https://user@example.com', 'https://:pass@example.com/', 'ftp://example.com', 'x'])
      expect(faultOf(url, false), url).to.deep.equal(BLOCKED);
  });
});
