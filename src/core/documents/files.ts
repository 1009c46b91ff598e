import * as z from "zod";
import { isId } from "../../lib/ids.js";
import { maySee } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { documentNameSchema, findDocument } from "./documents.js";
import { AppError } from "../errors.js";
import { FILES_PATH, isLinkGood, signLink } from "./file-links.js";
import { parseInput } from "../input.js";
import type { StoredFile } from "../types.js";

/** The most bytes per `readFile`. */
const MAX_PIECE_BYTES = 4 * 1024 * 1024;
/**
 * The file that a document was made from, and a path under which anybody may read it for 24 hours, as long as the document
 * stays in its containers.
 * @throws AppError as `findDocument`, and `not_found` when there is none
 */
export async function getDocumentFile(
  { store, clock }: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<{ file: StoredFile; path: string }> {
  const name = parseInput(documentNameSchema, raw);
  const document = await findDocument(store, actor, name);
  const files = await store.files.ofDocument(actor.organizationId, document.id);
  const file = files.find(({ key }) => document.url === `${FILES_PATH}${key}`);
  if (!file) throw new AppError("not_found", `Document ${name.id} has no file: it did not come as one.`);
  const { expires, signature } = await signLink(store, document, file, clock.now());
  return { file, path: `${FILES_PATH}${file.key}?expires=${expires}&signature=${signature}` };
}

const fileAccessSchema = z.object({
  key: z.string(),
  /** From a link; without it the caller must be allowed to see the document. */
  proof: z.object({ expires: z.string(), signature: z.string() }).optional(),
});

/** Information about a file, for callers who may see its document or have a link to it. @throws AppError `not_found` */
export async function getFile(
  { store, clock }: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<{ file: StoredFile }> {
  const { key, proof } = parseInput(fileAccessSchema, raw);
  const { organizationId } = actor;
  const file = isId(key) ? await store.files.byKey(organizationId, key) : null;
  const document = file && (await store.documents.byId(organizationId, file.documentId));
  const mayRead =
    document &&
    (proof
      ? await isLinkGood(store, document, file, { proof, now: clock.now() })
      : maySee(actor, document.containerTags));
  if (!mayRead) throw noFile();
  return { file };
}

const readFileSchema = fileAccessSchema.extend({
  start: z.number().int().min(0),
  length: z.number().int().min(0).max(MAX_PIECE_BYTES),
});

/** A piece of a file as base64, at most 4 MB, shorter at the end; for the same callers as `getFile`. @throws AppError `not_found` */
export async function readFile(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<{ bytes: string }> {
  const { start, length, ...access } = parseInput(readFileSchema, raw);
  await getFile(context, call, access);
  const bytes = await context.blobs.read(access.key, start, length);
  if (bytes === null) throw noFile();
  return { bytes: Buffer.from(bytes).toString("base64") };
}

/** Reveals neither the key nor whether such a file exists. */
function noFile(): AppError {
  return new AppError(
    "not_found",
    "There is no file at this address. It may have been deleted, replaced or moved, or the link is older than 24 hours: GET /v3/documents/{id}/file-url returns a new one.",
  );
}
