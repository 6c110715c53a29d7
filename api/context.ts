import type { RouterContext } from '@koa/router';
import type { DefaultState, Middleware, ParameterizedContext } from 'koa';
import type { WindowState } from '../shared/platform/limiter.js';
import type { KeyRecord } from '../shared/resources/api-keys/queries.js';

/** What the middleware leaves on a request for those after it. */
export interface RequestState extends DefaultState {
  requestId: string;
  /** Our own id of the request; a command takes it, so that logs, audit entry and operation share one id. */
  id: string;
  /** `/v1` or `/api/v1`: the prefix that the caller used, for Location headers. */
  prefix: string;
  /** Set by `authenticate`. */
  key: KeyRecord;
  /** Set by `authenticate`: the key as it is now, for an answer that lasts; undefined once it is no longer valid. */
  keyNow: () => Promise<KeyRecord | undefined>;
  /** Set by `limitRate`. */
  windows: WindowState[];
  /** Template of the matched route, for metrics and logs. */
  route: string;
}

export type ApiContext = RouterContext<RequestState>;
export type ApiMiddleware = Middleware<RequestState>;
export type AnyContext = ParameterizedContext<RequestState>;
