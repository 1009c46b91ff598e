import * as z from "zod";
import { AppError } from "../../../core/errors.js";
import type { Connector, FoundResources, ResourcePage } from "../../../core/ports.js";
import { ALL_DRIVES, createDriveApi, type DriveApi, type DriveFile, fileListSchema } from "./drive-api.js";
import { driveChanges, nextPage, sharedDrives } from "./drive-changes.js";
import { readDriveFile } from "./drive-content.js";
import { driveWebhooks } from "./drive-webhooks.js";
import { isDriveFolder } from "./drive-scope.js";

export interface GoogleDriveOptions {
  readonly baseUrl?: string;
  /** Where people sign in. */
  readonly authorizeUrl?: string;
  readonly tokenUrl?: string;
}

const aboutSchema = z.object({ user: z.object({ emailAddress: z.string().optional() }).optional() });
const keySchema = z.object({
  type: z.literal("service_account"),
  client_email: z.string().min(3),
  private_key: z.string().min(1),
});
/** It becomes part of a search query, so it must not contain anything else. */
const ID = /^[\w-]{1,200}$/;
/** Per folder; anyone with more can open a subfolder. */
const MOST_LISTED = 5_000;

/** Google Drive and shared drives, whole or limited to chosen folders and files. */
export function createGoogleDriveConnector({
  baseUrl = "https://www.googleapis.com",
  authorizeUrl = "https://accounts.google.com/o/oauth2/v2/auth",
  tokenUrl = "https://oauth2.googleapis.com/token",
}: GoogleDriveOptions = {}): Connector {
  return {
    provider: "google-drive",
    title: "Google Drive",
    signIn: {
      kind: "oauth",
      authorizeUrl,
      tokenUrl,
      scopes: ["https://www.googleapis.com/auth/drive.readonly"],
      // Without both, Google gives no lasting token, or only at the first sign-in.
      parameters: { access_type: "offline", prompt: "consent" },
      clientAuthentication: "body",
      application: "googleDrive",
      serviceAccountField: "serviceAccountKey",
    },
    fields: z.object({
      syncScope: z.enum(["selected", "full"], "must be selected or full").default("selected"),
      serviceAccountKey: z
        .string("must be a string")
        .max(20_000, "must be the JSON key of a service account")
        .refine(isServiceAccountKey, "must be the JSON key of a service account, as downloaded from Google")
        .optional(),
    }),
    secretFields: ["serviceAccountKey"],
    asksAfterSignIn: true,
    needsSelection: (settings) => settings["syncScope"] !== "full",
    sync: { everyMinutes: 240, absences: 1, readsAtOnce: 4 },
    async check(access) {
      const { user } = await createDriveApi(baseUrl, access).read(aboutSchema, "about", {
        fields: "user(emailAddress)",
      });
      return { account: user?.emailAddress ?? null };
    },
    listResources: (access, page) => listResources(createDriveApi(baseUrl, access), page),
    resourceSchema: z.object({
      id: z.string("must be a string").regex(ID, "must be the id of a Google Drive folder or file"),
      name: z.string("must be a string").max(1_000),
    }),
    changes: (access, checkpoint) => driveChanges(createDriveApi(baseUrl, access), access, checkpoint),
    read: (access, item) => readDriveFile(createDriveApi(baseUrl, access), access, item),
    webhooks: driveWebhooks((access) => createDriveApi(baseUrl, access)),
  };
}

function isServiceAccountKey(text: string): boolean {
  try {
    return keySchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** The content of a folder or shared drive; at the top the shared drives, My Drive, and what others shared. */
async function listResources(api: DriveApi, { page, perPage, parentId }: ResourcePage): Promise<FoundResources> {
  if (parentId !== null && !ID.test(parentId))
    throw new AppError("invalid", "parent_id must be the id of a Google Drive folder.");
  const drives = await sharedDrives(api);
  const isTop = parentId === null || parentId === "root";
  const shared = isTop ? drives.map(({ id, name }) => ({ id, name, kind: "drive", driveId: id })) : [];
  const drive = await driveOf(api, parentId, drives);
  const end = page * perPage;
  const files: DriveFile[] = [];
  const seen = new Set<string>();
  let next: string | undefined;
  do {
    const found = await api.read(fileListSchema, "files", {
      ...ALL_DRIVES,
      q: `${isTop ? "('root' in parents or sharedWithMe = true)" : `'${parentId}' in parents`} and trashed = false`,
      corpora: drive === null ? "user" : "drive",
      driveId: drive ?? undefined,
      spaces: "drive",
      orderBy: "folder,name",
      pageSize: "1000",
      pageToken: next,
      fields: "nextPageToken,files(id,name,mimeType,driveId,modifiedTime)",
    });
    files.push(...found.files);
    next = nextPage(found.nextPageToken, seen);
  } while (next !== undefined && shared.length + files.length < end && files.length < MOST_LISTED);
  const resources = [
    ...shared,
    ...files.map((file) => ({
      id: file.id,
      name: file.name,
      kind: isDriveFolder(file) ? "folder" : "file",
      mimeType: file.mimeType,
      ...(file.driveId !== undefined && { driveId: file.driveId }),
      ...(file.modifiedTime !== undefined && { updated_at: file.modifiedTime }),
    })),
  ];
  return {
    resources: resources.slice(end - perPage, end),
    ...(next === undefined && { total: resources.length }),
  };
}

/** The shared drive of a folder: without it Google leaves out what the account has not opened yet. */
async function driveOf(
  api: DriveApi,
  folder: string | null,
  drives: readonly { readonly id: string }[],
): Promise<string | null> {
  if (folder === null || folder === "root" || drives.length === 0) return null;
  if (drives.some(({ id }) => id === folder)) return folder;
  const { driveId } = await api.read(z.object({ driveId: z.string().optional() }), `files/${folder}`, {
    supportsAllDrives: "true",
    fields: "driveId",
  });
  return driveId ?? null;
}
