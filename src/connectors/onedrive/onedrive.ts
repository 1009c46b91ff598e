import * as z from "zod";
import {
  CheckpointExpired,
  ItemGone,
  ItemSkipped,
  ItemTooLarge,
  readCheckpoint,
} from "../../core/connections/connector-errors.js";
import { jsonOf, parseAnswer } from "../../core/connections/json-answer.js";
import { requireNewPage } from "../../core/connections/require-new-page.js";
import { AppError } from "../../core/errors.js";
import type {
  ChangePage,
  Connector,
  SourceAccess,
  SourceAnswer,
  SourceChange,
  SourceContent,
  SourceItem,
} from "../../core/ports.js";
import { oneDriveWebhooks } from "./onedrive-webhooks.js";

export interface OneDriveOptions {
  readonly baseUrl?: string;
  /** Where people sign in, including the tenant: `common` for all accounts. */
  readonly authorityUrl?: string;
}

const SELECTED =
  "id,name,size,cTag,file,folder,root,package,remoteItem,deleted,parentReference,webUrl,lastModifiedDateTime";
const PAGE_SIZE = "200";
const DEEPEST = 100;

const itemSchema = z.object({
  id: z.string(),
  name: z.string().default(""),
  size: z.number().optional(),
  cTag: z.string().optional(),
  webUrl: z.string().optional(),
  lastModifiedDateTime: z.string().optional(),
  parentReference: z.object({ id: z.string().optional() }).optional(),
  file: z
    .object({
      mimeType: z.string().optional(),
      hashes: z
        .object({
          quickXorHash: z.string().optional(),
          sha256Hash: z.string().optional(),
          sha1Hash: z.string().optional(),
        })
        .optional(),
    })
    .optional(),
  folder: z.object({}).optional(),
  root: z.object({}).optional(),
  package: z.object({}).optional(),
  remoteItem: z.object({}).optional(),
  deleted: z.object({}).optional(),
});
type DriveItem = z.infer<typeof itemSchema>;

const pageSchema = z.object({
  value: z.array(itemSchema).default([]),
  "@odata.nextLink": z.string().optional(),
  "@odata.deltaLink": z.string().optional(),
});
const driveSchema = z.object({
  owner: z
    .object({ user: z.object({ email: z.string().optional(), displayName: z.string().optional() }).optional() })
    .optional(),
});
const errorSchema = z.object({ error: z.object({ code: z.string() }) });
const detailSchema = z.object({
  name: z.string(),
  mimeType: z.string().nullable(),
  size: z.number().nullable(),
  modified: z.string().nullable(),
});

const checkpointSchema = z.object({
  phase: z.enum(["listing", "changes"]),
  /** Where the feed resumes. */
  link: z.string(),
  /** Each folder's parent and name: the feed has no paths. */
  folders: z.record(z.string(), z.tuple([z.string().nullable(), z.string()])),
  /** New or moved folders, whose files must be listed before the feed resumes. */
  listings: z.array(z.string()),
  /** Position in the first of them. */
  page: z.string().nullable(),
});
type Checkpoint = z.infer<typeof checkpointSchema>;

/** The OneDrive of one account, over Microsoft Graph 1.0. */
export function createOneDriveConnector({
  baseUrl = "https://graph.microsoft.com",
  authorityUrl = "https://login.microsoftonline.com/common",
}: OneDriveOptions = {}): Connector {
  const drive = new Drive(baseUrl);
  return {
    provider: "onedrive",
    title: "OneDrive",
    signIn: {
      kind: "oauth",
      authorizeUrl: `${authorityUrl}/oauth2/v2.0/authorize`,
      tokenUrl: `${authorityUrl}/oauth2/v2.0/token`,
      deviceUrl: `${authorityUrl}/oauth2/v2.0/devicecode`,
      scopes: ["Files.Read", "offline_access"],
      parameters: {},
      clientAuthentication: "body",
      application: "onedrive",
    },
    fields: z.object({}),
    secretFields: [],
    sync: { everyMinutes: 240, absences: 1, readsAtOnce: 4 },
    check: (access) => drive.check(access),
    changes: (access, checkpoint) => drive.changes(access, checkpoint),
    read: (access, item) => readItem(access, item, drive.itemUrl(item.id, "content")),
    webhooks: oneDriveWebhooks(baseUrl),
  };
}

