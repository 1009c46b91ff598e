/** Picture formats recognised by their first bytes. */
export type PictureKind = "png" | "jpeg" | "gif" | "webp" | "tiff" | "bmp" | "heif";

/** Brands of phone pictures, after the length of the first box. */
const HEIF_BRANDS = /^ftyp(?:hei[cfmsx]|hev[cmsx]|mif1|msf1|avi[fs])/;

/** The format of a picture; null when it is not a known one. */
export function pictureKind(bytes: Uint8Array): PictureKind | null {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (head.startsWith("\xff\xd8\xff")) return "jpeg";
  if (head.startsWith("GIF8")) return "gif";
  if (head.startsWith("RIFF") && head.startsWith("WEBP", 8)) return "webp";
  if (head.startsWith("II*\0") || head.startsWith("MM\0*")) return "tiff";
  if (head.startsWith("BM")) return "bmp";
  return HEIF_BRANDS.test(head.slice(4)) ? "heif" : null;
}
