import type Joi from 'joi';
import type { Access } from '../../shared/contracts/access.js';

/**
 * What a route requires, reads and returns. The route's middleware declare these facts. The OpenAPI
 * document is generated from them, so no `@openapi` block repeats them.
 */
export interface RouteFacts {
  /** True if the route needs no credential. It then has its own rate limits. */
  isPublic?: boolean;
  /** The right that the route requires. If it is absent, every key may use the route. */
  access?: Access;
  /** True if people may use the route without the second factor that their account requires. */
  worksWithoutFactor?: boolean;
  /** True if the route asks a signed-in person with a second factor to prove it again. */
  isSensitive?: boolean;
  /** The query parameters that the route reads. */
  query?: Joi.Schema;
  /** The JSON body that the route reads. */
  body?: Joi.Schema;
  /** The kind of the records that the route returns. */
  entityType?: string;
  /** True if the route returns a page of records. */
  isList?: boolean;
  /** True if the route reads from a replica that satisfies the request's consistency tokens. */
  readsReplica?: boolean;
  /**
   * Set if the route accepts the headers of a write. `status` is the status of the successful
   * response.
   */
  write?: { status: 200 | 201 | 202 };
  /** The status of the successful response, for a route without `write`. The default is 200. */
  status?: 201 | 202;
}

const factsByMiddleware = new WeakMap<object, RouteFacts>();

export function declareFacts<Middleware extends object>(
  facts: RouteFacts,
  middleware: Middleware,
): Middleware {
  factsByMiddleware.set(middleware, facts);
  return middleware;
}

/** Merges the facts that the middleware of a route declare. */
export function readFacts(middleware: readonly object[]): RouteFacts {
  return Object.assign({}, ...middleware.map((each) => factsByMiddleware.get(each)));
}

export function isPublic(middleware: readonly object[]): boolean {
  return readFacts(middleware).isPublic === true;
}

export function readsQuery(middleware: readonly object[]): boolean {
  return readFacts(middleware).query !== undefined;
}

export function worksWithoutFactor(middleware: readonly object[]): boolean {
  return readFacts(middleware).worksWithoutFactor === true;
}
