import * as fc from "fast-check";
import { breakValue, oddText } from "./broken-values.js";
import { valuesOf, type JsonSchema, type SchemaSource } from "./schema-arbitrary.js";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** An operation of the API document, as far as needed to generate requests. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly type: string; readonly schema: JsonSchema; readonly isRequired: boolean } | null;
}

/** A request that can be sent and described. */
export interface ApiRequest {
  readonly operation: Operation;
  /** How it was broken, or `none`. */
  readonly fault: string;
  readonly method: string;
  /** Including its query. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly pathValues: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The value of the body before encoding. */
  readonly value: unknown;
  readonly body: string | FormData | undefined;
}

export function readOperations(api: any): Operation[] {
  const resolve = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined ? schema : api.components.schemas[schema.$ref.split("/").at(-1) ?? ""];
  return Object.entries<any>(api.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]): Operation => {
      const [[type, content] = ["", undefined]] = Object.entries<any>(operation.requestBody?.content ?? {});
      return {
        method: method.toUpperCase(),
        path,
        tag: operation.tags[0],
        parameters: operation.parameters ?? [],
        body: content
          ? { type, schema: resolve(content.schema), isRequired: operation.requestBody.required !== false }
          : null,
      };
    }),
  );
}

/** Requests that the document allows, and as many that it does not. */
export function requestsTo(operation: Operation, source: SchemaSource): fc.Arbitrary<ApiRequest> {
  const valid = validRequest(operation, source);
  return fc.oneof({ arbitrary: valid, weight: 5 }, { arbitrary: valid.chain(breakRequest), weight: 5 });
}

function validRequest(operation: Operation, source: SchemaSource): fc.Arbitrary<ApiRequest> {
  const inPlace = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const values = (parameters: readonly Parameter[]) =>
    fc.record(Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema, source, name)])), {
      requiredKeys: parameters
        .filter(({ name, required }) => required || source.always.has(name))
        .map(({ name }) => name),
    });
  const body = operation.body ? valuesOf(operation.body.schema, source) : fc.constant(undefined);
  return fc.tuple(values(inPlace("path")), values(inPlace("query")), body).map(([path, query, value]) =>
    buildRequest(operation, {
      pathValues: Object.fromEntries(Object.entries(path).map(([name, part]) => [name, asText(part)])),
      query: Object.entries(query).flatMap(([name, part]) =>
        [part].flat().map((one): [string, string] => [name, asText(one)]),
      ),
      value,
    }),
  );
}

type Parts = Pick<ApiRequest, "pathValues" | "query" | "value">;

function buildRequest(operation: Operation, parts: Parts, changes: Partial<ApiRequest> = {}): ApiRequest {
  const isForm = operation.body?.type === "multipart/form-data";
  return {
    operation,
    fault: "none",
    method: operation.method,
    path: pathOf(operation, parts),
    headers: parts.value === undefined || isForm ? {} : { "content-type": "application/json" },
    body: parts.value === undefined ? undefined : isForm ? formOf(parts.value) : JSON.stringify(parts.value),
    ...parts,
    ...changes,
  };
}

function pathOf({ path }: Operation, { pathValues, query }: Parts): string {
  const place = path.replace(/\{(\w+)\}/g, (_braces, name: string) => encode(pathValues[name] ?? ""));
  const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  return search === "" ? place : `${place}?${search}`;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Lone surrogates cannot be represented in a URL. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).slice(0, 20_000);
}

function formOf(value: unknown): FormData {
  const form = new FormData();
  const fields = typeof value === "object" && value !== null ? Object.entries(value) : [];
  for (const [name, field] of fields)
    if (name === "file") form.append(name, new Blob([String(field)], { type: "text/plain" }), "note.txt");
    else form.append(name, typeof field === "string" ? field : JSON.stringify(field));
  return form;
}

function breakRequest(request: ApiRequest): fc.Arbitrary<ApiRequest> {
  const { operation } = request;
  const rebuild = (fault: string, parts: Partial<Parts>, changes: Partial<ApiRequest> = {}) =>
    buildRequest(operation, { ...request, ...parts }, { fault, ...changes });
  const faults: fc.Arbitrary<ApiRequest>[] = [
    oddText.map((name) => rebuild("an extra query parameter", { query: [...request.query, [name, "1"]] })),
    fc
      .constantFrom(
        "?%E0%A4%A",
        "?=&&&=",
        "?a[b]=1&a[b]=2",
        "?__proto__[x]=1",
        "?limit=%00",
        `?${"a=1&".repeat(2_000)}`,
      )
      .map((query) =>
        rebuild("a hostile query", { query: [] }, { path: pathOf(operation, { ...request, query: [] }) + query }),
      ),
    fc
      .constantFrom("BREW", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
      .map((method) =>
        method === "HEAD"
          ? rebuild("HEAD", {}, { method, body: undefined })
          : rebuild("another method", {}, { method }),
      ),
    fc
      .constantFrom("Bearer sm_wrong_key", "Basic x", "Bearer", "", "sm_")
      .map((authorization) => rebuild("a wrong key", {}, { headers: { ...request.headers, authorization } })),
    fc
      .constantFrom("opencode", "../x", "a".repeat(9_999), "é")
      .map((client) => rebuild("a client", {}, { headers: { ...request.headers, "x-sm-source": encodeURI(client) } })),
  ];
  for (const name of Object.keys(request.pathValues))
    faults.push(oddText.map((odd) => rebuild("an odd path", { pathValues: { ...request.pathValues, [name]: odd } })));
  if (request.query.length > 0)
    faults.push(
      fc.tuple(fc.nat(request.query.length - 1), oddText).map(([at, odd]) =>
        rebuild("an odd query", {
          query: request.query.map(([name, value], index) => [name, index === at ? odd : value]),
        }),
      ),
      fc.constant(rebuild("a query twice", { query: [...request.query, ...request.query] })),
    );
  if (typeof request.body === "string") faults.push(...bodyFaults(request, request.body, rebuild));
  return fc.oneof(...faults);
}

function bodyFaults(
  request: ApiRequest,
  text: string,
  rebuild: (fault: string, parts: Partial<Parts>, changes?: Partial<ApiRequest>) => ApiRequest,
): fc.Arbitrary<ApiRequest>[] {
  const broken = breakValue(request.value).map((value) => rebuild("a broken body", { value: value ?? null }));
  return [
    broken,
    broken,
    broken,
    broken,
    fc
      .nat(text.length)
      .map((length) => rebuild("a body that is cut off", { value: null }, { body: text.slice(0, length) })),
    fc
      .constantFrom(
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        ";",
      )
      .map((type) => rebuild("another content type", {}, { headers: { "content-type": type } })),
    fc
      .constantFrom(
        "",
        "null",
        "[]",
        '""',
        "{",
        "\u0000",
        '{"a":1}{"b":2}',
        `${"[".repeat(9_999)}`,
        '{"__proto__":{"x":1}}',
      )
      .map((body) => rebuild("another body", { value: null }, { body })),
    fc.constant(rebuild("no body", { value: undefined })),
  ];
}
