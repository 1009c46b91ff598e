import { isAbsolute } from "node:path";
import * as z from "zod";
import { noteSchema } from "../input.js";
import type { EmbedderChoice } from "../ports.js";

/** Where OpenAI's own models are. */
export const OPENAI_URL = "https://api.openai.com/v1";
const OPENAI_MODEL = "text-embedding-3-small";
/** Small, English, made for retrieval. */
const STATIC_MODEL = "minishlab/potion-retrieval-32M";
const HUB_NAME = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*(@[A-Za-z0-9][\w./-]*)?$/;
const LONGEST_NAME = 1_000;
const MOST_DIMENSIONS = 65_536;

const baseUrlSchema = noteSchema(LONGEST_NAME)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    error: "must be a URL that begins with http:// or https://",
  })
  .refine((text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === "", {
    error: "must not contain a user or a password: keys belong in RECOLLECT_EMBEDDING_API_KEY",
  })
  .transform((text) => text.replace(/\/+$/, ""));

const staticModelSchema = noteSchema(LONGEST_NAME).refine(
  (text) => isAbsolute(text) || (HUB_NAME.test(text) && !/--|\.\./.test(text)),
  { error: `must be the absolute path of a folder, or a model on the hub such as ${STATIC_MODEL}` },
);

/** An embedder as configured by a person; omitted fields get the usual values. */
export const choiceSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("builtin") }),
  z.object({ kind: z.literal("static"), model: staticModelSchema.default(STATIC_MODEL) }),
  z.object({
    kind: z.literal("openai"),
    model: noteSchema(LONGEST_NAME).min(1, "must not be empty").default(OPENAI_MODEL),
    baseUrl: baseUrlSchema.default(OPENAI_URL),
    dimensions: z.number().int().min(1).max(MOST_DIMENSIONS).nullable().default(null),
  }),
]);

/** For people, e.g. `openai text-embedding-3-small at api.openai.com`. */
export function describeChoice(choice: EmbedderChoice): string {
  if (choice.kind === "builtin") return "builtin";
  if (choice.kind === "static") return `static ${choice.model}`;
  const size = choice.dimensions === null ? "" : ` (${choice.dimensions} dimensions)`;
  return `openai ${choice.model}${size} at ${new URL(choice.baseUrl).host}`;
}

/** Folders of the server that the description names. */
export function modelFoldersOf(choice: EmbedderChoice): readonly string[] {
  return choice.kind === "static" && /^([.~/\\]|[A-Za-z]:)/.test(choice.model) ? [choice.model] : [];
}

export function isSameChoice(one: EmbedderChoice, other: EmbedderChoice): boolean {
  return choiceKey(one) === choiceKey(other);
}

/** A key that distinguishes choices. */
export function choiceKey(choice: EmbedderChoice): string {
  if (choice.kind === "builtin") return "builtin";
  if (choice.kind === "static") return JSON.stringify(["static", choice.model]);
  return JSON.stringify(["openai", choice.model, choice.baseUrl, choice.dimensions]);
}

/**
 * The embedder of a store filled by an earlier version, from the fingerprint it recorded; null when it cannot be determined.
 * @param asked the currently configured choice: its address is assumed for a service that the fingerprint does not locate
 */
export function choiceOfFingerprint(fingerprint: string, asked: EmbedderChoice): EmbedderChoice | null {
  if (fingerprint.startsWith("builtin ")) return { kind: "builtin" };
  const [, model = "", size = "own"] =
    /^openai\/1 model=("(?:[^"\\]|\\.)*") dimensions=(\d+|own)$/.exec(fingerprint) ?? [];
  const name: unknown = model === "" ? null : JSON.parse(model);
  if (typeof name !== "string") return null;
  const baseUrl = asked.kind === "openai" ? asked.baseUrl : OPENAI_URL;
  return { kind: "openai", model: name, baseUrl, dimensions: size === "own" ? null : Number(size) };
}
