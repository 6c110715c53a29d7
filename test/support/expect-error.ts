import { expect } from 'chai';
import type { ErrorDetail } from '../../shared/platform/errors.js';
import type { TestResponse } from './client.js';

/**
 * Asserts that an error response has this status, this code and a request id. Returns the error's
 * details.
 */
export function expectError(response: TestResponse, status: number, code: string): ErrorDetail[] {
  expect(response.status, response.text).to.equal(status);
  expect(response.body?.ok, response.text).to.equal(false);
  expect(response.body.error.code, response.text).to.equal(code);
  expect(response.body.error.message).to.be.a('string').and.not.equal('');
  expect(response.body.error.requestId, response.text).to.be.a('string').and.not.equal('');
  expect(response.body.error.requestId).to.equal(response.headers['x-request-id']);
  return response.body.error.details ?? [];
}

/** Returns the details of a 400 `validation_error` as sorted texts, such as `name required`. */
export function listValidationErrors(response: TestResponse): string[] {
  return expectError(response, 400, 'validation_error')
    .map(({ field, code }) => `${field} ${code}`)
    .sort();
}
