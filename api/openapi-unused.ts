type Json = Record<string, unknown>;

/** Takes out the schemas that no operation refers to: those of agents' tools alone, which the manifest shows. */
export function dropUnusedSchemas({
  components,
  ...rest
}: { components: Record<string, Json> } & Json): void {
  const schemas = components.schemas as Json;
  let unused: string[];
  do {
    const text = JSON.stringify([rest, components]);
    unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
    for (const name of unused) delete schemas[name];
  } while (unused.length > 0);
}
