import * as z from "zod";
import { parseAnswer } from "../../../core/connections/json-answer.js";
import type { SourceAccess, SourceAnswer, SourceRequest } from "../../../core/ports.js";
import { googleRefusal } from "../google-refusal.js";

export const FOLDER = "application/vnd.google-apps.folder";
export const SHORTCUT = "application/vnd.google-apps.shortcut";

export const FILE_FIELDS =
  "id,name,mimeType,parents,trashed,md5Checksum,headRevisionId,version,modifiedTime,size,webViewLink,driveId";
/** Needed in every request: without them, content in shared drives is invisible. */
export const ALL_DRIVES = { supportsAllDrives: "true", includeItemsFromAllDrives: "true" };

export const fileSchema = z.object({
  id: z.string(),
  name: z.string().default(""),
  mimeType: z.string().default("application/octet-stream"),
  parents: z.array(z.string()).default([]),
  trashed: z.boolean().default(false),
  md5Checksum: z.string().optional(),
  headRevisionId: z.string().optional(),
  version: z.string().optional(),
  modifiedTime: z.string().optional(),
  size: z.coerce.number().optional(),
  webViewLink: z.string().optional(),
  driveId: z.string().optional(),
});
export type DriveFile = z.infer<typeof fileSchema>;

export const fileListSchema = z.object({
  files: z.array(fileSchema).default([]),
  nextPageToken: z.string().optional(),
  incompleteSearch: z.boolean().default(false),
});

export const driveListSchema = z.object({
  drives: z.array(z.object({ id: z.string(), name: z.string().default("") })).default([]),
  nextPageToken: z.string().optional(),
});

type Query = Readonly<Record<string, string | undefined>>;

export interface DriveApi {
  /**
   * The API's answer to a GET request; parameters without a value are left out.
   * @throws as `SendSourceRequest`; a 403 from Google is told apart by its reason
   */
  get(path: string, query: Query, accepts?: readonly number[]): Promise<SourceAnswer>;
  /** The same for a POST request. */
  post(
    path: string,
    query: Query,
    ask: { readonly body: unknown; readonly accepts?: readonly number[] },
  ): Promise<SourceAnswer>;
  /** As `get`, parsed by the schema. @throws AppError `unavailable` for an answer that cannot be read */
  read<T>(schema: z.ZodType<T>, path: string, query: Query): Promise<T>;
}

export function createDriveApi(baseUrl: string, access: SourceAccess): DriveApi {
  const ask = async (path: string, query: Query, { body, accepts = [] }: Pick<SourceRequest, "body" | "accepts">) => {
    const url = new URL(`${baseUrl}/drive/v3/${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const answer = await access.request({ url: url.href, body, accepts: [403, ...accepts] });
    if (answer.status === 403 && !accepts.includes(403)) throw refusal(answer);
    return answer;
  };
  return {
    get: (path, query, accepts = []) => ask(path, query, { accepts }),
    post: ask,
    read: async (schema, path, query) => parseDrive(schema, await ask(path, query, {})),
  };
}

/** @throws AppError `unavailable` */
export function parseDrive<T>(schema: z.ZodType<T>, answer: SourceAnswer): T {
  return parseAnswer(answer, schema, "Google Drive");
}

export function refusal(answer: SourceAnswer): Error {
  return googleRefusal(answer, { name: "Google Drive", read: "Google Drive", see: "files" });
}
