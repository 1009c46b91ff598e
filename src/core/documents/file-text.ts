import { decodeOldText, decodeText, looksLikeText, recogniseBinary } from "../../lib/text-bytes.js";
import { AppError } from "../errors.js";
import type { Limits } from "../context.js";
import type { Metadata } from "../types.js";
import { findBadValue, textTooLong } from "../input.js";

/** A file as named by its sender. */
export interface NamedFile {
  readonly name: string | null;
  /** `type/subtype`, or null if not given. */
  readonly mimeType: string | null;
}

/** The text of a file, and what its document records about how it was read. */
export interface FileText {
  readonly text: string;
  /** Its encoding if not UTF-8. */
  readonly metadata: Metadata;
}

/** Types besides `text/*` with human-readable content. */
const TEXT_TYPES =
  /^(text\/.+|image\/svg\+xml|message\/rfc822|application\/([\w.-]+\+)?(json5?|xml|yaml|toml|ndjson|jsonl|javascript|ecmascript|typescript|sql|graphql))$/;
/** Non-text types. Types in neither list, such as `application/octet-stream`, say nothing. */
const OTHER_TYPES =
  /^((image|audio|video|font|model|multipart)\/.+|application\/(pdf|rtf|zip|gzip|msword|epub\+zip|wasm|java-archive|vnd\.(ms-|openxmlformats|oasis\.|apple\.|rar|sqlite3)|x-(zip|gzip|7z|rar|tar|bzip|xz|iso|dosexec|msdownload|sqlite|shockwave)).*)$/;
/** Operating systems give source code this type because of its extension `.ts`. */
const AMBIGUOUS_TYPE = "video/mp2t";
const READABLE_ENDINGS =
  /\.(txt|text|md|mdx|markdown|rst|adoc|org|tex|log|csv|tsv|html?|xhtml|xml|svg|json|jsonl|ndjson|json5|ya?ml|toml|ini|cfg|conf|env|properties|srt|vtt|eml|ics|vcf|css|scss|less|[cm]?[jt]sx?|vue|svelte|py|rb|php|pl|lua|java|kt|kts|scala|groovy|cs|fs|vb|go|rs|c|h|cc|cpp|cxx|hpp|m|mm|swift|dart|ex|exs|erl|hs|clj|elm|jl|r|sql|graphql|proto|sh|bash|zsh|fish|ps1|bat|cmd|diff|patch|tf|gradle|cmake|mk|dockerfile)$/i;
const OTHER_ENDINGS =
  /\.(pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|epub|pages|numbers|key|jpe?g|png|gif|webp|bmp|tiff?|heic|avif|ico|mp3|wav|m4a|ogg|oga|flac|aac|mp4|m4v|mov|webm|mkv|avi|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|dll|so|dylib|bin|iso|dmg|class|jar|wasm|sqlite|db|parquet)$/i;

const OLD_OFFICE_TYPES: ReadonlyMap<string, string> = new Map([
  ["application/msword", "doc"],
  ["application/vnd.ms-excel", "xls"],
  ["application/vnd.ms-powerpoint", "ppt"],
]);
const OLD_OFFICE_NAME = /\.(doc|xls|ppt)$/i;

const READS =
  "Supported are text in UTF-8, in UTF-16 with a byte order mark or in windows-1252 (plain text, Markdown, source code), web pages, PDF, Office and OpenDocument files, RTF, EPUB, CSV, JSON, XML, mail, calendars, subtitles, pictures, recordings and videos. Send the text of other files with POST /v3/documents.";

/**
 * How many bytes from the beginning of a file are needed for its text; a longer text is too long. UTF-16 may be twice as long
 * as UTF-8.
 */
export function bytesOfText({ maxTextBytes }: Limits): number {
  return 2 * maxTextBytes + 3;
}

/**
 * The text of an uploaded file; its size is given if `bytes` are only its first `bytesOfText`. Whether it is text is decided by
 * its type, then by its extension, then by its bytes; bytes that contradict the name are never taken for text.
 * @throws AppError `unsupported_type` that says what is read instead, `invalid` for an empty file, `too_large` for one whose
 * text must be too long
 */
export function readFileText(
  file: NamedFile & { readonly size?: number },
  bytes: Uint8Array,
  limits: Limits,
): FileText {
  if (bytes.byteLength === 0) throw new AppError("invalid", "file: must not be empty");
  const says = claimOf(file);
  if (says === "other") throw unsupported(`${describe(file)} cannot be read.`, remedyFor(file));
  const binary = recogniseBinary(bytes);
  if (binary !== null) throw unsupported(`${describe(file)} is ${binary}.`);
  if (bytes.byteLength >= bytesOfText(limits) && looksLikeText(bytes))
    throw textTooLong(file.size ?? bytes.byteLength, limits.maxTextBytes);
  // Only a file declared as text is tried in legacy encodings.
  const decoded = says === "text" ? decodeOldText(bytes) : null;
  const text = decoded?.text ?? decodeText(bytes);
  const bad = text === null ? "is not valid UTF-8" : findBadValue(text);
  if (text === null || bad !== null)
    throw unsupported(
      `${describe(file)} ${says === "text" ? "is not a text file, or has another encoding: it" : "is not a text file: it"} ${bad}.`,
    );
  if (text.trim() === "") throw new AppError("invalid", "file: must not be empty");
  const encoding = decoded?.encoding ?? "utf-8";
  return { text, metadata: encoding === "utf-8" ? {} : { encoding } };
}

/** Files in old Office formats can be saved in their modern successors. */
function remedyFor({ name, mimeType }: NamedFile): string {
  const ending = OLD_OFFICE_TYPES.get(mimeType ?? "") ?? OLD_OFFICE_NAME.exec(name ?? "")?.[1]?.toLowerCase();
  return ending === undefined ? READS : `Save it as .${ending}x and send that.`;
}

/** Whether a file's type or name declares it as text, as something else, or not at all. */
function claimOf({ name, mimeType }: NamedFile): "text" | "other" | null {
  if (mimeType !== null && TEXT_TYPES.test(mimeType)) return "text";
  if (mimeType !== null && mimeType !== AMBIGUOUS_TYPE && OTHER_TYPES.test(mimeType)) return "other";
  if (name === null) return null;
  if (READABLE_ENDINGS.test(name)) return "text";
  return OTHER_ENDINGS.test(name) ? "other" : null;
}

function describe({ name, mimeType }: NamedFile): string {
  return `The file${name === null ? "" : ` ${name}`}${mimeType === null ? "" : ` (${mimeType})`}`;
}

function unsupported(what: string, remedy = READS): AppError {
  return new AppError("unsupported_type", `${what} ${remedy}`);
}
