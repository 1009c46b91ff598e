import { invalid } from "../input.js";
import type { Document } from "../types.js";
import type { FileReading } from "./content-ports.js";

/** Characters; anything longer is a text. */
const LONGEST_ADDRESS = 8_192;

/**
 * The address that a content consists of, to be fetched; null for a text, even one that contains an address.
 * @throws AppError `invalid` for one with a user name or a password, which would be stored and shown
 */
export function soleAddress(content: string): string | null {
  const text = content.trim();
  if (text.length > LONGEST_ADDRESS || !/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return null;
  const { username, password } = new URL(text);
  if (username !== "" || password !== "")
    throw invalid([{ path: ["content"], message: "must be an address without a user name and a password" }]);
  return text;
}

/**
 * Whether a document is still to be fetched from its address. Until then the address stands in for its text, or, if it is
 * fetched again, the previous text.
 */
export function isUnfetched({ url, content }: Pick<Document, "url" | "content">, reading: FileReading | null): boolean {
  if (url === null || soleAddress(url) === null) return false;
  return url === content || (reading !== null && reading.outcome === null && reading.fileKey === url);
}
