import { generateKeyPairSync, sign } from "node:crypto";

/** One value in DER (X.690): its tag, its length and its content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const objectId = (...values: readonly number[]): Buffer => der(0x06, bytes(...values));
const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value));

const ECDSA_WITH_SHA256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const COMMON_NAME = objectId(0x55, 0x04, 0x03);
const SUBJECT_ALTERNATIVE_NAME = objectId(0x55, 0x1d, 0x11);
const UTF8 = 0x0c;
const GENERALIZED_TIME = 0x18;
const DNS_NAME = 0x82;

/** A self-signed certificate for `localhost`, with a key that is not kept (RFC 5280 §4.1). */
export function makeSelfSigned(): { readonly certificate: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(COMMON_NAME, text(UTF8, "localhost"))));
  const validity = sequence(text(GENERALIZED_TIME, "20200101000000Z"), text(GENERALIZED_TIME, "21200101000000Z"));
  const alternatives = sequence(SUBJECT_ALTERNATIVE_NAME, der(0x04, sequence(text(DNS_NAME, "localhost"))));
  const toSign = sequence(
    der(0xa0, der(0x02, bytes(2))),
    der(0x02, bytes(1)),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(alternatives)),
  );
  const signature = der(0x03, bytes(0), sign("sha256", toSign, privateKey));
  const encoded = sequence(toSign, ECDSA_WITH_SHA256, signature).toString("base64");
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${encoded.replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
