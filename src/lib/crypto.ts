import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from "node:crypto";

/** SHA-256 as 64 lower-case hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Random letters and digits with at least `bytes` × 8 bits of entropy (default 32 bytes: 43 characters). */
export function randomSecret(bytes = 32): string {
  const wanted = Math.ceil((bytes * 8) / Math.log2(62));
  let secret = "";
  // Whole groups of three bytes: in a shorter last group, base64 favours some characters.
  while (secret.length < wanted)
    secret += randomBytes(48)
      .toString("base64")
      .replace(/[^A-Za-z0-9]/g, "");
  return secret.slice(0, wanted);
}

/** Constant-time comparison. */
export function equalSecrets(left: string, right: string): boolean {
  return timingSafeEqual(createHash("sha256").update(left).digest(), createHash("sha256").update(right).digest());
}

/** The cost of `scrypt` for passwords: 32 MB and about 0.1 s per attempt. */
const SCRYPT = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } as const;
const HASH_BYTES = 32;

/** A password in a form fit for storage: parameters, salt and hash in one text. Takes about 0.1 s. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await deriveKey(password, salt);
  return ["scrypt", SCRYPT.N, SCRYPT.r, SCRYPT.p, salt.toString("base64"), hash.toString("base64")].join("$");
}

/** Whether a password matches the stored one. False for a text that `hashPassword` did not make. */
export async function isPassword(password: string, kept: string): Promise<boolean> {
  const [name, N, r, p, salt = "", hash = ""] = kept.split("$");
  const parameters = [N, r, p].map(Number);
  if (name !== "scrypt" || parameters.join() !== [SCRYPT.N, SCRYPT.r, SCRYPT.p].join()) return false;
  const expected = Buffer.from(hash, "base64");
  const actual = await deriveKey(password, Buffer.from(salt, "base64"));
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function deriveKey(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The same text has the same form, whichever keyboard it was typed on.
    scrypt(password.normalize("NFKC"), salt, HASH_BYTES, SCRYPT, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a text with a password, as base64. The password has to be random: nothing slows guessing down. */
export function seal(text: string, password: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, sealingKey(password), nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
}

/** Decrypts what `seal` made. @throws Error when it was changed, or sealed with another password */
export function unseal(sealed: string, password: string): string {
  const bytes = Buffer.from(sealed, "base64");
  const decipher = createDecipheriv(CIPHER, sealingKey(password), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString("utf8");
}

function sealingKey(password: string): Buffer {
  return Buffer.from(hkdfSync("sha256", password, "", "recollect sealed text", 32));
}
