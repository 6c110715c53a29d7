import type Router from '@koa/router';
import type { RequestState } from './context.js';

export type RouteLayer = Router<RequestState>['stack'][number];

/** Syntax that lets one template parameter match several segments, or none. */
const WILDCARD = /[*{}()?+]/;

/**
 * Finds routes faster than the router, which compares a path with the pattern of every route
 * (docs/adr/0018-route-dispatch.md). A path can only match a template with the same first segment
 * and the same number of segments. So this index compares the path only with such templates.
 */
export class RouteIndex {
  private readonly layersByShape = new Map<string, RouteLayer[]>();

  /** @throws {Error} if a parameter of a template could match several segments, or none */
  constructor(layers: readonly RouteLayer[]) {
    for (const layer of layers) {
      const template = String(layer.path);
      if (WILDCARD.test(template) || !/^\/[^:/]/.test(template))
        throw new Error(`the route index cannot contain the template ${template}`);
      const shape = describeShape(template);
      // The router runs the last matching route, so later routes come first here.
      this.layersByShape.set(shape, [layer, ...(this.layersByShape.get(shape) ?? [])]);
    }
  }

  /**
   * Returns the route that the router would run, or undefined if the index finds no route. The
   * router may still find a route, because it also accepts other spellings, such as upper case.
   */
  find(path: string, method: string): RouteLayer | undefined {
    return this.layersByShape
      .get(describeShape(path))
      ?.find((layer) => layer.methods.includes(method) && layer.match(path));
  }
}

/** Returns the first segment and the number of segments: `invoices 2` for `/invoices/:id`. */
function describeShape(path: string): string {
  let segments = 1;
  let end = path.length;
  for (let at = path.indexOf('/', 1); at !== -1; at = path.indexOf('/', at + 1)) {
    if (segments === 1) end = at;
    segments += 1;
  }
  return `${path.slice(1, end)} ${segments}`;
}
