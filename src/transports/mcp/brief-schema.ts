import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type * as z from "zod";

/**
 * The same schema, described to clients in fewer words: each of them pays for the list of tools in every conversation. It does
 * not name the dialect that the protocol assumes anyway, nor say of parts of an answer that they are complete, nor what
 * fields of an answer mean, because the text beside it does.
 */
export function briefly(schema: z.ZodObject): StandardSchemaWithJSON {
  const standard = schema["~standard"];
  const { input, output } = standard.jsonSchema;
  return {
    "~standard": {
      ...standard,
      jsonSchema: {
        input: once((options) => withoutTruisms(withoutDialect(input(options)))),
        output: once((options) => {
          const { additionalProperties = false, ...described } = withoutDialect(output(options));
          return { ...withoutWords(described), additionalProperties };
        }),
      },
    },
  };
}

type Described = Readonly<Record<string, unknown>>;

/** Makes a description once for each dialect: over HTTP every request asks for it again. */
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

/** That names are text and values are anything. */
function withoutTruisms(schema: Described): Record<string, unknown> {
  const { propertyNames: _names, additionalProperties, ...described } = inParts(schema, withoutTruisms);
  const isAnything = isSchema(additionalProperties) && Object.keys(additionalProperties).length === 0;
  return { ...described, ...(additionalProperties !== undefined && !isAnything && { additionalProperties }) };
}

function withoutWords(schema: Described): Record<string, unknown> {
  const { description: _words, additionalProperties: _rest, propertyNames: _names, ...described } = schema;
  return inParts(described, withoutWords);
}

/** The same with its parts changed. */
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
