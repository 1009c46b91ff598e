import { documentsIn } from "./documents-in.js";

/** An address and nothing else. */
const ADDRESS = /^https?:\/\/\S+$/i;
/** Longer ones are no addresses. */
const LONGEST = 10_000;

/** What is said of a document whose text is an address alone: clients mean what lies there. */
export function addressWarnings(path: string, body: unknown): string[] {
  return path.startsWith("/v3/documents") && documentsIn(body).some(isAddress)
    ? ["content: is an address, and is kept as this one line of text; what lies there is not fetched by this version"]
    : [];
}

function isAddress(part: unknown): boolean {
  const { content } = Object(part) as { content?: unknown };
  return typeof content === "string" && content.length <= LONGEST && ADDRESS.test(content.trim());
}
