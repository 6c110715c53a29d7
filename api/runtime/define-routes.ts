import type Router from '@koa/router';
import type { RequestState } from './context.js';
import type { ApiRuntime } from './runtime.js';

/**
 * The routes of one file. `tag` is the name of the group of these routes in the OpenAPI document
 * (api/openapi/tags.ts).
 */
export interface Routes {
  tag: string;
  addTo: (router: Router<RequestState>, api: ApiRuntime) => void;
}

export function defineRoutes(tag: string, addTo: Routes['addTo']): Routes {
  return { tag, addTo };
}
