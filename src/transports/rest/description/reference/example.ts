import type { Schema } from "./schema.js";

/** Values that make an example look like a real request. */
const VALUES: Readonly<Record<string, unknown>> = {
  q: "How does Mia like to travel?",
  query: "travel plans",
  content: "Mia prefers trains to planes.",
  newContent: "Mia prefers night trains.",
  memory: "Mia prefers trains to planes.",
  memories: [{ content: "Mia prefers trains to planes." }],
  documents: [{ content: "Mia prefers trains to planes." }],
  messages: [{ role: "user", content: "I prefer trains to planes." }],
  containerTag: "mia",
  containerTags: ["mia"],
  targetContainerTag: "mia",
  conversationId: "chat-1",
  name: "Travel",
  email: "mia@example.com",
  ids: ["<id>"],
  id: "<id>",
};

/** A body with everything the schema requires. */
export function exampleOf(schema: Schema, name = ""): unknown {
  if (name in VALUES) return VALUES[name];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [variant] = schema.anyOf ?? schema.oneOf ?? [];
  if (variant) return exampleOf(variant, name);
  const [type = "object"] = [schema.type ?? []].flat();
  if (type === "array") return schema.items ? [exampleOf(schema.items)] : [];
  if (type === "number" || type === "integer") return schema.minimum ?? 1;
  if (type === "boolean") return true;
  if (type === "string") return "text";
  const required = Object.entries(schema.properties ?? {}).filter(([field]) => schema.required?.includes(field));
  return Object.fromEntries(required.map(([field, of]) => [field, exampleOf(of, field)]));
}

/** A curl command that can be pasted into a shell. */
export function curlOf({
  method,
  url,
  body,
  example,
  isForm,
  needsKey,
}: {
  method: string;
  url: string;
  /** Schema of the body, if there is one. */
  body: Schema | undefined;
  /** A body written by hand for it. */
  example: unknown;
  isForm: boolean;
  needsKey: boolean;
}): string {
  const lines = [`curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}${quote(url)}`];
  if (needsKey) lines.push('-H "Authorization: Bearer $RECOLLECT_API_KEY"');
  if (body && isForm) lines.push("-F file=@notes.txt", "-F containerTag=mia");
  if (body && !isForm) {
    lines.push('-H "Content-Type: application/json"');
    lines.push(`-d ${quote(JSON.stringify(example ?? exampleOf(body)))}`);
  }
  return lines.join(" \\\n  ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
