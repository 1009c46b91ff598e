import { createHash } from "node:crypto";
import * as z from "zod";
import { type ApiAnswer, type ApiCall, inJson, type ScriptedApi, startScriptedApi } from "./scripted-api.js";
import { deliver, type Delivered } from "./webhook-delivery.js";

const GOOGLE = "application/vnd.google-apps.";
export const FOLDER = `${GOOGLE}folder`;

// Names of parameters as in the discovery document of the Drive API v3 (the types of @googleapis/drive 20), without
// deprecated ones. Listed here because no npm package contains the document itself.
const STANDARD = ["fields", "alt"];
const ALL_DRIVES = ["supportsAllDrives", "includeItemsFromAllDrives"];
const FILES_LIST = ["corpora", "driveId", "orderBy", "pageSize", "pageToken", "q", "spaces", ...ALL_DRIVES];
const CHANGES_LIST = [
  "driveId",
  "includeCorpusRemovals",
  "includeRemoved",
  "pageSize",
  "pageToken",
  "restrictToMyDrive",
  "spaces",
  ...ALL_DRIVES,
];

interface Node {
  id: string;
  name: string;
  mimeType: string;
  parent: string | null;
  drive: string | null;
  isTrashed: boolean;
  text: string;
  modified: number;
  version: number;
}

export interface ScriptedGoogleDrive extends ScriptedApi {
  put(name: string, text: string, options?: PutOptions): Promise<string>;
  edit(id: string, text: string): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  /** To another folder, in the same drive or another one. */
  move(id: string, parent: string): Promise<void>;
  /** Into the bin, as people do; a folder's contents follow without changes of their own. */
  remove(id: string): Promise<void>;
  restore(id: string): Promise<void>;
  /** Permanently, or out of this account's sight: contents disappear without notice. */
  lose(id: string): Promise<void>;
  addDrive(name: string): string;
  /** Expires all change tokens given so far. */
  expire(): void;
  /** Makes every page of a listing name itself as the next one. */
  loop(): void;
  /** Marks listings as incomplete. */
  leaveOut(): void;
  /** Channels that have not ended or been stopped, by id. */
  readonly channels: ReadonlyMap<string, Channel>;
  /** Address where the service listens for messages. */
  listening: string | null;
  /** Notifies each channel of a change. */
  notify(token?: string): Promise<Delivered[]>;
}

export interface Channel {
  readonly drive: string | null;
  readonly address: string;
  readonly token: string;
  readonly expiration: string;
}

const channelBody = z.strictObject({
  id: z.string().max(64),
  type: z.literal("web_hook"),
  address: z.url({ protocol: /^https$/ }),
  token: z.string().max(256),
  expiration: z.string().regex(/^\d+$/),
});
const stopBody = z.strictObject({ id: z.string(), resourceId: z.string() });

export interface PutOptions {
  readonly parent?: string;
  readonly mimeType?: string;
}

