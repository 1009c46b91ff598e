import * as z from "zod";
import { ItemGone, ItemSkipped, ItemTooLarge } from "../../../core/connections/connector-errors.js";
import type { SourceAccess, SourceAnswer, SourceContent, SourceItem } from "../../../core/ports.js";
import { googleReasons } from "../google-refusal.js";
import { type DriveApi, refusal } from "./drive-api.js";

const detailSchema = z.object({
  name: z.string(),
  mimeType: z.string(),
  size: z.number().nullable(),
  modifiedTime: z.string().nullable(),
});

interface Export {
  readonly mimeType: string;
  readonly ending: string;
  readonly type: string | null;
}

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const GOOGLE = "application/vnd.google-apps.";

/** The export formats of files edited in Google's own editors. */
const EXPORTS: ReadonlyMap<string, Export> = new Map([
  [`${GOOGLE}document`, { mimeType: "text/markdown", ending: ".md", type: "google_doc" }],
  [`${GOOGLE}spreadsheet`, { mimeType: XLSX, ending: ".xlsx", type: "google_sheet" }],
  // As text: in a PDF, pictures take many files over the limit of 10 MB.
  [`${GOOGLE}presentation`, { mimeType: "text/plain", ending: ".txt", type: "google_slide" }],
  [`${GOOGLE}drawing`, { mimeType: "application/pdf", ending: ".pdf", type: null }],
]);

/** Why Google does not provide a file, in words. */
const REASONS: Readonly<Record<string, string>> = {
  exportSizeLimitExceeded: "It is larger than the 10 MB that Google exports.",
  cannotDownloadFile: "Its owner does not allow downloads.",
  cannotExportFile: "Its owner does not allow downloads.",
  fileNotDownloadable: "It has no content that can be downloaded from Google.",
  fileNotExportable: "Google does not export files of this kind.",
  cannotDownloadAbusiveFile: "Google considers it harmful and does not provide it.",
  domainPolicy: "The rules of its organisation do not allow downloads.",
};
/** Ends at the next unescaped bracket, so that no part of a text is scanned from two starting points. */
const PICTURE = /!\[((?:[^[\]\\\n]|\\.){0,1000})\]\[image\d{1,6}\]/g;
const CLOSED = new Set(["insufficientFilePermissions", "appNotAuthorizedToFile", "notFound"]);

/** As `Connector.read`. */
export async function readDriveFile(api: DriveApi, access: SourceAccess, item: SourceItem): Promise<SourceContent> {
  const { name, mimeType, size, modifiedTime } = detailSchema.parse(item.detail);
  const exported = EXPORTS.get(mimeType);
  if (exported === undefined && mimeType.startsWith(GOOGLE))
    throw new ItemSkipped(`Google does not export files of type “${mimeType.slice(GOOGLE.length)}”.`);
  if (exported === undefined && size !== null && size > access.maximumBytes)
    throw new ItemTooLarge("It", size, access.maximumBytes);
  const path = `files/${encodeURIComponent(item.id)}`;
  const answer = await (exported
    ? api.get(`${path}/export`, { mimeType: exported.mimeType }, [403, 404])
    : api.get(path, { alt: "media", supportsAllDrives: "true" }, [403, 404]));
  refuse(answer);
  const isText = exported?.mimeType.startsWith("text/") === true;
  return {
    content: isText ? withoutPictures(Buffer.from(answer.bytes).toString("utf8")) : answer.bytes,
    mimeType: exported?.mimeType ?? mimeType,
    fileName: exported === undefined ? name : `${name}${exported.ending}`,
    type: exported?.type ?? null,
    title: name,
    changedAt: modifiedTime,
    metadata: { mimeType },
  };
}

function refuse(answer: SourceAnswer): void {
  if (answer.status === 404) throw new ItemGone("It is no longer in Google Drive.");
  if (answer.status !== 403) return;
  const reasons = googleReasons(answer);
  const known = reasons.flatMap((reason) => REASONS[reason] ?? [])[0];
  if (known !== undefined) throw new ItemSkipped(known);
  if (reasons.some((reason) => CLOSED.has(reason))) throw new ItemGone("The account no longer has access to it.");
  throw refusal(answer);
}

/** Exported Markdown ends with pictures as megabytes of base64; the words that refer to them stay. */
function withoutPictures(markdown: string): string {
  return markdown
    .replace(/^\uFEFF/, "")
    .split("\n")
    .filter((line) => !/^\[[^\]]{1,100}\]: <data:/.test(line))
    .join("\n")
    .replace(PICTURE, "$1")
    .trim();
}
