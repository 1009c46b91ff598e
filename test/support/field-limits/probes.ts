import type { JsonSchema } from "../schema-arbitrary.js";
import type { Operation } from "../api-requests.js";
import { type Bound, Bounds } from "./bounds.js";

type Fields = Readonly<Record<string, unknown>>;

/** A request of a route, by the part that contains the probed value. */
export interface LimitedRequest {
  readonly place: "body" | "form" | "query" | "path";
  readonly value: Fields;
  /** The body, in addition to a query or a path. */
  readonly body?: Fields;
}

/** A limit of a field of a route. */
export interface LimitProbe {
  /** For example `POST /v4/search body limit: maximum 100`. */
  readonly name: string;
  readonly route: string;
  readonly path: Bound["path"];
  readonly within: readonly LimitedRequest[];
  readonly beyond: readonly LimitedRequest[];
}

/** The rest of the requests of a route, besides the probed field. */
export interface RouteBase {
  /** Fields without which a body is valid for the schema but not for the service. */
  readonly fields?: Fields;
  /** Fields of which a request has exactly one. */
  readonly oneOf?: readonly string[];
}

/** Every limit of every field of the operation, in its body or form, its query and its path. */
export function limitsOf(operation: Operation, bounds: Bounds, { fields = {}, oneOf = [] }: RouteBase): LimitProbe[] {
  const route = `${operation.method} ${operation.path}`;
  const probesIn = (place: LimitedRequest["place"], schema: JsonSchema, base: Fields) => {
    const asRequest = (value: unknown, [field = ""]: Bound["path"]): LimitedRequest => {
      const given = typeof value === "object" && value !== null ? (value as Fields) : {};
      const beside = oneOf.includes(String(field)) ? without(base, oneOf) : base;
      const left = without({ ...given, ...beside }, [String(field)]);
      const body = place === "query" && operation.body ? { body: fields } : {};
      return { place, value: field in given ? { ...left, [field]: given[field] } : left, ...body };
    };
    return bounds.of(schema).flatMap(({ path, rule, within, beyond }): LimitProbe[] => {
      // Everything in a query, a path or a form is a text; values that have no place there are not sent.
      if (path.length === 0 || (place !== "body" && rule.startsWith("type "))) return [];
      const name = `${route} ${place} ${path.join(".").replaceAll(".0", "[]")}: ${rule}`;
      const requests = (values: readonly unknown[]) => values.map((value) => asRequest(value, path));
      // An empty query or form field counts as omitted, since web pages send unfilled fields this way.
      const taken = place !== "body" && rule === "minLength 1" ? [] : beyond;
      return [{ name, route, path, within: requests(within), beyond: requests(taken) }];
    });
  };
  const isForm = operation.body?.type === "multipart/form-data";
  return [
    ...(operation.body ? probesIn(isForm ? "form" : "body", operation.body.schema, fields) : []),
    ...probesIn("query", asObject(operation, "query"), {}),
    ...probesIn("path", asObject(operation, "path"), {}),
  ];
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function asObject({ parameters }: Operation, place: string): JsonSchema {
  const here = parameters.filter((parameter) => parameter.in === place);
  return {
    type: "object",
    properties: Object.fromEntries(here.map(({ name, schema }) => [name, schema])),
    required: here.filter(({ required }) => required && place !== "path").map(({ name }) => name),
  };
}
