import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type * as z from "zod";

/**
 * The same schema, described to clients in fewer words: every conversation pays for the list of tools. Inputs are described
 * without the dialect that the protocol assumes anyway and without limits that an error names; outputs only as an object,
 * because the text beside them names and explains their fields. Values are still checked against the full schema.
 */
export function briefly(schema: z.ZodObject): StandardSchemaWithJSON {
  const standard = schema["~standard"];
  const { input } = standard.jsonSchema;
  return {
    "~standard": {
      ...standard,
      jsonSchema: {
        input: once((options) => withoutTruisms(withoutDialect(input(options)))),
        output: () => ({ type: "object" }),
      },
    },
  };
}

type Described = Readonly<Record<string, unknown>>;

/** Builds a description once per dialect: over HTTP every request asks for it again. */
function once<Options extends { readonly target: string }>(
  describe: (options: Options) => Record<string, unknown>,
): (options: Options) => Record<string, unknown> {
  const made = new Map<string, Record<string, unknown>>();
  return (options) => {
    const known = made.get(options.target) ?? describe(options);
    made.set(options.target, known);
    return known;
  };
}

function withoutDialect({ $schema: _dialect, ...described }: Described): Record<string, unknown> {
  return described;
}

/** Leaves out that names are text and that values are anything, and the limits that an error names. */
function withoutTruisms(schema: Described): Record<string, unknown> {
  const {
    propertyNames: _names,
    pattern: _pattern,
    minLength: _shortest,
    maxLength: _longest,
    minItems: _fewest,
    maxItems: _most,
    additionalProperties,
    ...described
  } = inParts(schema, withoutTruisms);
  if (described["maximum"] === Number.MAX_SAFE_INTEGER) delete described["maximum"];
  return { ...described, ...(typeof additionalProperties === "boolean" && { additionalProperties }) };
}

/** A schema with its parts changed. */
function inParts(schema: Described, change: (part: Described) => Described): Record<string, unknown> {
  const ofPart = (part: unknown): unknown => (isSchema(part) ? change(part) : part);
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(isSchema(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, ofPart(value)])),
    }),
    ...(isSchema(items) && { items: change(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(ofPart) }),
  };
}

function isSchema(value: unknown): value is Described {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
