import { secretWarnings } from "../../core/index.js";
import type { Endpoint } from "./endpoint.js";

/** Operations that keep the words of their bodies and whose receipts do not say themselves what is in them. */
const KEEPING: ReadonlySet<string> = new Set([
  "post /v3/documents/batch",
  "patch /v3/documents/{id}",
  "post /v4/memories",
  "patch /v4/memories",
  "post /v4/conversations",
]);
/** Fields of a body that hold what is kept, or hold such fields. */
const NESTING = ["documents", "memories", "messages", "facts", "content"] as const;
const TEXTS = ["content", "newContent", "text"] as const;
/** Levels of a body below which nothing is kept. */
const DEEPEST = 4;

/** What is said of a body that has a secret kept. */
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
