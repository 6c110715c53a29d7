import { expect } from 'chai';
import type { ErrorDetail } from '../../shared/platform/errors.js';
import type { Answer } from './client.js';

/**
 * Asserts the error envelope with this status and code, and that it contains the request's id.
 * Returns its details.
 */
export function expectError(answer: Answer, status: number, code: string): ErrorDetail[] {
  expect(answer.status, answer.text).to.equal(status);
  expect(answer.body?.ok, answer.text).to.equal(false);
  expect(answer.body.error.code, answer.text).to.equal(code);
  expect(answer.body.error.message).to.be.a('string').and.not.equal('');
  expect(answer.body.error.requestId, answer.text).to.be.a('string').and.not.equal('');
  expect(answer.body.error.requestId).to.equal(answer.headers['x-request-id']);
  return answer.body.error.details ?? [];
}

/** The details of a 400 `validation_error` as sorted `field code` texts. */
export function faultsOf(answer: Answer): string[] {
  return expectError(answer, 400, 'validation_error')
    .map(({ field, code }) => `${field} ${code}`)
    .sort();
}
