import type { JsonSchema } from "./schema-arbitrary.js";

/** The kind of field into which an id may be put, or neither. */
type Holds = "id" | "container" | "words";

/** A place in a request where an id may be put. */
export interface Place {
  readonly in: "path" | "query" | "body";
  /** Names from the outside in; `[]` is the only entry of a list. */
  readonly steps: readonly string[];
  readonly holds: "id" | "container";
}

const names = (holds: Holds, list: string) => list.split(/\s+/).map((name) => [name, holds] as const);

/**
 * The meaning of every text field in requests, by name. A field missing here fails the test: say whether it
 * may name something in a container.
 */
const FIELDS: ReadonlyMap<string, Holds> = new Map([
  ...names(
    "id",
    `id ids docId documentId memoryId customId conversationId batchId taskId updates key keyId mergeId memberId clientId
    connection viewId`,
  ),
  ...names("container", "containerTag containerTags targetContainerTag namespace projectId targetProjectId"),
  ...names(
    "words",
    `content newContent query q informationToGet thingToRemember text quote reason forgetReason title name topic
    entityContext entities messages speaker description emoji email firstName file fileType mimeType password filepath timezone
    memoryFilesystemPaths source sources provider categoriesFilter buckets limit page operator action actor start end from
    to code state validationToken redirectUrl returnUrl pluginId userId endUserId confirmation date documentDate eventDate eventDates forgetAfter imageUrl
    image_url url image mediaType tool_call_id toolCallId toolName tool_use_id args input result output filterPrompt workspacePrompt githubClientId githubClientSecret googleDriveClientId
    googleDriveClientSecret notionClientId notionClientSecret onedriveClientId onedriveClientSecret tool_calls metadata includeContent
    order sort status period type statusCode outcome deleteDocuments
    error parent_id per_page includeRecent
    expires signature filterByMetadata filters categories includeItems excludeItems documents resources uri`,
  ),
]);

/** Names with another meaning in one operation. */
const EXCEPTIONS: ReadonlyMap<string, Holds> = new Map([
  ["POST /v3/container-tags/merge from", "container"],
  ["POST /v3/container-tags/merge to", "container"],
  ["PATCH /v3/container-tags/{containerTag} profileBuckets.[].key", "words"],
  ["PATCH /v3/settings profileBuckets.[].key", "words"],
]);

const MAX_DEPTH = 10;

export type Components = Readonly<Record<string, JsonSchema>>;

/** A schema with its references resolved. */
function resolve(schema: JsonSchema, components: Components): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const target = components[schema.$ref.split("/").at(-1) ?? ""];
  if (!target) throw new Error(`${schema.$ref} leads nowhere`);
  return resolve(target, components);
}

function variantsOf(schema: JsonSchema, components: Components): JsonSchema[] {
  const resolved = resolve(schema, components);
  const variants = resolved.anyOf ?? resolved.oneOf;
  return variants ? variants.flatMap((variant) => variantsOf(variant, components)) : [resolved];
}

/**
 * The places in a schema where an id fits.
 * @param unknown is called with each field that is in no list
 */
export function placesIn(
  operation: string,
  schema: JsonSchema,
  components: Components,
  unknown: (field: string) => void,
): Pick<Place, "steps" | "holds">[] {
  const found = new Map<string, Pick<Place, "steps" | "holds">>();
  const visit = (one: JsonSchema, steps: readonly string[]): void => {
    if (steps.length > MAX_DEPTH) return;
    for (const variant of variantsOf(one, components)) {
      for (const [name, field] of Object.entries(variant.properties ?? {})) visit(field, [...steps, name]);
      if (variant.items) visit(variant.items, [...steps, "[]"]);
      const types = [variant.type ?? []].flat();
      const isText = types.includes("string") && !variant.enum && variant.format === undefined;
      const isOpen = types.length === 0 && variant.enum === undefined && variant.const === undefined;
      if ((!isText && !isOpen) || variant.const !== undefined || steps.length === 0) continue;
      const name = steps.findLast((step) => step !== "[]") ?? "";
      const holds = EXCEPTIONS.get(`${operation} ${steps.join(".")}`) ?? FIELDS.get(name);
      if (!holds) unknown(`${operation}: ${steps.join(".")}`);
      else if (holds !== "words" && isText) found.set(steps.join("."), { steps, holds });
    }
  };
  visit(schema, []);
  return [...found.values()];
}

