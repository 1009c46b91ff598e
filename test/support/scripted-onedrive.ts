import { createHash } from "node:crypto";
import * as z from "zod";
import { type ApiAnswer, type ApiCall, inJson, type ScriptedApi, startScriptedApi } from "./scripted-api.js";
import { deliver, type Delivered } from "./webhook-delivery.js";

// Names of parameters as in Microsoft's description of driveItem: delta, list children, and get content.
const ODATA = ["$select", "$top", "$expand"];

interface Node {
  readonly id: string;
  name: string;
  parent: string;
  isFolder: boolean;
  isDeleted: boolean;
  text: string;
  modified: number;
}

export interface ScriptedOneDrive extends ScriptedApi {
  put(name: string, text: string, options?: { readonly parent?: string; readonly isFolder?: boolean }): Promise<string>;
  edit(id: string, text: string): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  move(id: string, parent: string): Promise<void>;
  /** Like work accounts, which do not list the contents of a changed folder. */
  remove(id: string): Promise<void>;
  restore(id: string): Promise<void>;
  /** Expires all links given so far. */
  expire(): void;
  loop(): void;
  /** Puts the next page on another server. */
  divert(url: string): void;
  /** Omits the hashes of files, as some accounts do. */
  omitHashes(): void;
  /** Subscriptions that have not ended or been removed, by id. */
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  /** Address where the service listens for messages; without it nothing answers at the addresses of subscriptions. */
  listening: string | null;
  /** Notifies each subscriber of a change. */
  notify(clientState?: string): Promise<Delivered[]>;
}

export interface Subscription {
  readonly notificationUrl: string;
  readonly clientState: string;
  readonly resource: string;
  expirationDateTime: string;
}

// As in Microsoft's description of subscriptions.
const subscriptionBody = z.strictObject({
  changeType: z.literal("updated"),
  notificationUrl: z.url({ protocol: /^https$/ }),
  resource: z.string(),
  expirationDateTime: z.iso.datetime(),
  clientState: z.string().max(128),
});
const renewalBody = subscriptionBody.pick({ expirationDateTime: true });

const ROOT = "root!0";

