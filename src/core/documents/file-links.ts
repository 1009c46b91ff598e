import { createHmac } from "node:crypto";
import { equalSecrets } from "../../lib/crypto.js";
import type { Repositories } from "../ports.js";
import type { Document, StoredFile } from "../types.js";

/** Path prefix of uploaded files, followed by the key. */
export const FILES_PATH = "/files/";
/** The type of a file if nobody names one. */
export const UNKNOWN_TYPE = "application/octet-stream";

/** How long a link is valid, in hours (contract 2.9). */
export const LINK_HOURS = 24;

/** What a link to a file contains besides the key of the file. */
export interface LinkProof {
  /** Seconds since 1970. */
  readonly expires: string;
  readonly signature: string;
}

/** Signs a link that lets anyone who has it read a file for 24 hours, as long as its document stays in its current containers. */
export async function signLink(
  repositories: Pick<Repositories, "files">,
  document: Document,
  { key }: StoredFile,
  now: Date,
): Promise<LinkProof> {
  const expires = String(Math.floor(now.getTime() / 1000) + LINK_HOURS * 3600);
  return { expires, signature: await signatureOf(repositories, document, key, expires) };
}

/** Whether a link was made by `signLink` for this file, and is still valid. */
export async function isLinkGood(
  repositories: Pick<Repositories, "files">,
  document: Document,
  { key }: StoredFile,
  { proof, now }: { readonly proof: LinkProof; readonly now: Date },
): Promise<boolean> {
  if (!/^\d{1,12}$/.test(proof.expires) || Number(proof.expires) * 1000 <= now.getTime()) return false;
  return equalSecrets(proof.signature, await signatureOf(repositories, document, key, proof.expires));
}

async function signatureOf(
  { files }: Pick<Repositories, "files">,
  { organizationId, containerTags }: Document,
  key: string,
  expires: string,
): Promise<string> {
  const signed = JSON.stringify([key, expires, containerTags.toSorted()]);
  return createHmac("sha256", await files.linkSecret(organizationId))
    .update(signed)
    .digest("base64url");
}
