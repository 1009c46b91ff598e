import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the bucket received it. */
export interface BucketRequest {
  readonly method: string;
  readonly path: string;
}

export interface BucketServer {
  readonly url: string;
  readonly requests: BucketRequest[];
  /** Replaces the next responses, in order: a status, or "hang up". */
  readonly faults: (number | "hang up")[];
  /** Methods that the access key may not use; a list is a GET. */
  readonly forbidden: Set<string>;
  /** Methods that fail, and with which status. */
  readonly failing: Map<string, number>;
  /** From now on, requests are received and never answered. */
  fallSilent(): void;
  close(): Promise<void>;
}

export const BUCKET_KEYS = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "a-secret-for-tests",
  region: "eu-central-1",
};

/** The code that a fault's answer gives; others are internal errors. */
const FAULT_CODES: Readonly<Record<number, string>> = {
  404: "NoSuchBucket",
  503: "SlowDown",
  507: "XMinioStorageFull",
};

/** Implements the object operations of Amazon S3, and checks each signature (version 4) independently. */
export async function startBucketServer({ pageSize = 1_000 } = {}): Promise<BucketServer> {
  const objects = new Map<string, { bytes: Buffer; writtenAt: Date }>();
  const requests: BucketRequest[] = [];
  const faults: (number | "hang up")[] = [];
  const forbidden = new Set<string>();
  const failing = new Map<string, number>();
  let isSilent = false;
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      const url = new URL(request.url ?? "/", "http://bucket");
      requests.push({ method: request.method ?? "", path: `${url.pathname}${url.search}` });
      if (isSilent) return;
      const fault = faults.shift();
      if (fault === "hang up") return void request.socket.destroy();
      const fail = (status: number, code: string): void => {
        response.writeHead(status, { "content-type": "application/xml" });
        response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
      };
      if (fault !== undefined) return fail(fault, FAULT_CODES[fault] ?? "InternalError");
      if (!isSigned(request, url)) return fail(403, "SignatureDoesNotMatch");
      if (forbidden.has(request.method ?? "")) return fail(403, "AccessDenied");
      const failure = failing.get(request.method ?? "");
      if (failure !== undefined) return fail(failure, FAULT_CODES[failure] ?? "InternalError");
      const key = decodeURIComponent(url.pathname);
      if (url.searchParams.get("list-type") === "2") {
        const prefix = `${key}/${url.searchParams.get("prefix") ?? ""}`;
        const all = [...objects].filter(([name]) => name.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
        const after = url.searchParams.get("start-after") ?? "";
        const left = all.filter(([name]) => name.slice(key.length + 1) > after);
        const page = left.slice(0, pageSize);
        const next = `<IsTruncated>${left.length > pageSize}</IsTruncated>`;
        const contents = page.map(
          ([name, { writtenAt }]) =>
            `<Contents><Key>${name.slice(key.length + 1)}</Key><LastModified>${writtenAt.toISOString()}</LastModified></Contents>`,
        );
        return void response.end(
          `<?xml version="1.0"?><ListBucketResult>${contents.join("")}${next}</ListBucketResult>`,
        );
      }
      const object = objects.get(key);
      if (request.method === "PUT" || object) response.setHeader("etag", '"0123456789abcdef"');
      if (request.method === "PUT") {
        objects.set(key, { bytes: body, writtenAt: new Date() });
        return void response.end();
      }
      if (request.method === "DELETE") {
        objects.delete(key);
        return void response.writeHead(204).end();
      }
      if (!object) return fail(404, "NoSuchKey");
      const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
      if (!range) return void response.end(request.method === "HEAD" ? undefined : object.bytes);
      const [from, to] = [Number(range[1]), Number(range[2])];
      if (from >= object.bytes.length) return fail(416, "InvalidRange");
      return void response.writeHead(206).end(object.bytes.subarray(from, to + 1));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/memories`,
    requests,
    faults,
    forbidden,
    failing,
    fallSilent: () => {
      isSilent = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** As described at docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html. */
function isSigned(request: IncomingMessage, url: URL): boolean {
  const { accessKeyId, secretAccessKey, region } = BUCKET_KEYS;
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]+)$/.exec(
      request.headers.authorization ?? "",
    );
  if (!given) return false;
  const [, id, day = "", scope, names = "", signature] = given;
  if (id !== accessKeyId || scope !== `${region}/s3/aws4_request`) return false;
  const headers = names.split(";").map((name) => `${name}:${String(request.headers[name] ?? "").trim()}\n`);
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join("&");
  const canonical = [
    request.method,
    url.pathname,
    query,
    headers.join(""),
    names,
    request.headers["x-amz-content-sha256"],
  ].join("\n");
  const text = [
    "AWS4-HMAC-SHA256",
    request.headers["x-amz-date"],
    `${day}/${scope}`,
    createHash("sha256").update(canonical).digest("hex"),
  ].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
  return createHmac("sha256", key).update(text).digest("hex") === signature;
}