/** A path parameter or another name without a schema. */
export function holdingOf(operation: string, name: string): Holds | undefined {
  return EXCEPTIONS.get(`${operation} ${name}`) ?? FIELDS.get(name);
}

/** The same value with something in a place, surrounded by what its schema requires. */
export function put(
  value: unknown,
  { schema, components }: { readonly schema: JsonSchema; readonly components: Components },
  steps: readonly string[],
  id: string,
): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return id;
  const variants = variantsOf(schema, components);
  if (step === "[]") {
    const items = variants.find((variant) => variant.items)?.items ?? {};
    const [first] = Array.isArray(value) ? (value as unknown[]) : [];
    return [put(first, { schema: items, components }, rest, id)];
  }
  const holder = variants.find(({ properties }) => properties && Object.hasOwn(properties, step)) ?? {};
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  const base = isRecord
    ? (value as Record<string, unknown>)
    : (smallest(holder, components) as Record<string, unknown>);
  return { ...base, [step]: put(base[step], { schema: holder.properties?.[step] ?? {}, components }, rest, id) };
}

/** The smallest value that a schema allows. */
function smallest(schema: JsonSchema, components: Components, depth = 0): unknown {
  const [first = {}] = variantsOf(schema, components);
  if (first.const !== undefined) return first.const;
  if (first.enum) return first.enum[0];
  const [type] = [first.type ?? []].flat();
  if (type === "array")
    return first.items && (first.minItems ?? 0) > 0 ? [smallest(first.items, components, depth + 1)] : [];
  if (type === "integer" || type === "number") return first.minimum ?? 1;
  if (type === "boolean") return true;
  if (type === "string") return "Mia keeps bees.";
  const { properties = {}, required = [] } = first;
  if (depth > MAX_DEPTH) return {};
  return Object.fromEntries(required.map((name) => [name, smallest(properties[name] ?? {}, components, depth + 1)]));
}

/** The largest request that a schema allows: all options on, the longest lists, the lowest thresholds. */
export function askingForAll(
  value: unknown,
  { schema, components }: { readonly schema: JsonSchema; readonly components: Components },
  depth = 0,
): unknown {
  const holder = variantsOf(schema, components).find(({ properties }) => properties);
  if (!holder || depth > 2 || (value !== undefined && (typeof value !== "object" || value === null))) return value;
  const asked = Object.entries(holder.properties ?? {}).flatMap(([name, field]): [string, unknown][] => {
    const variants = variantsOf(field, components);
    const known = (value as Record<string, unknown> | undefined)?.[name];
    if (known !== undefined) return [];
    if (variants.some(({ type }) => type === "boolean")) return [[name, true]];
    if (/threshold$/i.test(name)) return [[name, 0]];
    const { maximum } = variants.find(({ type }) => type === "integer" || type === "number") ?? {};
    if (name === "limit") return [[name, Math.min(maximum ?? 100, 100)]];
    const inside = variants.some(({ properties }) => properties)
      ? askingForAll(undefined, { schema: field, components }, depth + 1)
      : undefined;
    return inside === undefined ? [] : [[name, inside]];
  });
  if (asked.length === 0) return value;
  return { ...Object.fromEntries(asked), ...(value as Record<string, unknown> | undefined) };
}

/** Without fields that name something else, or its container, so that a place is tested by itself. */
export function without(
  operation: string,
  value: unknown,
  { schema, components }: { readonly schema: JsonSchema; readonly components: Components },
  { holds, except }: { readonly holds: "id" | "container"; readonly except: string | undefined },
): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const required = new Set(variantsOf(schema, components).flatMap((variant) => variant.required ?? []));
  const kept = Object.entries(value).filter(
    ([name]) => name === except || required.has(name) || holdingOf(operation, name) !== holds,
  );
  return Object.fromEntries(kept);
}
