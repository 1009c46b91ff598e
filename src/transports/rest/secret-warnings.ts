import { secretWarnings } from "../../core/index.js";
import type { Endpoint } from "./endpoint.js";

/** Operations that store text from their bodies, and whose receipts do not report secrets in it themselves. */
const KEEPING: ReadonlySet<string> = new Set([
  "post /v3/documents/batch",
  "patch /v3/documents/{id}",
  "post /v4/memories",
  "patch /v4/memories",
  "post /v4/conversations",
]);
/** Fields of a body that hold stored text, or hold such fields. */
const NESTING = ["documents", "memories", "messages", "facts", "content"] as const;
const TEXTS = ["content", "newContent", "text"] as const;
/** Levels of a body below which nothing is stored. */
const DEEPEST = 4;

/** Warnings about a body with a secret that gets stored. */
export function keptSecretWarnings({ method, path }: Endpoint, body: unknown): readonly string[] {
  return KEEPING.has(`${method} ${path}`) ? secretWarnings(textsIn(body)) : [];
}

function textsIn(part: unknown, depth = 0): string[] {
  if (typeof part === "string") return [part];
  const fields = Object(part) as Readonly<Record<string, unknown>>;
  const own = TEXTS.flatMap((name) => {
    const value = fields[name];
    return typeof value === "string" ? [value] : [];
  });
  if (depth >= DEEPEST) return own;
  const nested = NESTING.flatMap((name) => (Array.isArray(fields[name]) ? (fields[name] as unknown[]) : []));
  return [...own, ...nested.flatMap((one) => textsIn(one, depth + 1))];
}
