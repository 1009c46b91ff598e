import { sha256 } from "../../lib/crypto.js";
import { pictureKind } from "../../lib/picture-kind.js";
import type { Turn } from "../types.js";
import type { MessagePicture } from "./message-picture-ports.js";
import { describeResult } from "./tool-calls.js";

/** The most pictures read per conversation; each costs time, and perhaps money. */
export const MOST_PICTURES = 100;
/** No service takes a larger one. */
const MOST_BYTES = 10 * 1024 * 1024;
/** Like tool output, the text of pictures is nobody's statement. */
const SPEAKER = "tool";
const NAME = "picture";

/** What a message shows: a picture that can be read, or why it cannot. */
export type ShownPicture = { readonly picture: MessagePicture } | { readonly problem: string };

/** What the URL of a picture stands for: the picture itself in a data URL, or the address to fetch it from. */
export function pictureAt(url: string): ShownPicture {
  if (/^https?:\/\//i.test(url)) return { picture: { digest: sha256(url), address: url, bytes: null } };
  const head = /^data:([^,;]{0,200})(?:;[^,;]{0,200}){0,8}?;base64,/i.exec(url);
  if (head) return pictureOf(url.slice(head[0].length), head[1] ?? "");
  if (/^data:/i.test(url)) return { problem: "the image is not a base64 data URL, and was not kept" };
  return { problem: "the image is kept as its address, which is not fetched because it is neither http nor https" };
}

/** A picture sent as base64, with its declared type. */
export function pictureOf(base64: string, mimeType: string): ShownPicture {
  // Regular expressions with repetition overflow on a text of this length.
  const text = base64.replace(/\s/g, "");
  if (text === "") return { problem: "the image is empty, and was not kept" };
  if (/[^A-Za-z0-9+/_=-]/.test(text)) return { problem: "the image is not base64, and was not kept" };
  if (text.length > (MOST_BYTES / 3) * 4) return { problem: "the image has more than 10 MB, and was not kept" };
  const bytes = Buffer.from(text, "base64");
  if (!/^image\//i.test(mimeType) || pictureKind(bytes) === null)
    return { problem: "the image is not a picture of a supported kind, and was not kept" };
  return { picture: { digest: sha256(bytes), address: null, bytes } };
}

/** The text read from a picture, as a turn without a human speaker after the one that shows it; null if there is none. */
export function pictureTurn(digest: string, text: string): Turn | null {
  const { text: said } = describeResult({ name: NAME, value: text });
  return said === "" ? null : { speaker: SPEAKER, text: said, picture: digest };
}

/** A conversation as sent, without text read from its pictures. */
export function asSent(turns: readonly Turn[]): readonly Turn[] {
  return turns.filter(({ picture }) => picture === undefined);
}

/** A conversation with the text read from its pictures, each after the first turn that shows it. */
export function withPictureTurns(turns: readonly Turn[], read: readonly Turn[]): readonly Turn[] {
  const left = new Map(read.flatMap((turn) => (turn.picture === undefined ? [] : [[turn.picture, turn] as const])));
  if (left.size === 0) return turns;
  return asSent(turns).flatMap((turn) => {
    const shown = (turn.pictures ?? []).flatMap((digest) => left.get(digest) ?? []);
    for (const digest of turn.pictures ?? []) left.delete(digest);
    return [turn, ...new Set(shown)];
  });
}

/** Digests of the pictures that a conversation shows, in order. */
export function shownIn(turns: readonly Turn[]): ReadonlySet<string> {
  return new Set(turns.flatMap(({ pictures = [] }) => pictures));
}
