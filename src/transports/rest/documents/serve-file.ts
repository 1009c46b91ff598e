import type { StoredFile } from "../../../core/types.js";

/** Bytes requested at a time. */
const PIECE_BYTES = 1024 * 1024;

/** Reads up to `length` bytes from `start`. */
type ReadPiece = (start: number, length: number) => Promise<Uint8Array>;

/**
 * A file as the response to a download, whole or the one range requested (RFC 9110 §14). Foreign files must never run as a page
 * of this server: only plain text is shown in place, and nothing may load or execute.
 * @throws what the first piece throws; a later error cuts the response off
 */
export async function serveFile(file: StoredFile, rangeHeader: string | undefined, read: ReadPiece): Promise<Response> {
  const range = readRange(rangeHeader, file.bytes);
  const headers = { ...headersOf(file), "accept-ranges": "bytes" };
  if (range === "unsatisfiable")
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${file.bytes}` } });
  const { start, end } = range ?? { start: 0, end: file.bytes };
  const first = await read(start, Math.min(PIECE_BYTES, end - start));
  return new Response(streamOf(first, { start, end }, read), {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      "content-length": String(end - start),
      ...(range && { "content-range": `bytes ${start}-${end - 1}/${file.bytes}` }),
    },
  });
}

function headersOf({ name, mimeType }: StoredFile): Record<string, string> {
  const isPlain = mimeType === "text/plain";
  return {
    "content-type": isPlain ? "text/plain; charset=utf-8" : mimeType,
    "content-disposition": `${isPlain ? "inline" : "attachment"}${filenameOf(name)}`,
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
  };
}

/** The name twice: for programs that read only ASCII, and unchanged (RFC 6266). */
function filenameOf(name: string | null): string {
  if (name === null) return "";
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return `; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** A single range of bytes; null for none, for several, and for an invalid one: the whole file is then right. */
function readRange(header: string | undefined, size: number): { start: number; end: number } | "unsatisfiable" | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec((header ?? "").replaceAll(/\s/g, "")) ?? [];
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return null;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}

function streamOf(
  first: Uint8Array,
  { start, end }: { start: number; end: number },
  read: ReadPiece,
): ReadableStream<Uint8Array> {
  let at = start;
  let next: Uint8Array | undefined = first;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = next ?? (await read(at, Math.min(PIECE_BYTES, end - at)));
      next = undefined;
      at += piece.byteLength;
      if (piece.byteLength > 0) controller.enqueue(piece);
      // A file shorter than its record says cannot be completed.
      else if (at < end) return controller.error(new Error("The file ended before it was complete"));
      if (at >= end) controller.close();
    },
  });
}
