import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { parseBounded } from "../../lib/bounded-parse.js";
import { findUnknownFields, warningsOf, withNoneIgnored } from "../unknown-fields.js";

const warnings = new WeakMap<object, readonly string[]>();

/**
 * The same schema, which refuses misspelt arguments and remembers other unknown ones.
 * @param options `overruled`: arguments that a pinned call may carry without effect, as sent by clients that know no pinning;
 *   `isExact`: every unknown argument is refused
 */
export function watchFields(
  schema: z.ZodObject,
  described: StandardSchemaWithJSON,
  { overruled, isExact }: { readonly overruled: readonly string[]; readonly isExact: boolean },
): StandardSchemaWithJSON {
  type Result = ReturnType<StandardSchemaWithJSON["~standard"]["validate"]>;
  const validate = (input: unknown): Awaited<Result> => {
    const result = parseBounded(schema, input);
    if (!("data" in result)) return { issues: result.findings };
    const fields = Object.entries(Object(input)).filter(([name]) => !overruled.includes(name));
    const found = findUnknownFields(schema, Object.fromEntries(fields));
    const unknown = isExact ? withNoneIgnored(found) : found;
    const { misspelt, ignored } = unknown;
    if (misspelt.length > 0) return { issues: misspelt.map(({ path, message }) => ({ path, message })) };
    if (ignored.length > 0) warnings.set(Object(result.data), warningsOf(unknown));
    return { value: result.data };
  };
  return { "~standard": { ...described["~standard"], validate } };
}

/** Warnings about argument fields, as parsed by their schema, that had no effect. */
export function fieldWarningsOf(args: unknown): readonly string[] {
  return warnings.get(Object(args)) ?? [];
}
