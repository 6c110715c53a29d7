import { expect } from 'chai';
import {
  AppError,
  appErrorFromBody,
  ERROR_STATUS,
  type ErrorCode,
  getErrorCode,
  isConnectionError,
  isTransientDatabaseError,
  notFound,
  serviceUnavailable,
} from '../../../shared/platform/errors.js';

const withCode = (code: unknown) => Object.assign(new Error('driver'), { code });

describe('AppError', () => {
  it('an AppError derives its status from its code, always 4xx or 5xx', () => {
    for (const [code, status] of Object.entries(ERROR_STATUS)) {
      expect(new AppError(code as ErrorCode, 'm').status, code).to.equal(status);
      expect(status).to.be.within(400, 599);
    }
  });

  it('an AppError is retryable for 429 and 503 only, unless an option says so', () => {
    const retryable = Object.keys(ERROR_STATUS).filter(
      (code) => new AppError(code as ErrorCode, 'm').retryable,
    );
    expect(retryable).to.have.members(['rate_limited', 'service_unavailable']);
    expect(new AppError('conflict', 'm', { retryable: true }).retryable).to.equal(true);
  });

  it('an AppError crosses processes as code, message and details, without cause, headers or stack', () => {
    const details = [{ field: 'a', code: 'required', message: 'a is required' }];
    const error = new AppError('validation_error', 'm', {
      details,
      headers: { Allow: 'GET' },
      cause: new Error('SELECT secret'),
    });
    const received = JSON.parse(JSON.stringify(error.toBody()));
    expect(received).to.deep.equal({ code: 'validation_error', message: 'm', details });
    const rebuilt = appErrorFromBody(received);
    expect(rebuilt).to.include({ code: 'validation_error', message: 'm', status: 400 });
    expect(rebuilt.details).to.deep.equal(details);
  });

  it('an AppError omits empty details', () => {
    expect(new AppError('conflict', 'm', { details: [] }).toBody()).to.deep.equal({
      code: 'conflict',
      message: 'm',
    });
    expect(new AppError('conflict', 'm').toBody()).to.deep.equal({ code: 'conflict', message: 'm' });
  });

  it('an AppError keeps its cause for the log', () => {
    const cause = new Error('why');
    expect(new AppError('internal_error', 'm', { cause }).cause).to.equal(cause);
  });

  it("a 503 has Retry-After, and a 404 has no details that reveal the record's owner", () => {
    expect(serviceUnavailable('m')).to.deep.include({ status: 503, headers: { 'Retry-After': '1' } });
    expect(notFound('invoice')).to.include({ status: 404, code: 'not_found' });
    expect(notFound('invoice').details).to.equal(undefined);
  });
});

describe('code of an unknown error', () => {
  it('a textual code is returned, and any other thrown value gives an empty text', () => {
    expect(getErrorCode(withCode('23505'))).to.equal('23505');
    for (const thrown of [withCode(42), new Error('no code'), null, undefined, 'text', 7, {}]) {
      expect(getErrorCode(thrown)).to.equal('');
    }
  });
});

const CONNECTION_CODES = [
  '08006',
  '08P01',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '25006',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
];
const RERUN_CODES = ['40001', '40P01', '55P03', '57014'];
/** Error codes after which a retry would fail again. */
const PERMANENT_CODES = ['23505', '23514', '23502', '22P02', '42501', '42703', '42P01', '22003', ''];

describe('isConnectionError', () => {
  it('isConnectionError is true for every error of an unreachable PostgreSQL', () => {
    for (const code of CONNECTION_CODES) expect(isConnectionError(withCode(code)), code).to.equal(true);
    for (const message of [
      'Connection terminated unexpectedly',
      'timeout exceeded when trying to connect',
      'Client has encountered a connection error and is not queryable',
      'Connection ended unexpectedly',
      'Client was closed and is not queryable',
    ]) {
      expect(isConnectionError(new Error(message)), message).to.equal(true);
    }
  });

  it('isConnectionError is false for query errors and for texts that resemble a lost connection', () => {
    for (const code of [...PERMANENT_CODES, ...RERUN_CODES])
      expect(isConnectionError(withCode(code)), code).to.equal(false);
    expect(isConnectionError('Connection terminated')).to.equal(false);
    expect(isConnectionError(undefined)).to.equal(false);
  });
});

describe('isTransientDatabaseError', () => {
  it('isTransientDatabaseError is true when the transaction can be retried', () => {
    for (const code of [...CONNECTION_CODES, ...RERUN_CODES])
      expect(isTransientDatabaseError(withCode(code)), code).to.equal(true);
  });

  it('isTransientDatabaseError is false for permanent failures, so that no job retries forever', () => {
    for (const code of PERMANENT_CODES)
      expect(isTransientDatabaseError(withCode(code)), code).to.equal(false);
    expect(isTransientDatabaseError(new AppError('conflict', 'm'))).to.equal(false);
  });
});
