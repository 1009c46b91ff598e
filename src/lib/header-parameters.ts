/** Semicolons count only outside quotes; an unquoted value may contain spaces, as old servers send file names. */
const PARAMETER = /;\s*([\w*]+)\s*=\s*(?:"((?:\\"|[^"])*)"|([^;]*))/g;
/** `charset'language'value` (RFC 8187). */
const EXTENDED = /^([\w.:-]{1,40})'[^']*'((?:%[\da-f]{2}|[^%])*)$/i;

/**
 * The parameters of a header such as `Content-Disposition`, by lower-case name; of duplicates, the first. Senders
 * escape quotes as `\"` or `%22`; any other backslash is literal.
 */
export function readParameters(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of header.matchAll(PARAMETER)) {
    const value = (quoted ?? plain.trim())
      .replaceAll('\\"', '"')
      .replaceAll("%22", '"')
      .replaceAll(/%0D|%0A/gi, " ");
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
  }
  return parameters;
}

/** The file name as its sender wrote it, including any folders: `filename*` if it is readable, else `filename`. */
export function filenameOf(parameters: ReadonlyMap<string, string>): string | undefined {
  return decodeExtended(parameters.get("filename*")) ?? parameters.get("filename");
}

function decodeExtended(value: string | undefined): string | undefined {
  const [, charset, encoded] = EXTENDED.exec(value ?? "") ?? [];
  if (charset === undefined || encoded === undefined) return undefined;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytesOf(encoded));
  } catch {
    return undefined;
  }
}

function bytesOf(encoded: string): Uint8Array {
  const pieces = encoded.split(/(%[\da-f]{2})/i).map((piece) => {
    return piece.startsWith("%") ? Buffer.from(piece.slice(1), "hex") : Buffer.from(piece);
  });
  return Buffer.concat(pieces);
}
