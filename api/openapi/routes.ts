import type Router from '@koa/router';
import type { RequestState } from '../runtime/context.js';
import { type RouteFacts, readFacts } from '../runtime/route-facts.js';

/** Lists the facts of the router's routes by verb and path, such as `get /invoices/{id}`. */
export function collectRouteFacts(router: Router<RequestState>): Map<string, RouteFacts> {
  const entries = router.stack.flatMap(({ path, methods, stack }) =>
    methods.map((method) => [toRouteName(method, String(path)), readFacts(stack)] as const),
  );
  return new Map(entries);
}

/** The router writes `:id` where OpenAPI writes `{id}`. */
function toRouteName(method: string, path: string): string {
  return `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`;
}
