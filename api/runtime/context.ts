import type Router from '@koa/router';
import type { RouterContext } from '@koa/router';
import type { DefaultState, Middleware, ParameterizedContext } from 'koa';
import type { CommandDefinition } from '../../shared/contracts/command.js';
import type { Principal } from '../../shared/contracts/principal.js';
import type { WindowState } from '../../shared/platform/limits/limiter.js';

/** Values that middleware stores on the request for later middleware and routes. */
export interface RequestState extends DefaultState {
  requestId: string;
  /**
   * The service's own id of the request. A command uses it as its id, so that logs, audit entry and
   * operation share one id.
   */
  id: string;
  /**
   * `/v1` or `/api/v1`: the prefix that the client used, for Location headers. Empty outside the
   * versioned paths.
   */
  prefix: string;
  /** Set by `authenticate`: the API key, agent key or signed-in person. */
  key: Principal;
  /**
   * Set by `authenticate`: finds the principal again during a long response. Resolves with
   * undefined once the credential is no longer valid.
   */
  findCurrentPrincipal: () => Promise<Principal | undefined>;
  /** Set by `limitRate`: the state of each rate limit window. */
  rateLimitWindows: WindowState[];
  /** Set by `write`: the requested command, as the audit log names it. */
  intent: Pick<CommandDefinition, 'action' | 'entityType'> | undefined;
  /** Set by `write`: the id of the record that the command creates or changes. */
  targetId?: string;
  /** Unknown query parameters and body members of the request (warnings.ts). */
  unknownNames?: string[];
  /** Template of the matched route, for metrics and logs. */
  route: string;
  /** Set by `matchRoute`: the router's match for the path and method. */
  routeMatch: ReturnType<Router['match']>;
}

export type ApiContext = RouterContext<RequestState>;
export type ApiMiddleware = Middleware<RequestState>;
export type AnyContext = ParameterizedContext<RequestState>;
