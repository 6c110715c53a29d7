import type { Components, Json } from './components.js';

/**
 * Removes the schemas that nothing in the OpenAPI document refers to. These schemas belong to
 * agents' tools, and the MCP manifest shows them.
 */
export function dropUnusedSchemas({ components, ...rest }: { components: Components } & Json): void {
  const { schemas } = components;
  let unused: string[];
  do {
    const text = JSON.stringify([rest, components]);
    unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
    for (const name of unused) delete schemas[name];
  } while (unused.length > 0);
}