/** OneDrive as shown by Microsoft Graph 1.0, with pages of two items; contents are on another host. */
export async function startScriptedOneDrive(token: string, pageSize = 2): Promise<ScriptedOneDrive> {
  const nodes = new Map<string, Node>();
  const log: string[] = [];
  let next = 0;
  let oldest = 0;
  let isLooping = false;
  let hasHashes = true;
  let diverted: string | null = null;
  let clock = Date.UTC(2026, 0, 1);

  const need = (id: string): Node => {
    const node = nodes.get(id);
    if (node === undefined) throw new Error(`There is no ${id}.`);
    return node;
  };
  const isThere = (node: Node): boolean => !node.isDeleted && (node.parent === ROOT || isThere(need(node.parent)));
  const shown = (node: Node) => ({
    id: node.id,
    name: node.name,
    webUrl: `https://onedrive.example/${node.id}`,
    lastModifiedDateTime: new Date(node.modified).toISOString(),
    parentReference: { id: node.parent, driveId: "d" },
    ...(node.isFolder
      ? { folder: { childCount: 0 } }
      : {
          size: Buffer.byteLength(node.text),
          cTag: `c${node.modified}`,
          file: {
            mimeType: "text/plain",
            ...(hasHashes && {
              hashes: { quickXorHash: createHash("sha1").update(node.text).digest("base64") },
            }),
          },
        }),
  });

  const content = await startScriptedApi("no token", [
    {
      method: "GET",
      path: /^\/signed\/(.+)$/,
      query: ["sig"],
      required: ["sig"],
      isOpen: true,
      answer: (_call, [id = ""]) => ({ body: need(id).text }),
    },
  ]);

  function delta({ query }: ApiCall): ApiAnswer {
    const [, kind = "L", at = "0", start = String(log.length)] =
      /^([LD])(\d+)(?:-(\d+))?$/.exec(query.get("token") ?? "") ?? [];
    const from = Number(at);
    if (query.has("token") && Number(kind === "D" ? at : start) < oldest)
      return {
        status: 410,
        headers: { location: `${api.url}/v1.0/me/drive/root/delta` },
        body: { error: { code: "resyncRequired" } },
      };
    const ids = kind === "D" ? log.slice(from) : [...nodes.values()].filter(isThere).map(({ id }) => id);
    // Pages of the first listing continue after an item; those of changes after a number of them.
    const rest = kind === "D" ? ids : ids.filter((id) => Number(id.slice(5)) > from);
    const page = rest.slice(0, pageSize);
    const value: unknown[] = page.map((id) => {
      const node = need(id);
      return isThere(node) ? shown(node) : { id, deleted: { state: "deleted" } };
    });
    if (kind === "L" && from === 0) value.unshift({ id: ROOT, name: "root", root: {}, folder: {} });
    const to = kind === "D" ? from + page.length : Number((page.at(-1) ?? "item!0").slice(5));
    // The page after the last item is empty and contains the link.
    const isEnd = kind === "D" ? rest.length <= pageSize : page.length === 0;
    const link = isEnd ? `D${kind === "D" ? log.length : start}` : kind === "D" ? `D${to}` : `L${to}-${start}`;
    const name = isLooping || !isEnd ? "@odata.nextLink" : "@odata.deltaLink";
    const place = diverted ?? api.url;
    return {
      body: { value, [name]: `${place}/v1.0/me/drive/root/delta?token=${isLooping ? "L0-0" : link}` },
    };
  }

  const subscriptions = new Map<string, Subscription>();
  let subscribed = 0;

  async function subscribe({ body }: ApiCall): Promise<ApiAnswer> {
    const asked = subscriptionBody.parse(JSON.parse(body));
    if ([...subscriptions.values()].some(({ resource }) => resource === asked.resource))
      return { status: 409, body: { error: { code: "Conflict" } } };
    // A character that must be escaped in an address.
    const token = `Validation: Testing client application reachability for ${asked.resource} +/=`;
    const query = `?validationToken=${encodeURIComponent(token)}`;
    const heard =
      drive.listening && (await deliver(drive.listening, { address: asked.notificationUrl, query, body: "" }));
    if (!heard || heard.status !== 200 || !heard.type?.startsWith("text/plain") || heard.text !== token)
      return { status: 400, body: { error: { code: "ValidationError" } } };
    const id = `subscription-${(subscribed += 1)}`;
    subscriptions.set(id, asked);
    return { status: 201, body: { id, ...asked, clientState: null } };
  }

  function renew({ body }: ApiCall, [id = ""]: readonly string[]): ApiAnswer {
    const known = subscriptions.get(id);
    if (!known) return { status: 404, body: { error: { code: "ResourceNotFound" } } };
    Object.assign(known, renewalBody.parse(JSON.parse(body)));
    return { body: { id, ...known } };
  }

  function children({ query }: ApiCall, [id = ""]: readonly string[]): ApiAnswer {
    const folder = nodes.get(id);
    if (folder === undefined || !isThere(folder)) return { status: 404, body: { error: { code: "itemNotFound" } } };
    const found = [...nodes.values()].filter((node) => node.parent === id && isThere(node));
    const from = Number(query.get("$skiptoken") ?? 0);
    const more = from + pageSize;
    return {
      body: {
        value: found.slice(from, more).map(shown),
        ...(more < found.length && {
          "@odata.nextLink": `${api.url}/v1.0/me/drive/items/${encodeURIComponent(id)}/children?$skiptoken=${more}`,
        }),
      },
    };
  }

  const api: ScriptedApi = await startScriptedApi(token, [
    {
      method: "GET",
      path: /^\/v1\.0\/me\/drive$/,
      query: ODATA,
      answer: () => ({ body: { owner: { user: { email: "owner@example.com", displayName: "Owner" } } } }),
    },
    { method: "GET", path: /^\/v1\.0\/me\/drive\/root\/delta$/, query: ["token", ...ODATA], answer: delta },
    {
      method: "GET",
      path: /^\/v1\.0\/me\/drive\/items\/([^/]+)\/children$/,
      query: ["$skiptoken", "$orderby", ...ODATA],
      answer: children,
    },
    {
      method: "POST",
      path: /^\/common\/oauth2\/v2\.0\/token$/,
      query: [],
      isOpen: true,
      takes: (body) => new URLSearchParams(body).has("grant_type"),
      answer: () => ({ body: { access_token: token, refresh_token: "again", expires_in: 3_600 } }),
    },
    {
      method: "GET",
      path: /^\/v1\.0\/subscriptions$/,
      query: [],
      answer: () => ({ body: { value: [...subscriptions].map(([id, one]) => ({ id, ...one })) } }),
    },
    {
      method: "POST",
      path: /^\/v1\.0\/subscriptions$/,
      query: [],
      takes: inJson(subscriptionBody),
      answer: subscribe,
    },
    {
      method: "PATCH",
      path: /^\/v1\.0\/subscriptions\/([^/]+)$/,
      query: [],
      takes: inJson(renewalBody),
      answer: renew,
    },
    {
      method: "DELETE",
      path: /^\/v1\.0\/subscriptions\/([^/]+)$/,
      query: [],
      answer: (_call, [id = ""]) => ({ status: subscriptions.delete(id) ? 204 : 404 }),
    },
    {
      method: "GET",
      path: /^\/v1\.0\/me\/drive\/items\/([^/]+)\/content$/,
      query: ["format"],
      answer: (_call, [id = ""]) => {
        const node = nodes.get(id);
        if (node === undefined || !isThere(node)) return { status: 404, body: { error: { code: "itemNotFound" } } };
        return { status: 302, headers: { location: `${content.url}/signed/${encodeURIComponent(id)}?sig=1` } };
      },
    },
  ]);

  const change = (id: string, changes: Partial<Node>): Promise<void> => {
    Object.assign(need(id), changes);
    log.push(id);
    return Promise.resolve();
  };
  const drive: ScriptedOneDrive = {
    ...api,
    subscriptions,
    listening: null,
    notify: (state) =>
      Promise.all(
        [...subscriptions].map(([subscriptionId, { notificationUrl: address, clientState, resource }]) => {
          const value = [{ subscriptionId, clientState: state ?? clientState, changeType: "updated", resource }];
          return deliver(drive.listening ?? "", { address, body: JSON.stringify({ value }) });
        }),
      ),
    put(name, text, { parent = ROOT, isFolder = false } = {}) {
      next += 1;
      const id = `item!${next}`;
      nodes.set(id, { id, name, parent, isFolder, isDeleted: false, text, modified: (clock += 1_000) });
      log.push(id);
      return Promise.resolve(id);
    },
    edit: (id, text) => change(id, { text, modified: (clock += 1_000) }),
    rename: (id, name) => change(id, { name }),
    move: (id, parent) => change(id, { parent }),
    remove: (id) => change(id, { isDeleted: true }),
    restore: (id) => change(id, { isDeleted: false }),
    expire: () => {
      log.push(...[...nodes.keys()].slice(0, 1));
      oldest = log.length;
    },
    loop: () => void (isLooping = true),
    divert: (url) => void (diverted = url),
    omitHashes: () => void (hasHashes = false),
    close: async () => {
      await content.close();
      await api.close();
    },
  };
  return drive;
}
