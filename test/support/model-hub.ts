import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** A fault of one request. */
export type HubFault =
  /** The connection ends after this many bytes of the body; -1: before any response. */
  | { readonly kind: "cut"; readonly after: number }
  /** Nothing more is sent after this many bytes. */
  | { readonly kind: "stall"; readonly after: number }
  | { readonly kind: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The right number of bytes, but different ones. */
  | { readonly kind: "wrong content" }
  /** The whole file, whatever range was requested. */
  | { readonly kind: "ignore range" }
  /** More than the file, without announcing the length. */
  | { readonly kind: "too much" }
  /** Each piece of 64 KB after a pause. */
  | { readonly kind: "slow"; readonly ms: number }
  /** The correct response except for some headers; null removes one. */
  | { readonly kind: "headers"; readonly headers: Readonly<Record<string, string | null>> };

export interface HubRequestSeen {
  readonly server: "hub" | "cdn";
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
}

export interface HubModel {
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** 40 hexadecimal digits. */
  readonly commit: string;
  /** Further names of the commit besides `main`. */
  readonly revisions?: readonly string[];
  readonly isGated?: boolean;
}

export interface ModelHub {
  readonly url: string;
  readonly requests: readonly HubRequestSeen[];
  /** Adds a model, or replaces it by a newer version. */
  publish(name: string, model: HubModel): void;
  /** Makes the next `times` requests whose `METHOD path` contains the text fail. */
  fail(matching: string, fault: HubFault, times?: number): void;
  close(): Promise<void>;
}

interface Script {
  readonly matching: string;
  readonly fault: HubFault;
  left: number;
}

/** Files of at least this size are on the other host, like those in Git LFS. */
const LARGE = 10_000;
const PIECE = 64 * 1024;

/**
 * A hub on a real socket that answers like Hugging Face: headers with commit, size and checksum, small files behind a
 * relative redirect, large ones on another host. @param token what callers must send to see private models
 */
export async function startModelHub({ token }: { readonly token?: string } = {}): Promise<ModelHub> {
  const models = new Map<string, HubModel>();
  const requests: HubRequestSeen[] = [];
  const scripts: Script[] = [];

  const serve = (
    name: "hub" | "cdn",
    answer: (request: IncomingMessage, response: ServerResponse, fault?: HubFault) => void,
  ) =>
    createServer((request, response) => {
      const { method = "", url: path = "", headers } = request;
      requests.push({ server: name, method, path, headers });
      const script = scripts.find(({ matching, left }) => left > 0 && `${name} ${method} ${path}`.includes(matching));
      if (script) script.left -= 1;
      answer(request, response, script?.fault);
    });

  const cdn = serve("cdn", (request, response, fault) => {
    const [, , sha256 = ""] = (request.url ?? "").split(/[/?]/);
    const bytes = [...models.values()]
      .flatMap(({ files }) => Object.values(files))
      .find((file) => sha256Of(file) === sha256);
    if (bytes === undefined) response.writeHead(404).end();
    else void sendFile(request, response, bytes, fault);
  });

  const hub = serve("hub", (request, response, fault) => {
    if (fault?.kind === "status") {
      response.writeHead(fault.status, fault.headers).end();
      return;
    }
    if (fault?.kind === "cut" && fault.after < 0) {
      response.destroy();
      return;
    }
    const found = find(request, models, token);
    if ("status" in found) {
      response.writeHead(found.status, { "x-error-code": found.code, "x-error-message": "Not here." }).end();
      return;
    }
    const { model, bytes, rest } = found;
    const isLarge = bytes.length >= LARGE;
    const headers: Record<string, string | null> = {
      "x-repo-commit": model.commit,
      ...(isLarge
        ? { "x-linked-etag": `"${sha256Of(bytes)}"`, "x-linked-size": String(bytes.length) }
        : { etag: `"${gitHashOf(bytes)}"` }),
      ...(fault?.kind === "headers" ? fault.headers : {}),
    };
    for (const [name, value] of Object.entries(headers)) if (value !== null) response.setHeader(name, value);
    if (isLarge) response.writeHead(302, { location: `${urlOf(cdn)}/lfs/${sha256Of(bytes)}?signature=abc` }).end();
    else if (!rest.startsWith("/api/")) response.writeHead(307, { location: `/api/resolve-cache${rest}` }).end();
    else void sendFile(request, response, bytes, fault);
  });

  await Promise.all([hub, cdn].map((server) => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))));
  return {
    url: urlOf(hub),
    requests,
    publish: (name, model) => void models.set(name, model),
    fail: (matching, fault, times = 1) => void scripts.push({ matching, fault, left: times }),
    close: async () => {
      await Promise.all([hub, cdn].map(endServer));
    },
  };
}

interface Found {
  readonly model: HubModel;
  readonly bytes: Uint8Array;
  readonly rest: string;
}

function find(
  request: IncomingMessage,
  models: ReadonlyMap<string, HubModel>,
  token: string | undefined,
): Found | { readonly status: number; readonly code: string } {
  const rest = request.url ?? "";
  const [, name = "", revision = "", file = ""] =
    /^(?:\/api\/resolve-cache)?\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(rest) ?? [];
  const model = models.get(name);
  const isKnown = token === undefined || request.headers.authorization === `Bearer ${token}`;
  if (model?.isGated && !isKnown) return { status: 401, code: "GatedRepo" };
  if (model === undefined || !isKnown)
    return { status: request.headers.authorization ? 404 : 401, code: "RepoNotFound" };
  if (!["main", model.commit, ...(model.revisions ?? [])].includes(decodeURIComponent(revision)))
    return { status: 404, code: "RevisionNotFound" };
  const bytes = model.files[file];
  return bytes === undefined ? { status: 404, code: "EntryNotFound" } : { model, bytes, rest };
}

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: Uint8Array,
  fault?: HubFault,
): Promise<void> {
  if (fault?.kind === "status") {
    response.writeHead(fault.status, fault.headers).end();
    return;
  }
  const range = fault?.kind === "ignore range" ? undefined : /^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1];
  const start = Number(range ?? 0);
  if (range !== undefined && start >= file.length) {
    response.writeHead(416, { "content-range": `bytes */${file.length}` }).end();
    return;
  }
  const content = fault?.kind === "wrong content" ? file.map((byte) => byte ^ 1) : file;
  const body = content.subarray(start);
  const headers = {
    "content-length": body.length,
    ...(range === undefined ? {} : { "content-range": `bytes ${start}-${file.length - 1}/${file.length}` }),
  };
  response.writeHead(range === undefined ? 200 : 206, fault?.kind === "too much" ? {} : headers);
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  const end = fault?.kind === "cut" || fault?.kind === "stall" ? Math.min(fault.after, body.length) : body.length;
  for (let at = 0; at < end; at += PIECE) {
    if (response.destroyed) return;
    if (fault?.kind === "slow") await pause(fault.ms);
    await new Promise<void>((resolve) => response.write(body.subarray(at, Math.min(at + PIECE, end)), () => resolve()));
  }
  if (fault?.kind === "too much") response.write(Buffer.alloc(PIECE));
  if (fault?.kind === "cut") {
    // Data not yet read by a client when the connection breaks is lost to it.
    await pause(50);
    response.destroy();
  }
  if (fault?.kind !== "cut" && fault?.kind !== "stall") response.end();
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The id that git gives to a file's content. */
function gitHashOf(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function endServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
