import * as z from "zod";
import { ENDPOINTS } from "../../../src/transports/rest/app.js";

/** Every field in the schemas of the API, such as `POST /v4/search include.documents`; names of lists end with `[]`. */
export function requestFields(): string[] {
  return ENDPOINTS.flatMap((endpoint) => {
    const route = `${endpoint.method.toUpperCase()} ${endpoint.path}`;
    const query = fieldsOf(endpoint.query).map((name) => `?${name}`);
    return [...new Set([...fieldsOf(endpoint.body), ...query])].map((name) => `${route} ${name}`);
  });
}

function fieldsOf(schema: unknown, path = ""): string[] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) => [
      path + name,
      ...fieldsOf(field, `${path}${name}.`),
    ]);
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element, path.replace(/\.$/, "[]."));
  if (schema instanceof z.ZodPipe) return fieldsOf(schema.in instanceof z.ZodTransform ? schema.out : schema.in, path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => fieldsOf(option, path));
  return isWrapper(schema) ? fieldsOf(schema.unwrap(), path) : [];
}

function isWrapper(schema: unknown) {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodReadonly
  );
}