/** Google Drive with its API v3, with pages of two files. */
export async function startScriptedGoogleDrive(token: string, pageSize = 2): Promise<ScriptedGoogleDrive> {
  const nodes = new Map<string, Node>();
  const log: { id: string; drive: string | null }[] = [];
  const drives = new Map<string, string>();
  let next = 0;
  let oldest = 0;
  let isLooping = false;
  let isPartial = false;

  const need = (id: string): Node => {
    const node = nodes.get(id);
    if (node === undefined) throw new Error(`There is no ${id}.`);
    return node;
  };
  const touch = (node: Node): void => {
    node.version += 1;
    log.push({ id: node.id, drive: node.drive });
  };
  const isTrashed = (node: Node): boolean => {
    const parent = node.parent === null ? undefined : nodes.get(node.parent);
    return node.isTrashed || (parent !== undefined && isTrashed(parent));
  };
  const shown = (node: Node) => ({
    id: node.id,
    name: node.name,
    mimeType: node.mimeType,
    parents: [node.parent ?? node.drive ?? "root"],
    trashed: isTrashed(node),
    version: String(node.version),
    modifiedTime: new Date(node.modified).toISOString(),
    webViewLink: `https://drive.google.com/file/d/${node.id}/view`,
    ...(node.drive !== null && { driveId: node.drive }),
    ...(!node.mimeType.startsWith(GOOGLE) && {
      size: String(Buffer.byteLength(node.text)),
      md5Checksum: createHash("md5").update(node.text).digest("hex"),
      headRevisionId: `r${node.modified}`,
    }),
  });

  function listFiles({ query }: ApiCall): ApiAnswer {
    const q = query.get("q") ?? "";
    const drive = query.get("driveId");
    const parents = [...q.matchAll(/'([\w-]+)' in parents/g)].map(([, id]) => id ?? "");
    if (parents.some((id) => id !== "root" && !drives.has(id) && !nodes.has(id))) return notFound();
    const matching = [...nodes.values()].filter(
      (node) =>
        node.drive === drive &&
        (!q.includes("trashed = false") || !isTrashed(node)) &&
        (parents.length === 0 || parents.includes(node.parent ?? node.drive ?? "root")) &&
        (!q.includes(`mimeType = '${FOLDER}'`) || node.mimeType === FOLDER) &&
        (!q.includes(`mimeType != '${FOLDER}'`) || node.mimeType !== FOLDER),
    );
    const from = pageOf(query);
    if (from === null) return invalidToken();
    // Pages continue after a file, not after a number of files, so deletions in between shift nothing.
    const rest = matching.filter(({ id }) => numberOf(id) > from);
    const page = rest.slice(0, pageSize);
    const last = page.at(-1);
    const more = isLooping ? from : last !== undefined && rest.length > pageSize ? numberOf(last.id) : null;
    return {
      body: {
        files: page.map(shown),
        incompleteSearch: isPartial,
        ...(more !== null && { nextPageToken: `p${more}` }),
      },
    };
  }

  function pageOf(query: URLSearchParams): number | null {
    const given = query.get("pageToken") ?? "p0";
    return /^p\d+$/.test(given) ? Number(given.slice(1)) : null;
  }

  function listChanges({ query }: ApiCall): ApiAnswer {
    const drive = query.get("driveId");
    if (drive !== null && !drives.has(drive)) return notFound();
    const from = Number(query.get("pageToken"));
    if (!Number.isInteger(from) || from < oldest || from > log.length) return invalidToken();
    // Each file once, at its last change.
    const entries = log
      .map((entry, at) => ({ ...entry, at }))
      .filter((entry) => entry.at >= from && entry.drive === drive)
      .filter((entry, _, all) => all.findLast(({ id }) => id === entry.id)?.at === entry.at);
    const page = entries.slice(0, pageSize);
    const more = entries[pageSize];
    return {
      body: {
        changes: page.map(({ id }) => {
          const node = nodes.get(id);
          if (drives.has(id)) return { changeType: "drive", driveId: id, removed: false };
          return node === undefined
            ? { changeType: "file", removed: true, fileId: id }
            : { changeType: "file", removed: node.drive !== drive, fileId: id, file: shown(node) };
        }),
        ...(more === undefined ? { newStartPageToken: String(log.length) } : { nextPageToken: String(more.at) }),
      },
    };
  }

  function exported({ query }: ApiCall, [id = ""]: readonly string[]): ApiAnswer {
    const node = nodes.get(id);
    if (node === undefined) return notFound();
    if (!node.mimeType.startsWith(GOOGLE)) return forbidden("fileNotExportable");
    if (node.text.length > 10_000_000) return forbidden("exportSizeLimitExceeded");
    return { body: query.get("mimeType")?.startsWith("text/") === true ? `\uFEFF${node.text}` : node.text };
  }

  function getFile({ query }: ApiCall, [id = ""]: readonly string[]): ApiAnswer {
    const name = drives.get(id);
    if (name !== undefined) return { body: { id, name: "Drive", mimeType: FOLDER, driveId: id, trashed: false } };
    const node = nodes.get(id);
    if (node === undefined) return notFound();
    if (query.get("alt") !== "media") return { body: shown(node) };
    return node.mimeType.startsWith(GOOGLE) ? forbidden("fileNotDownloadable") : { body: node.text };
  }

  const channels = new Map<string, Channel>();

  function watch({ query, body }: ApiCall): ApiAnswer {
    const drive = query.get("driveId");
    if (drive !== null && !drives.has(drive)) return notFound();
    const { id, type: _always, ...asked } = channelBody.parse(JSON.parse(body));
    channels.set(id, { drive, ...asked });
    return { body: { kind: "api#channel", id, resourceId: `resource of ${id}`, expiration: asked.expiration } };
  }

  function stop({ body }: ApiCall): ApiAnswer {
    const { id, resourceId } = stopBody.parse(JSON.parse(body));
    return resourceId === `resource of ${id}` && channels.delete(id) ? { status: 204 } : notFound();
  }

  const api = await startScriptedApi(token, [
    {
      method: "GET",
      path: /^\/drive\/v3\/about$/,
      query: STANDARD,
      required: ["fields"],
      answer: () => ({ body: { user: { emailAddress: "owner@example.com" } } }),
    },
    {
      method: "GET",
      path: /^\/drive\/v3\/drives$/,
      query: ["pageSize", "pageToken", "q", "useDomainAdminAccess", ...STANDARD],
      answer: () => ({ body: { drives: [...drives].map(([id, name]) => ({ id, name })) } }),
    },
    {
      method: "GET",
      path: /^\/drive\/v3\/changes\/startPageToken$/,
      query: ["driveId", "supportsAllDrives", ...STANDARD],
      answer: () => ({ body: { startPageToken: String(log.length) } }),
    },
    {
      method: "GET",
      path: /^\/drive\/v3\/changes$/,
      query: [...CHANGES_LIST, ...STANDARD],
      required: ["pageToken"],
      answer: listChanges,
    },
    {
      method: "POST",
      path: /^\/drive\/v3\/changes\/watch$/,
      query: [...CHANGES_LIST, ...STANDARD],
      required: ["pageToken"],
      takes: inJson(channelBody),
      answer: watch,
    },
    { method: "POST", path: /^\/drive\/v3\/channels\/stop$/, query: STANDARD, takes: inJson(stopBody), answer: stop },
    {
      method: "POST",
      path: /^\/token$/,
      query: [],
      isOpen: true,
      takes: isTokenRequest,
      answer: ({ body }) =>
        new URLSearchParams(body).get("code") === "bad"
          ? { status: 400, body: { error: "invalid_grant", error_description: "Malformed auth code." } }
          : { body: { access_token: token, expires_in: 3_600, refresh_token: `refresh-of-${token}` } },
    },
    { method: "GET", path: /^\/drive\/v3\/files$/, query: [...FILES_LIST, ...STANDARD], answer: listFiles },
    {
      method: "GET",
      path: /^\/drive\/v3\/files\/([^/]+)\/export$/,
      query: ["mimeType", ...STANDARD],
      required: ["mimeType"],
      answer: exported,
    },
    {
      method: "GET",
      path: /^\/drive\/v3\/files\/([^/]+)$/,
      query: ["acknowledgeAbuse", "supportsAllDrives", ...STANDARD],
      answer: getFile,
    },
  ]);

  let clock = Date.UTC(2026, 0, 1);
  const now = (): number => (clock += 1_000);
  const parentOf = (parent: string | undefined) => ({
    parent: parent === undefined || drives.has(parent) ? null : parent,
    drive: parent === undefined ? null : drives.has(parent) ? parent : need(parent).drive,
  });
  const change = (id: string, changed: (node: Node) => void): Promise<void> => {
    const node = need(id);
    changed(node);
    touch(node);
    return Promise.resolve();
  };
  const google: ScriptedGoogleDrive = {
    ...api,
    channels,
    listening: null,
    notify: (given) =>
      Promise.all(
        [...channels].map(([id, { address, token: own }]) => {
          const names = { "x-goog-channel-id": id, "x-goog-resource-state": "change", "x-goog-message-number": "7" };
          const headers = { ...names, "x-goog-channel-token": given ?? own };
          return deliver(google.listening ?? "", { address, headers });
        }),
      ),
    put(name, text, { parent, mimeType = "text/plain" } = {}) {
      next += 1;
      const id = `file-${next}`;
      const node = { id, name, mimeType, ...parentOf(parent), isTrashed: false, text, modified: now(), version: 0 };
      nodes.set(id, node);
      touch(node);
      return Promise.resolve(id);
    },
    edit: (id, text) => change(id, (node) => Object.assign(node, { text, modified: now() })),
    rename: (id, name) => change(id, (node) => Object.assign(node, { name })),
    move(id, parent) {
      const node = need(id);
      log.push({ id, drive: node.drive });
      return change(id, () => Object.assign(node, parentOf(parent)));
    },
    remove: (id) => change(id, (node) => Object.assign(node, { isTrashed: true })),
    restore: (id) => change(id, (node) => Object.assign(node, { isTrashed: false })),
    lose(id) {
      const node = need(id);
      const below = (one: Node): boolean => one.parent === id || (one.parent !== null && below(need(one.parent)));
      for (const one of [...nodes.values()].filter(below)) nodes.delete(one.id);
      nodes.delete(id);
      log.push({ id, drive: node.drive });
      return Promise.resolve();
    },
    addDrive(name) {
      next += 1;
      const id = `drive-${next}`;
      drives.set(id, name);
      log.push({ id, drive: null });
      return id;
    },
    expire: () => {
      log.push({ id: "nothing", drive: "nowhere" });
      oldest = log.length;
    },
    loop: () => void (isLooping = true),
    leaveOut: () => void (isPartial = true),
  };
  return google;
}

function numberOf(id: string): number {
  return Number(id.split("-")[1]);
}

function notFound(): ApiAnswer {
  return { status: 404, body: { error: { code: 404, errors: [{ reason: "notFound" }] } } };
}

function invalidToken(): ApiAnswer {
  return { status: 400, body: { error: { code: 400, errors: [{ reason: "invalid", location: "pageToken" }] } } };
}

function isTokenRequest(body: string): boolean {
  const form = new URLSearchParams(body);
  const isSignIn = ["code", "code_verifier", "redirect_uri", "client_id"].every((name) => form.has(name));
  return form.has("assertion") || (isSignIn && form.get("grant_type") === "authorization_code");
}

export function forbidden(reason: string): ApiAnswer {
  return { status: 403, body: { error: { code: 403, errors: [{ domain: "global", reason }] } } };
}
