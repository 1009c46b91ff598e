import type { JsonObject } from "./api-components.js";

/** Names of bodies that several operations share, where that of the first would mislead. */
const SHARED: Readonly<Record<string, string>> = {
  DeleteConnectionRequest: "ContainerSelection",
  ChangeMemberRoleRequest: "UnusedRequest",
  ChangeMemberRoleResponse: "TeamChangeResponse",
};

/**
 * Makes a named schema of each JSON body that is not one yet, because clients generated from the document call a type as its
 * schema. The name is that of the operation; equal bodies share the name of the operation that is first in the alphabet.
 */
export function nameBodies(operations: readonly JsonObject[], schemas: JsonObject): void {
  const bodies = operations
    .toSorted((left, right) => (idOf(left) < idOf(right) ? -1 : 1))
    .flatMap(bodiesOf)
    .filter(({ content }) => !isNamed(content["schema"] as JsonObject));
  const names = new Map<string, string>();
  for (const { name, content } of bodies) {
    const text = JSON.stringify(content["schema"]);
    if (!names.has(text)) names.set(text, SHARED[name] ?? name);
  }
  for (const { content } of bodies) {
    const schema = content["schema"] ?? null;
    const name = names.get(JSON.stringify(schema)) ?? "";
    if (name in schemas && JSON.stringify(schemas[name]) !== JSON.stringify(schema))
      throw new Error(`Two schemas of the API document would be called ${name}: name one of them as a component`);
    schemas[name] = schema;
    content["schema"] = { $ref: `#/components/schemas/${name}` };
  }
}

interface Body {
  readonly name: string;
  /** What holds the schema. */
  readonly content: JsonObject;
}

function idOf({ operationId }: JsonObject): string {
  return typeof operationId === "string" ? operationId : "";
}

function bodiesOf(operation: JsonObject): Body[] {
  const id = idOf(operation);
  const prefix = id.charAt(0).toUpperCase() + id.slice(1);
  const answers = Object.values(operation["responses"] as Record<string, JsonObject>);
  return [
    ...jsonIn(operation["requestBody"] as JsonObject | undefined, `${prefix}Request`),
    ...answers.flatMap((answer) => jsonIn(answer, `${prefix}Response`)),
  ];
}

function jsonIn(body: JsonObject | undefined, name: string): Body[] {
  const content = (body?.["content"] as Record<string, JsonObject> | undefined)?.["application/json"];
  return content === undefined ? [] : [{ name, content }];
}

/** Arrays stay where they are: generated clients need a name only for their items. */
function isNamed(schema: JsonObject): boolean {
  return "$ref" in schema || schema["type"] === "array";
}
