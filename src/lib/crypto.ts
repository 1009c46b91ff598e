import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** SHA-256 as 64 lower-case hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Random letters and digits that carry at least `bytes` × 8 bits of chance (default 32 bytes: 43 characters). */
export function randomSecret(bytes = 32): string {
  const wanted = Math.ceil((bytes * 8) / Math.log2(62));
  let secret = "";
  // Whole groups of three bytes: in a shorter last group base64 prefers some characters.
  while (secret.length < wanted)
    secret += randomBytes(48)
      .toString("base64")
      .replace(/[^A-Za-z0-9]/g, "");
  return secret.slice(0, wanted);
}

/** Equality that takes the same time wherever the texts differ. */
export function equalSecrets(left: string, right: string): boolean {
  return timingSafeEqual(createHash("sha256").update(left).digest(), createHash("sha256").update(right).digest());
}
