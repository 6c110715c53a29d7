import type Joi from 'joi';
import type { Access } from '../../shared/contracts/access.js';

/**
 * What a route requires, reads and returns. Its middleware declare these facts, and the OpenAPI
 * document is generated from them, so no `@openapi` block repeats them.
 */
export interface RouteFacts {
  /** It needs no credential, and has rate limits of its own. */
  isPublic?: boolean;
  /** Rights that the route requires; absent: every key may use it. */
  access?: Access;
  /** Query parameters that it reads. */
  query?: Joi.Schema;
  /** JSON body that it reads. */
  body?: Joi.Schema;
  /** Kind of the records that it returns. */
  entityType?: string;
  /** It returns a page of records. */
  isList?: boolean;
  /** It accepts the headers of a write; the status is that of its success. */
  write?: { status: 200 | 201 | 202 };
}

const factsByMiddleware = new WeakMap<object, RouteFacts>();

/** Declares facts of the routes that use this middleware. */
export function declareFacts<Middleware extends object>(
  facts: RouteFacts,
  middleware: Middleware,
): Middleware {
  factsByMiddleware.set(middleware, facts);
  return middleware;
}

/** Returns the facts that the middleware of a route declare together. */
export function readFacts(middleware: readonly object[]): RouteFacts {
  return Object.assign({}, ...middleware.map((each) => factsByMiddleware.get(each)));
}

/** Whether the route needs no credential. */
export function isPublic(middleware: readonly object[]): boolean {
  return readFacts(middleware).isPublic === true;
}

/** Whether a middleware of the route reads query parameters. */
export function readsQuery(middleware: readonly object[]): boolean {
  return readFacts(middleware).query !== undefined;
}
