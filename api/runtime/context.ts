import type { RouterContext } from '@koa/router';
import type { DefaultState, Next } from 'koa';
import type { CommandDefinition } from '../../shared/contracts/command.js';
import type { Principal } from '../../shared/contracts/principal.js';
import type { RequestIds } from '../../shared/http/request.js';
import type { WindowState } from '../../shared/platform/limits/limiter.js';

/** Values that middleware stores on the request for later middleware and routes. */
export interface RequestState extends DefaultState, RequestIds {
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
  /** Unknown query parameters and body members of the request (warnings.ts). */
  unknownNames?: string[];
  /** Template of the matched route, for metrics and logs. */
  route: string;
}

export type ApiContext = RouterContext<RequestState>;
export type ApiMiddleware = (ctx: ApiContext, next: Next) => unknown;
