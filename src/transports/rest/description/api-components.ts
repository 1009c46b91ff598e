import * as z from "zod";
import type { ApiDocument } from "./describe-api.js";
import { wordsFor } from "./field-words.js";
import { nameBodies } from "./name-bodies.js";
import { paginationAnswer } from "../pagination.js";
import { containerAnswer, listedContainer } from "../containers/present-container.js";
import { connection, connectionDocument, syncRun } from "../service/present-connection.js";
import { documentAnswer, listedDocument } from "../documents/present-document.js";
import { graphDocument } from "../documents/present-document-graph.js";
import { documentSearchAnswer } from "../search/present-document-result.js";
import { memoryEntry } from "../memories/present-memory.js";
import { profileAnswer } from "../search/present-profile.js";
import { receiptAnswer } from "../documents/present-receipt.js";
import { searchAnswer } from "../search/present-search-result.js";
import { sessionAnswer } from "../service/present-session.js";
import { settingsAnswer } from "../service/present-settings.js";
import { errorSchema, filters } from "../schemas.js";

/** Schemas that several operations share, or that readers look for by name. */
const COMPONENTS: Readonly<Record<string, z.ZodType>> = {
  Error: errorSchema,
  Pagination: paginationAnswer,
  Filters: filters,
  Document: documentAnswer,
  ListedDocument: listedDocument,
  DocumentReceipt: receiptAnswer,
  DocumentWithMemories: graphDocument,
  SearchAnswer: searchAnswer,
  DocumentSearchAnswer: documentSearchAnswer,
  MemoryEntry: memoryEntry,
  Profile: profileAnswer,
  ContainerTag: containerAnswer,
  ListedContainerTag: listedContainer,
  Connection: connection,
  ConnectionDocument: connectionDocument,
  SyncRun: syncRun,
  Settings: settingsAnswer,
  Session: sessionAnswer,
};

/** Gives the shared schemas their names, which the generator then writes into each copy. */
export function nameComponents(): void {
  for (const [id, schema] of Object.entries(COMPONENTS))
    schema.register(z.globalRegistry, { ...z.globalRegistry.get(schema), id });
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** An object of the document while it is made. */
export type JsonObject = { [key: string]: Json };

/**
 * Gathers the named schemas, lists the errors that any operation may return, describes fields that have no description, and names
 * the bodies.
 */
export function refineDocument(document: ApiDocument): ApiDocument {
  const plain = JSON.parse(JSON.stringify(document)) as JsonObject;
  const schemas: JsonObject = {};
  const refined = gather(plain, schemas) as JsonObject;
  const operations = Object.values((refined["paths"] ?? {}) as Record<string, JsonObject>).flatMap((path) =>
    Object.entries(path as Record<string, JsonObject>),
  );
  for (const [method, operation] of operations) {
    listRefusals(method, operation);
    announceWarnings(operation);
    explain(operation["parameters"] ?? null);
    explain(operation["requestBody"] ?? null);
  }
  nameBodies(
    operations.map(([, operation]) => operation),
    schemas,
  );
  const components = refined["components"] as JsonObject;
  components["schemas"] = sorted(schemas);
  components["responses"] = refusals();
  delete components["parameters"];
  delete refined["webhooks"];
  return refined as unknown as ApiDocument;
}

function sorted(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Replaces every copy of a named schema by a reference. */
function gather(value: Json, schemas: JsonObject): Json {
  if (Array.isArray(value)) return value.map((item) => gather(item, schemas));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, part]): [string, Json] => [key, gather(part, schemas)]);
  const object = Object.fromEntries(entries);
  if (typeof object["pattern"] === "string") object["pattern"] = withoutFlags(object["pattern"]);
  const name = object["id"];
  if (typeof name !== "string" || !(name in COMPONENTS)) return object;
  const { id: _id, ...schema } = object;
  const isNullable = Array.isArray(schema["type"]) && schema["type"].includes("null");
  schemas[name] ??= isNullable ? { ...schema, type: "object" } : schema;
  const reference = { $ref: `#/components/schemas/${name}` };
  return isNullable ? { anyOf: [reference, { type: "null" }] } : reference;
}