interface FoundChanges {
  readonly changes: readonly SourceChange[];
  readonly isLast: boolean;
}

/** The account's own drive. */
class Drive {
  readonly #baseUrl: string;
  readonly #url: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
    this.#url = `${baseUrl}/v1.0/me/drive`;
  }

  itemUrl(id: string, what: string): string {
    return `${this.#url}/items/${encodeURIComponent(id)}/${what}`;
  }

  /** As `Connector.check`. */
  async check(access: SourceAccess): Promise<{ readonly account: string | null }> {
    const answer = await access.request({ url: `${this.#url}?$select=owner` });
    const { owner } = parseAnswer(answer, driveSchema, "OneDrive");
    return { account: owner?.user?.email ?? owner?.user?.displayName ?? null };
  }

  /** As `Connector.changes`. */
  async *changes(access: SourceAccess, given: unknown): AsyncGenerator<ChangePage> {
    let isFirst = given === null || given === undefined;
    const state = isFirst ? begin(`${this.#url}/root/delta?${query()}`) : readCheckpoint(checkpointSchema, given);
    const seen = new Set<string>();
    let isLast = false;
    while (!isLast) {
      const kind = state.phase;
      const isFolderListed = state.listings.length > 0;
      const items = isFolderListed
        ? await this.#folderPage(access, state, seen)
        : await this.#feedPage(access, state, seen, isFirst);
      isLast = items.isLast && state.listings.length === 0;
      yield { kind, isFirst, isLast, items: items.changes, checkpoint: structuredClone(state) };
      isFirst = false;
    }
  }

  async #feedPage(access: SourceAccess, state: Checkpoint, seen: Set<string>, isFirst: boolean): Promise<FoundChanges> {
    const answer = await access.request({
      url: ownLink(state.link, this.#baseUrl, seen),
      accepts: isFirst ? [410] : [400, 404, 410],
    });
    if (answer.status >= 400)
      throw new CheckpointExpired(`OneDrive no longer knows the position in its changes (status ${answer.status}).`);
    const page = parseAnswer(answer, pageSchema, "OneDrive");
    const { "@odata.nextLink": next, "@odata.deltaLink": delta, value } = page;
    const link = next ?? delta;
    if (link === undefined) throw new AppError("unavailable", "OneDrive did not say where its changes continue.");
    const changes = value.flatMap((item) => changeOf(state, item));
    state.link = link;
    if (next === undefined) state.phase = "changes";
    return { changes, isLast: next === undefined };
  }

  async #folderPage(access: SourceAccess, state: Checkpoint, seen: Set<string>): Promise<FoundChanges> {
    const [id = ""] = state.listings;
    const url = state.page ?? `${this.itemUrl(id, "children")}?${query()}`;
    const answer = await access.request({
      url: ownLink(url, this.#baseUrl, seen),
      accepts: state.page === null ? [404] : [400, 404, 410],
    });
    if (state.page !== null && answer.status >= 400) {
      if (seen.has(id)) throw new AppError("unavailable", "OneDrive does not recognise its own next page of a folder.");
      // A position in a list that has expired: the folder is listed from the start, once.
      seen.clear();
      seen.add(id);
      state.page = null;
      return { changes: [], isLast: false };
    }
    const page = answer.status === 404 ? { value: [] } : parseAnswer(answer, pageSchema, "OneDrive");
    const changes = page.value.flatMap((item) => changeOf(state, item));
    state.page = page["@odata.nextLink"] ?? null;
    if (state.page === null) state.listings.shift();
    // The feed is requested again afterwards: if it had ended, it says so at once.
    return { changes, isLast: false };
  }
}

function query(): string {
  return `$select=${SELECTED}&$top=${PAGE_SIZE}`;
}

function begin(link: string): Checkpoint {
  return { phase: "listing", link, folders: {}, listings: [], page: null };
}

