import { randomFillSync } from "node:crypto";

/** Base58: no 0, O, I or l, so that an id can be read out and typed. */
const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const LENGTH = 22;
const BASE = BigInt(ALPHABET.length);
/** The largest multiple of 58 in a byte; larger bytes are discarded, or some characters would be likelier. */
const FAIR = 256 - (256 % ALPHABET.length);
const PATTERN = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** Random bytes for several ids: asking the system for each would cost more than everything else here. */
const ahead = new Uint8Array(4_096);
let used = ahead.length;

/** A new random id: 22 characters of base58 (128 bits) from the system's source of randomness. */
export function createId(): string {
  let id = "";
  while (id.length < LENGTH) {
    if (used === ahead.length) {
      randomFillSync(ahead);
      used = 0;
    }
    const byte = ahead[used++]!;
    if (byte < FAIR) id += ALPHABET[byte % ALPHABET.length];
  }
  return id;
}

/** The same id for the same hash, of at least 44 hexadecimal digits, without revealing anything about it. */
export function idFrom(hash: string): string {
  let rest = BigInt(`0x${hash.slice(0, 44)}`);
  let id = "";
  for (; id.length < LENGTH; rest /= BASE) id += ALPHABET[Number(rest % BASE)];
  return id;
}

/** True when the text has the shape of our ids; says nothing about whether it exists. */
export function isId(text: string): boolean {
  return PATTERN.test(text);
}
