import type { RouterContext } from '@koa/router';
import type { DefaultState, Next } from 'koa';
import type { CommandDefinition } from '../../shared/contracts/command.js';
import type { Principal } from '../../shared/contracts/principal.js';
import type { RequestIds } from '../../shared/http/request.js';
import type { WindowState } from '../../shared/platform/limits/limiter.js';

/** The values that middleware stores for later middleware and for routes. */
export interface RequestState extends DefaultState, RequestIds {
  /** The version prefix that the client used, `/v1` or `/api/v1`. Empty for other paths. */
  prefix: string;
  /** Set by `authenticate`: the API key, agent key or signed-in person. */
  key: Principal;
  /**
   * Set by `authenticate`. Looks up the credential again, for responses that stay open. Resolves
   * with undefined if the credential is no longer valid.
   */
  findCurrentPrincipal: () => Promise<Principal | undefined>;
  /** Set by `limitRate`. */
  rateLimitWindows: WindowState[];
  /** Set by `serveWrite`: the audit log's names for the action and the kind of record. */
  intent: Pick<CommandDefinition, 'action' | 'entityType'> | undefined;
  /** Set by `serveWrite`: the id of the record that the command creates or changes. */
  targetId?: string;
  /** Set by `reportUnknownNames`: unknown query parameters and body members. */
  unknownNames?: string[];
  /** Template of the matched route, for metrics and logs. */
  route: string;
}

export type ApiContext = RouterContext<RequestState>;
export type ApiMiddleware = (ctx: ApiContext, next: Next) => unknown;