/** Links come from answers and are requested with the token, so they must lead to its API. @throws AppError `unavailable` */
function ownLink(link: string, baseUrl: string, seen: Set<string>): string {
  if (!URL.canParse(link) || new URL(link).origin !== new URL(baseUrl).origin)
    throw new AppError("unavailable", "OneDrive returned a next page at another address.");
  return requireNewPage(link, seen, "OneDrive does not lead to a next page");
}

function changeOf(state: Checkpoint, item: DriveItem): SourceChange[] {
  if (item.deleted !== undefined) {
    // For a binned folder, OneDrive for work reports only the folder itself.
    if (state.folders[item.id] !== undefined) throw new CheckpointExpired("A folder was deleted.");
    return [{ kind: "remove", id: item.id }];
  }
  if (item.folder !== undefined && item.root === undefined && item.remoteItem === undefined) noteFolder(state, item);
  if (item.file === undefined || item.remoteItem !== undefined || item.package !== undefined) return [];
  return [{ kind: "upsert", item: sourceItem(state, item) }];
}

/** For a folder that moved or was restored, the feed may report none of its content, so that is listed. */
function noteFolder(state: Checkpoint, { id, name, parentReference }: DriveItem): void {
  const before = state.folders[id];
  const parent = parentReference?.id ?? null;
  state.folders[id] = [parent, name];
  const isChanged = before === undefined || before[0] !== parent || before[1] !== name;
  if (isChanged && state.phase === "changes" && !state.listings.slice(1).includes(id)) state.listings.push(id);
}

function sourceItem(state: Checkpoint, item: DriveItem): SourceItem {
  const { id, name, size, webUrl, lastModifiedDateTime: modified, file } = item;
  return {
    id,
    version: versionOf(item),
    title: name,
    address: webUrl ?? null,
    path: pathOf(state, item),
    ...(size !== undefined && { size }),
    detail: { name, mimeType: file?.mimeType ?? null, size: size ?? null, modified: modified ?? null },
  };
}

/** The feed of work accounts leaves out `cTag`, which folder listings have: both have a hash of the content. */
function versionOf({ file, cTag, lastModifiedDateTime = "", size = 0 }: DriveItem): string {
  const { quickXorHash, sha256Hash, sha1Hash } = file?.hashes ?? {};
  return quickXorHash ?? sha256Hash ?? sha1Hash ?? cTag ?? `${lastModifiedDateTime} ${size}`;
}

function pathOf({ folders }: Checkpoint, { name, parentReference }: DriveItem): string {
  const names = [name];
  let parent = parentReference?.id ?? null;
  while (parent !== null && names.length < DEEPEST) {
    const folder: [string | null, string] | undefined = folders[parent];
    if (folder === undefined) break;
    names.unshift(folder[1]);
    parent = folder[0];
  }
  return names.join("/");
}

/** As `Connector.read`. The content is on another host, at a signed address to which no token is sent. */
async function readItem(access: SourceAccess, item: SourceItem, url: string): Promise<SourceContent> {
  const { name, mimeType, size, modified } = detailSchema.parse(item.detail);
  if (size !== null && size > access.maximumBytes) throw new ItemTooLarge("It", size, access.maximumBytes);
  const answer = await access.request({ url, accepts: [403, 404, 410] });
  if (answer.status === 403) throw refusal(answer);
  if (answer.status >= 400) throw new ItemGone("It is no longer in OneDrive.");
  return {
    content: answer.bytes,
    mimeType,
    fileName: name,
    type: "onedrive",
    title: name,
    changedAt: modified,
    metadata: mimeType === null ? {} : { mimeType },
  };
}

function refusal(answer: SourceAnswer): Error {
  const code = errorSchema.safeParse(jsonOf(answer)).data?.error.code;
  if (code === "malwareDetected") return new ItemSkipped("Microsoft considers it harmful and does not provide it.");
  if (code === "accessDenied") return new ItemGone("The account no longer has access to it.");
  return new AppError("forbidden", "OneDrive refused to provide a file.");
}
