import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AwsClient } from "aws4fetch";

/** A bucket over the REST API of Amazon S3: lists and reads objects, and checks every signature. */
export interface ScriptedS3 {
  readonly url: string;
  readonly objects: Map<string, { readonly bytes: Buffer; readonly type: string; readonly storageClass: string }>;
  readonly requests: string[];
  /** Keys that may be listed but not read. */
  readonly forbidden: Set<string>;
  /** Answers this many of the next requests with this status, or breaks off. */
  fail(fault: S3Fault, times: number): void;
  heal(): void;
  /** Answers each listing from the beginning, and claims that there is more. */
  repeats: boolean;
  /** Changes the response to each listing. */
  spoil: (xml: string) => string;
  put(key: string, text: string, type?: string, storageClass?: string): void;
  close(): Promise<void>;
}

/** A status, with seconds to wait if given; `pass` leaves a request unchanged. */
export type S3Fault = number | "cut" | "pass" | { readonly status: number; readonly retryAfter: number };

export const S3_KEYS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/example", region: "eu-central-1" };
const MOST_KEYS = 1_000;

export async function startS3(bucket: string, mostKeys = MOST_KEYS): Promise<ScriptedS3> {
  const objects: ScriptedS3["objects"] = new Map();
  const requests: string[] = [];
  const forbidden = new Set<string>();
  let faults: S3Fault[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? "/", `http://${request.headers.host ?? ""}`);
      requests.push(`${request.method} ${url.pathname}${url.search}`);
      const refuse = (status: number, code: string) => {
        response.writeHead(status, { "content-type": "application/xml" });
        response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
      };
      const fault = faults.shift();
      if (fault === "cut") {
        response.writeHead(200, { "content-length": "1000" });
        return void response.write("<", () => response.destroy());
      }
      if (typeof fault === "object") response.setHeader("retry-after", String(fault.retryAfter));
      const status = typeof fault === "object" ? fault.status : fault;
      if (typeof status === "number") return refuse(status, CODES[status] ?? "InternalError");
      const { authorization = "" } = request.headers;
      if (!authorization.includes(S3_KEYS.accessKeyId)) return refuse(403, "InvalidAccessKeyId");
      if (authorization !== (await signatureOf(url, request.headers))) return refuse(403, "SignatureDoesNotMatch");
      const [, name, ...rest] = url.pathname.split("/");
      if (name !== bucket) return refuse(404, "NoSuchBucket");
      const key = rest.map(decodeURIComponent).join("/");
      if (key === "") return list(url.searchParams);
      if (forbidden.has(key)) return refuse(403, "AccessDenied");
      const object = objects.get(key);
      if (!object) return refuse(404, "NoSuchKey");
      response.writeHead(200, { "content-type": object.type, etag: etagOf(object.bytes), "last-modified": MODIFIED });
      response.end(object.bytes);
    })();

    function list(query: URLSearchParams): void {
      const unknown = [...query.keys()].filter((one) => !LIST_PARAMETERS.has(one));
      if (unknown.length > 0 || query.get("list-type") !== "2" || query.get("encoding-type") !== "url") {
        response.writeHead(400).end("<Error><Code>InvalidArgument</Code></Error>");
        return;
      }
      const limit = Math.min(Number(query.get("max-keys") ?? MOST_KEYS), mostKeys);
      const after = Buffer.from(store.repeats ? "" : (query.get("start-after") ?? ""));
      const keys = [...objects.keys()]
        .filter((key) => key.startsWith(query.get("prefix") ?? "") && Buffer.compare(Buffer.from(key), after) > 0)
        .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      const contents = keys.slice(0, limit).map((key) => {
        const { bytes = Buffer.alloc(0), storageClass = "" } = objects.get(key) ?? {};
        const quoted = etagOf(bytes).replaceAll('"', "&quot;");
        return `<Contents><Key>${encodeURIComponent(key)}</Key><ETag>${quoted}</ETag><Size>${bytes.length}</Size><StorageClass>${storageClass}</StorageClass></Contents>`;
      });
      response.writeHead(200, { "content-type": "application/xml" });
      response.end(
        store.spoil(
          `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType><IsTruncated>${store.repeats || keys.length > limit}</IsTruncated>${contents.join("")}</ListBucketResult>`,
        ),
      );
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const store: ScriptedS3 = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    requests,
    forbidden,
    fail: (fault, times) => void faults.push(...Array.from({ length: times }, () => fault)),
    heal() {
      faults = [];
      forbidden.clear();
    },
    put: (key, text, type = "text/plain", storageClass = "STANDARD") =>
      void objects.set(key, { bytes: Buffer.from(text), type, storageClass }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    repeats: false,
    spoil: (xml) => xml,
  };
  return store;
}

/** The store's error code for a status; an expired token is answered with 400. */
const CODES: Readonly<Record<number, string>> = { 400: "ExpiredToken", 429: "SlowDown", 503: "SlowDown" };
const MODIFIED = "Tue, 03 Mar 2026 10:00:00 GMT";
const LIST_PARAMETERS = new Set([
  "list-type",
  "encoding-type",
  "max-keys",
  "prefix",
  "start-after",
  "continuation-token",
]);

function etagOf(bytes: Buffer): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}

/** The signature as computed by the store from the request. */
async function signatureOf(
  url: URL,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Promise<string> {
  const client = new AwsClient({ ...S3_KEYS, service: "s3" });
  const dated = {
    "x-amz-date": String(headers["x-amz-date"]),
    "x-amz-content-sha256": String(headers["x-amz-content-sha256"]),
  };
  const signed = await client.sign(url.href, {
    method: "GET",
    headers: dated,
    aws: { datetime: String(headers["x-amz-date"]) },
  });
  return signed.headers.get("authorization") ?? "";
}
