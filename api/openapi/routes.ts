import Router from '@koa/router';
import * as routes from '../routes/index.js';
import type { RequestState } from '../runtime/context.js';
import { type RouteFacts, readFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';

export interface DocumentedRoute extends RouteFacts {
  tag: string;
}

/** Returns the facts of all routes, by method and path, such as `get /invoices/{id}`. */
export function collectRouteFacts(): Map<string, DocumentedRoute> {
  const entries = Object.values(routes).flatMap(({ tag, addTo }) => {
    const router = new Router<RequestState>();
    // Routes can be added without a runtime, because they use the runtime only to handle requests.
    addTo(router, {} as ApiRuntime);
    return router.stack.flatMap(({ path, methods, stack }) =>
      methods.map((method) => [toRouteName(method, String(path)), { ...readFacts(stack), tag }] as const),
    );
  });
  return new Map(entries);
}

/**
 * Returns a name such as `get /invoices/{id}`. The router's path has `:id` where OpenAPI has
 * `{id}`.
 */
function toRouteName(method: string, path: string): string {
  return `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`;
}
