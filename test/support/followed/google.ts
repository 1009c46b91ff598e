import { createGmailConnector } from "../../../src/connectors/google/gmail/gmail.js";
import { createGoogleDriveConnector } from "../../../src/connectors/google/drive/google-drive.js";
import type { FollowedProvider, FollowedSource, RequestFault } from "../followed-source.js";
import type { ScriptedApi } from "../scripted-api.js";
import { startScriptedGmail } from "../scripted-gmail.js";
import { FOLDER, forbidden, startScriptedGoogleDrive } from "../scripted-google-drive.js";

const DOCUMENT = "application/vnd.google-apps.document";
/** Page size of a scripted server. */
const PAGE = 2;

/** Makes a request of a scripted API fail after a number of successful ones. */
export function failLater(api: Pick<ScriptedApi, "fail">, fault: RequestFault, after: number): void {
  api.fail({ kind: "pass" }, after);
  if (fault.kind === "cut") return api.fail(fault);
  const { kind, status, retryAfter } = fault;
  api.fail({ kind, status, ...(retryAfter !== undefined && { headers: { "retry-after": String(retryAfter) } }) });
}

/** All files of an account with a shared drive, or those of one folder; folders are also moved and binned. */
async function startDrive(isWhole: boolean): Promise<FollowedSource> {
  const drive = await startScriptedGoogleDrive("good", PAGE);
  const endpoint = { authorizeUrl: `${drive.url}/auth`, tokenUrl: `${drive.url}/token` };
  const folder = (name: string, parent?: string) =>
    drive.put(name, "", { mimeType: FOLDER, ...(parent !== undefined && { parent }) });
  const shared = drive.addDrive("Shared");
  const outer = await folder("outer");
  const inner = await folder("inner", outer);
  const other = await folder("other");
  /** Folders that may contain files; undefined for the top level. */
  const places = [undefined, outer, inner, other, ...(isWhole ? [shared] : [])];
  const binned = new Set<string>();
  const lost = new Set<string>();
  const placeOf = new Map<string, string | undefined>();
  let innerIn: string | undefined = outer;
  let made = 0;
  const isIn = (place: string | undefined, folderId: string): boolean =>
    place === folderId || (place === inner && innerIn === folderId);
  const isHidden = (place: string | undefined): boolean =>
    [...binned].some((one) => isIn(place, one)) || (!isWhole && !isIn(place, outer));
  const open = () => places.filter((place) => ![...binned].some((one) => isIn(place, one)));
  const moveFile = async (id: string, place: string | undefined): Promise<void> => {
    // "root" is not a folder of the scripted server: top-level items have no parent.
    if (place === undefined) return;
    placeOf.set(id, place);
    await drive.move(id, place);
  };
  return {
    connector: createGoogleDriveConnector({ baseUrl: drive.url, ...endpoint }),
    metadata: { syncScope: isWhole ? "full" : "selected" },
    ...(!isWhole && { resources: [{ id: outer, name: "outer" }] }),
    async put(name, text) {
      const place = open()[(made += 1) % open().length];
      const mimeType = made % 3 === 0 ? DOCUMENT : "text/markdown";
      const id = await drive.put(name, text, { mimeType, ...(place !== undefined && { parent: place }) });
      placeOf.set(id, place);
      return id;
    },
    async edit({ id }, text) {
      await drive.edit(id, text);
      return id;
    },
    async rename({ id }, name) {
      await drive.rename(id, name);
      return id;
    },
    remove: ({ id }) => drive.remove(id),
    restore: async ({ id }) => (lost.has(id) ? false : (await drive.restore(id), true)),
    events: [
      async (pick, entries) => {
        const movable = entries.filter(({ isThere, id }) => isThere && open().includes(placeOf.get(id)));
        const entry = movable[pick % Math.max(1, movable.length)];
        const targets = open().filter((place) => place !== undefined);
        if (entry) await moveFile(entry.id, targets[pick % targets.length]);
      },
      async (pick) => {
        const one = pick % 2 === 0 ? inner : other;
        if (binned.delete(one)) await drive.restore(one);
        else {
          binned.add(one);
          await drive.remove(one);
        }
      },
      (pick) => drive.rename(pick % 2 === 0 ? inner : other, `folder ${pick}`),
      async () => {
        if (binned.has(inner) || binned.has(other)) return;
        innerIn = innerIn === outer ? other : outer;
        await drive.move(inner, innerIn);
      },
      async (pick, entries) => {
        // Permanently, without going through the bin.
        const there = entries.filter(({ isThere }) => isThere);
        const entry = there[pick % Math.max(1, there.length)];
        if (!entry) return;
        await drive.lose(entry.id);
        entry.isThere = false;
        lost.add(entry.id);
      },
    ],
    hidden: () => new Set([...placeOf].filter(([, place]) => isHidden(place)).map(([id]) => id)),
    titleOf: ({ name }) => name,
    forbid: ({ id }) =>
      drive.fail({ kind: "status", ...forbidden("x"), status: 403, path: new RegExp(`/files/${id}(/export)?$`) }, 100),
    fail: (fault, after) => failLater(drive, fault, after),
    expire: () => drive.expire(),
    heal: () => drive.heal(),
    requests: () => drive.requests(),
    // The changes of the account, and those of the shared drive, which the account does not include.
    least: () => (isWhole ? 2 : 1),
    close: () => drive.close(),
  };
}

