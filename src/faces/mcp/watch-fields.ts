import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { findUnknownFields, warningsOf } from "../unknown-fields.js";

const warnings = new WeakMap<object, readonly string[]>();

/**
 * The same schema, which refuses misspelt arguments and remembers the others that it does not know.
 * @param overruled arguments that a pinned call may carry without effect, as clients do that know no pinning
 */
export function watchFields(
  schema: z.ZodObject,
  described: StandardSchemaWithJSON,
  overruled: readonly string[],
): StandardSchemaWithJSON {
  const standard = described["~standard"];
  type Result = Awaited<ReturnType<typeof standard.validate>>;
  const check = (input: unknown, result: Result): Result => {
    if (result.issues) return result;
    const { misspelt, ignored } = findUnknownFields(schema, input);
    if (misspelt.length > 0) return { issues: misspelt.map(({ path, message }) => ({ path, message })) };
    const unknown = ignored.filter((name) => !overruled.includes(name));
    if (unknown.length > 0) warnings.set(Object(result.value), warningsOf({ misspelt, ignored: unknown }));
    return result;
  };
  return {
    "~standard": {
      ...standard,
      validate: (input) => {
        const result = standard.validate(input);
        return result instanceof Promise ? result.then((known) => check(input, known)) : check(input, result);
      },
    },
  };
}

/** What is said of fields of arguments, as they came out of their schema, that changed nothing. */
export function fieldWarningsOf(args: unknown): readonly string[] {
  return warnings.get(Object(args)) ?? [];
}
