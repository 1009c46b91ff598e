import * as fc from "fast-check";

/** A JSON schema of the API document. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

export interface SchemaSource {
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** Values for fields by name that are more meaningful than any that the type allows. */
  readonly known: (name: string) => fc.Arbitrary<unknown> | undefined;
  /** Fields that are always included when a schema has them. */
  readonly always: ReadonlySet<string>;
}

const MAX_DEPTH = 8;
const LONGEST_STRING = 60;

/** Small values that a schema allows. */
export function valuesOf(schema: JsonSchema, source: SchemaSource, name = "", depth = 0): fc.Arbitrary<unknown> {
  const known = source.known(name);
  if (known) return known;
  if (schema.$ref !== undefined) {
    const target = source.components[schema.$ref.split("/").at(-1) ?? ""];
    if (!target) throw new Error(`${schema.$ref} leads nowhere`);
    return valuesOf(target, source, "", depth);
  }
  if (depth > MAX_DEPTH) return fc.constant(null);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return fc.oneof(...variants.map((variant) => valuesOf(variant, source, name, depth + 1)));
  const types = [schema.type ?? "any"].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, source, depth)));
}

function ofType(type: string, schema: JsonSchema, source: SchemaSource, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return strings(schema);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 50, (schema.minimum ?? 0) + 60) });
    case "number":
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 50, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return arrays(schema, source, depth);
    case "object":
      return objects(schema, source, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function strings({ format, pattern, minLength = 0, maxLength = LONGEST_STRING }: JsonSchema): fc.Arbitrary<string> {
  if (format === "date-time")
    return fc
      .date({ min: new Date("2000-01-01"), max: new Date("2040-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (pattern !== undefined)
    return fc.stringMatching(new RegExp(pattern, "u"), { size: "-1" }).map((text) => text.slice(0, maxLength));
  return fc.string({
    unit: "grapheme",
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, LONGEST_STRING)),
  });
}

function arrays({ items = {}, minItems = 0, maxItems = 3 }: JsonSchema, source: SchemaSource, depth: number) {
  const longest = Math.max(minItems, Math.min(maxItems, 3));
  return fc.array(valuesOf(items, source, "", depth + 1), { minLength: minItems, maxLength: longest });
}

function objects(schema: JsonSchema, source: SchemaSource, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, valuesOf(field, source, name, depth + 1)]),
  );
  const needed = Object.keys(fields).filter((name) => required.includes(name) || source.always.has(name));
  const own = fc.record(fields, { requiredKeys: needed });
  if (typeof additionalProperties !== "object" || Object.keys(properties).length > 0) return own;
  const value = valuesOf(additionalProperties, source, "", depth + 1);
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), value, { maxKeys: 3 });
}
