import type Router from '@koa/router';
import type { RouterContext } from '@koa/router';
import type { DefaultState, Middleware, ParameterizedContext } from 'koa';
import type { CommandDefinition } from '../shared/contracts/command.js';
import type { Principal } from '../shared/contracts/principal.js';
import type { WindowState } from '../shared/platform/limiter.js';

/** What the middleware leaves on a request for those after it. */
export interface RequestState extends DefaultState {
  requestId: string;
  /** Our own id of the request; a command takes it, so that logs, audit entry and operation share one id. */
  id: string;
  /** `/v1` or `/api/v1`: the prefix that the caller used, for Location headers. */
  prefix: string;
  /** Set by `authenticate`: the key, or the person who signed in. */
  key: Principal;
  /** Set by `authenticate`: the same as it is now, for an answer that lasts; undefined once it is no longer valid. */
  keyNow: () => Promise<Principal | undefined>;
  /** Set by `limitRate`. */
  windows: WindowState[];
  /** Set by `write`: the command that is asked for, as the audit log names it. */
  intent: Pick<CommandDefinition, 'action' | 'entityType'> | undefined;
  /** Query parameters and body members that the route does not know (warnings.ts). */
  ignored?: string[];
  /** Template of the matched route, for metrics and logs. */
  route: string;
  /** Set by `matchRoute`: what the router found for the path and method. */
  match: ReturnType<Router['match']>;
}

export type ApiContext = RouterContext<RequestState>;
export type ApiMiddleware = Middleware<RequestState>;
export type AnyContext = ParameterizedContext<RequestState>;
