import type { Schema } from "./schema.js";

type Schemas = Readonly<Record<string, Schema>>;

/** The named schemas of the document: those in a section of their own, and those shown where they are a body. */
export interface NamedSchemas {
  readonly listed: Schemas;
  /** The name of a body's schema, if it has one, and the schema to show. */
  ofBody(schema: Schema): { readonly name: string | undefined; readonly schema: Schema };
}

/**
 * Lists a schema if a part of another one refers to it, so that links lead to it; the others are only bodies.
 * @param bodies of all operations
 */
export function namedSchemas(schemas: Schemas, bodies: readonly Schema[]): NamedSchemas {
  const parts = [...Object.values(schemas), ...bodies.filter(({ $ref }) => $ref === undefined)];
  const linked = new Set(
    [...JSON.stringify(parts).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name),
  );
  // The page itself links to it.
  linked.add("Error");
  return {
    listed: Object.fromEntries(Object.entries(schemas).filter(([name]) => linked.has(name))),
    ofBody(schema) {
      const name = nameOf(schema);
      return { name, schema: name === undefined || linked.has(name) ? schema : (schemas[name] ?? schema) };
    },
  };
}

/** The name of the schema that this one refers to, or undefined. */
export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.split("/").at(-1);
}