export const GOOGLE_DRIVE: FollowedProvider = {
  provider: "google-drive",
  nameOf: (count) => `note ${count}.md`,
  start: () => startDrive(true),
};

export const GOOGLE_DRIVE_FOLDER: FollowedProvider = {
  ...GOOGLE_DRIVE,
  what: "one folder",
  start: () => startDrive(false),
};

/** Threads, which grow by replies; a subject never changes. With a search, every run lists the matches. */
async function startGmail(query: string | null): Promise<FollowedSource> {
  const gmail = await startScriptedGmail("good", PAGE);
  const endpoint = { authorizeUrl: `${gmail.url}/auth`, tokenUrl: `${gmail.url}/token` };
  const lost = new Set<string>();
  return {
    connector: createGmailConnector({ baseUrl: gmail.url, ...endpoint }),
    metadata: query === null ? {} : { query },
    put: (name, text) => gmail.put(name, text),
    edit: ({ id }, text) => gmail.reply(id, { text }),
    remove: ({ id }) => gmail.remove(id),
    restore: async ({ id }) => (lost.has(id) ? false : (await gmail.restore(id), true)),
    events: [
      (pick, entries) => {
        const entry = entries[pick % Math.max(1, entries.length)];
        if (entry) gmail.label(entry.id, "STARRED");
      },
      (pick, entries) => {
        const there = entries.filter(({ isThere }) => isThere);
        const entry = there[pick % Math.max(1, there.length)];
        if (!entry) return;
        gmail.lose(entry.id);
        entry.isThere = false;
        lost.add(entry.id);
      },
    ],
    titleOf: ({ name }) => name,
    forbid: ({ id }) =>
      gmail.fail({ kind: "status", ...forbidden("x"), status: 403, path: new RegExp(`/threads/${id}$`) }, 100),
    fail: (fault, after) => failLater(gmail, fault, after),
    expire: () => gmail.expire(),
    heal: () => gmail.heal(),
    requests: () => gmail.requests(),
    // The history; changes to a search's matches are seen only through the search.
    least: (count) => (query === null ? 1 : Math.max(1, Math.ceil(count / PAGE))),
    close: () => gmail.close(),
  };
}

export const GMAIL: FollowedProvider = {
  provider: "gmail",
  nameOf: (count) => `Note ${count}`,
  isAppended: true,
  start: () => startGmail(null),
};

export const GMAIL_SEARCH: FollowedProvider = { ...GMAIL, what: "a search", start: () => startGmail("history") };