/** JSON Schema has no flags; the generator appends them to the pattern, as JavaScript does. */
function withoutFlags(pattern: string): string {
  const [, bare, flags] = /^(.*)\/([a-z]+)$/s.exec(pattern) ?? [];
  if (bare === undefined || flags === undefined) return pattern;
  const isPlain = !/[[\\]/.test(bare);
  if (!flags.includes("i") || !isPlain) return bare;
  return bare.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

const REFUSALS: Readonly<Record<string, readonly [name: string, description: string]>> = {
  400: ["Invalid", "The request is invalid; `issues` says where, and which rule it breaks."],
  401: ["Unauthorized", "There is no key, or this server does not know it."],
  403: ["Forbidden", "The key may not do this, or may not do it there."],
  404: ["NotFound", "It does not exist, or the key may not see it."],
  409: ["Conflict", "It conflicts with the current state; `x-should-retry: false` if a retry cannot help."],
  413: ["TooLarge", "The request or a part of it is larger than this server accepts."],
  415: ["UnsupportedType", "The body or the file has a type that this server does not read."],
  429: ["TooManyRequests", "The key made too many requests; `Retry-After` says when to try again."],
  500: ["Failed", "The server failed; its log gives the reason under the `x-request-id` of the response."],
  503: ["Unavailable", "Something that this request needs is not available now; `Retry-After` says when to try again."],
  507: ["StorageFull", "The disk is full, or the store has reached its size limit; nothing was changed."],
};

function refusals(): JsonObject {
  return Object.fromEntries(
    Object.values(REFUSALS).map(([name, description]) => [
      name,
      { description, content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } },
    ]),
  );
}

/** Lists the errors that an operation does not describe itself. */
function listRefusals(method: string, operation: JsonObject): void {
  const responses = operation["responses"] as JsonObject;
  for (const status of refusedWith(method, operation))
    if (!(status in responses) || status === "500")
      responses[status] = { $ref: `#/components/responses/${REFUSALS[status]?.[0]}` };
}

function refusedWith(method: string, operation: JsonObject): readonly string[] {
  const isOpen = Array.isArray(operation["security"]) && operation["security"].length === 0;
  const parameters = (operation["parameters"] ?? []) as JsonObject[];
  const hasBody = "requestBody" in operation;
  const isNamed = parameters.some((parameter) => parameter["in"] === "path");
  return [
    "400",
    ...(isOpen ? [] : ["401", "403"]),
    ...(isNamed ? ["404"] : []),
    ...(isOpen || method === "get" ? [] : ["409"]),
    ...(hasBody ? ["413", "415"] : []),
    ...(isOpen ? [] : ["429"]),
    "500",
    "503",
    ...(method === "get" ? [] : ["507"]),
  ];
}

/** What any object answer may have besides its own fields. */
const WARNINGS: JsonObject = {
  warnings: {
    type: "array",
    items: { type: "string" },
    description: "Fields of the request that were not applied, each with the reason; absent if there are none.",
  },
};

function announceWarnings(operation: JsonObject): void {
  if (Array.isArray(operation["security"]) && operation["security"].length === 0) return;
  for (const [status, response] of Object.entries(operation["responses"] as Record<string, JsonObject>)) {
    const content = response["content"] as Record<string, JsonObject> | undefined;
    const answer = content?.["application/json"];
    const schema = answer?.["schema"] as JsonObject | undefined;
    if (!status.startsWith("2") || answer === undefined || schema === undefined) continue;
    if (schema["type"] === "object")
      answer["schema"] = { ...schema, properties: { ...(schema["properties"] as JsonObject), ...WARNINGS } };
    if ("$ref" in schema) answer["schema"] = { allOf: [schema, { type: "object", properties: WARNINGS }] };
  }
}

/** Adds descriptions to fields and query parameters that have none. */
function explain(value: Json): void {
  if (Array.isArray(value)) {
    for (const item of value) explain(item);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (value["in"] === "query" && typeof value["name"] === "string") explainParameter(value, value["name"]);
  const properties = value["properties"];
  if (typeof properties === "object" && properties !== null && !Array.isArray(properties))
    for (const [name, schema] of Object.entries(properties)) explainField(name, schema);
  for (const part of Object.values(value)) explain(part);
}

function explainParameter(parameter: JsonObject, name: string): void {
  const schema = parameter["schema"];
  const own = typeof schema === "object" && schema !== null && !Array.isArray(schema) ? schema["description"] : null;
  const words = own ?? wordsFor(name);
  if (words !== undefined && words !== null) parameter["description"] ??= words;
}

function explainField(name: string, schema: Json): void {
  const words = wordsFor(name);
  if (words === undefined || typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  schema["description"] ??= words;
}
