import { expect } from 'chai';
import type { ApiRuntime } from '../../../api/runtime/runtime.js';
import { assertDeliverableUrl } from '../../../api/transforms/assert-deliverable-url.js';
import { AppError } from '../../../shared/platform/errors.js';

/** Returns validation errors as [field, code]; undefined when the URL is allowed. */
function findProblems(url: string, production: boolean): unknown {
  try {
    const config = { production, allowLoopback: !production, publicUrl: 'https://api.example.com' };
    assertDeliverableUrl({ config } as ApiRuntime, url);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).to.equal('validation_error');
    return error.details?.map(({ field, code }) => [field, code]);
  }
  return undefined;
}

const BLOCKED = [['url', 'blocked_address']];

describe('URLs of webhook endpoints', () => {
  it('a webhook URL is https, or http outside production', () => {
    for (const production of [true, false])
      expect(findProblems('https://hooks.example.com:8443/a?b=c', production)).to.equal(undefined);
    expect(findProblems('http://hooks.example.com/', false)).to.equal(undefined);
    expect(findProblems('http://hooks.example.com/', true)).to.deep.equal(BLOCKED);
  });

  it('a webhook URL cannot be this service, because events would cause requests that cause events', () => {
    expect(findProblems('https://api.example.com/v1/webhook-endpoints/x/test', true)).to.deep.equal(BLOCKED);
    expect(findProblems('https://api.example.com:8443/', true)).to.equal(undefined);
  });

  it('a webhook URL has no credentials, because the API shows it, and is a valid http(s) URL', () => {
    for (const url of ['https://user@example.com', 'https://:pass@example.com/', 'ftp://example.com', 'x'])
      expect(findProblems(url, false), url).to.deep.equal(BLOCKED);
  });
});
