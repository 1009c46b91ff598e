import * as z from "zod";

/** A query parameter given at most once; an empty one counts as absent, because web pages send unfilled fields as empty. */
export function optionalParameter<T extends z.ZodType>(schema: T) {
  return z.preprocess((values) => onlyValue(values), schema.optional()).optional();
}

/** The same for a whole number in digits. */
export function optionalNumber<T extends z.ZodType>(schema: T) {
  return z
    .preprocess((values) => {
      const value = onlyValue(values);
      return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
    }, schema.optional())
    .optional();
}

/** Several values of one name are passed on, for the schema to refuse. */
function onlyValue(values: unknown): unknown {
  if (!Array.isArray(values) || values.length > 1) return values;
  return values[0] === "" ? undefined : (values[0] as unknown);
}
