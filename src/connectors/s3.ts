import { AwsClient } from "aws4fetch";
import { DOMParser } from "linkedom";
import * as z from "zod";
import { ItemGone, ItemSkipped, SignInRefused } from "../core/connections/connector-errors.js";
import { AppError } from "../core/errors.js";
import type { ChangePage, Connector, SourceAccess, SourceAnswer, SourceItem } from "../core/ports.js";

const PAGE = 1_000;
const MOST_BYTES_OF_A_PAGE = 16 * 1024 * 1024;
/** Contract 9.1. */
const LONGEST_PATTERN = 199;
/** A pattern is tried against no more of a key than this. */
const LONGEST_MATCHED = 1_024;

const text = (what: string) => z.string(`must be ${what}`).trim().min(1, `must be ${what}`).max(4_096);

const fieldsSchema = z.object({
  accessKeyId: text("an access key id"),
  secretAccessKey: text("a secret access key"),
  bucket: text("the name of a bucket").regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,253}$/, "must be the name of a bucket"),
  region: text("a region such as eu-central-1"),
  endpoint: z
    .url({ protocol: /^https?$/, error: "must be an address such as https://minio.example" })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  prefix: z.string().max(1_024).optional(),
  containerTagRegex: z
    .string()
    .max(LONGEST_PATTERN, `must have fewer than ${LONGEST_PATTERN + 1} characters`)
    .refine(
      isPattern,
      "must be a regular expression with a group named userId, without repetitions inside of repetitions",
    )
    .optional(),
});
const checkpointSchema = z.object({ after: z.string() });

/** True for an expression that takes time in proportion to what it is tried on: nothing that repeats holds what repeats. */
function isPattern(source: string): boolean {
  const isNested = /\((?:[^()\\]|\\.)*[*+{](?:[^()\\]|\\.)*\)[*+{]/.test(source) || /\\[1-9]|\\k</.test(source);
  if (isNested || !/\(\?<userId>/.test(source) || (source.match(/[*+]|\{\d+,/g) ?? []).length > 4) return false;
  try {
    return new RegExp(source, "u") !== null;
  } catch {
    return false;
  }
}

/** Objects of a bucket of Amazon S3, or of a store that speaks its protocol (docs.aws.amazon.com/AmazonS3/latest/API). */
export function createS3Connector(): Connector {
  async function* list(access: SourceAccess, from: string | null): AsyncIterable<ChangePage> {
    for (let after = from; ;) {
      const page = await listPage(access, after);
      const isFirst = after === null;
      after = page.last ?? after ?? "";
      yield {
        kind: "listing",
        isFirst,
        isLast: !page.isTruncated,
        items: page.items.map((item) => ({ kind: "upsert" as const, item })),
        checkpoint: page.isTruncated ? { after } : null,
      };
      if (!page.isTruncated) return;
    }
  }

  return {
    provider: "s3",
    title: "Amazon S3",
    signIn: { kind: "credentials" },
    fields: fieldsSchema,
    secretFields: ["accessKeyId", "secretAccessKey"],
    sync: { everyMinutes: 240, absences: 1, readsAtOnce: 8 },
    async check(access) {
      await listPage(access, null, 1);
      return { account: null };
    },
    changes: (access, checkpoint) =>
      list(access, checkpoint === null ? null : checkpointSchema.parse(checkpoint).after),
    async read(access, item) {
      const { key, size } = z.object({ key: z.string(), size: z.number() }).parse(item.detail);
      if (size > access.maximumBytes)
        throw new ItemSkipped(
          `The object has ${size} bytes, more than ${access.maximumBytes} (RECOLLECT_MAX_FILE_BYTES).`,
        );
      if (size === 0) throw new ItemSkipped("The object is empty.");
      const answer = await ask(access, addressOf(access, key), [404]);
      if (answer.status === 404) throw new ItemGone();
      return {
        content: answer.bytes,
        mimeType: mimeTypeOf(answer),
        fileName: key.split("/").at(-1) ?? key,
        type: null,
        title: item.title,
        changedAt: dateOf(answer.headers["last-modified"]),
        metadata: { bucket: String(access.settings["bucket"]), key },
        ...(answer.headers["etag"] !== undefined && { version: answer.headers["etag"] }),
      };
    },
  };
}

interface Page {
  readonly items: readonly SourceItem[];
  /** Key of the last object of the page, whether it is brought in or not. */
  readonly last: string | null;
  readonly isTruncated: boolean;
}

async function listPage(access: SourceAccess, after: string | null, size: number = PAGE): Promise<Page> {
  const url = new URL(bucketOf(access));
  const { prefix } = access.settings;
  const query = {
    "list-type": "2",
    "encoding-type": "url",
    "max-keys": String(size),
    ...(prefix !== undefined && prefix !== "" && { prefix: String(prefix) }),
    ...(after !== null && { "start-after": after }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const { bytes } = await ask(access, url.href, [], MOST_BYTES_OF_A_PAGE);
  const document = new DOMParser().parseFromString(Buffer.from(bytes).toString("utf8"), "text/xml");
  const valueOf = (parent: { querySelector(name: string): { textContent: string | null } | null }, name: string) =>
    parent.querySelector(name)?.textContent ?? "";
  if (!document.querySelector("ListBucketResult"))
    throw new AppError("unavailable", "The store answered with something else than a list of objects.");
  const objects = [...document.querySelectorAll("Contents")].map((one) => ({
    key: decoded(valueOf(one, "Key")),
    etag: valueOf(one, "ETag").replaceAll("&quot;", '"'),
    size: Number(valueOf(one, "Size")),
  }));
  return {
    items: objects.filter(({ key }) => !key.endsWith("/")).map((object) => itemOf(access, object)),
    last: objects.at(-1)?.key ?? null,
    isTruncated: valueOf(document, "IsTruncated") === "true" && objects.length > 0,
  };
}

function itemOf(
  access: SourceAccess,
  { key, etag, size }: { readonly key: string; readonly etag: string; readonly size: number },
): SourceItem {
  const { bucket, prefix = "" } = access.settings;
  const containerTag = containerTagOf(access, key);
  return {
    id: `s3://${bucket}/${key}`,
    version: etag,
    title: key.split("/").at(-1) ?? key,
    address: `s3://${bucket}/${key}`,
    path: key.startsWith(String(prefix)) ? key : null,
    ...(containerTag !== null && { containerTag }),
    detail: { key, size },
  };
}

/** The container that a key names by the group `userId`; null for that of the connection. */
function containerTagOf({ settings }: SourceAccess, key: string): string | null {
  const source = settings["containerTagRegex"];
  if (typeof source !== "string") return null;
  const found = new RegExp(source, "u").exec(key.slice(0, LONGEST_MATCHED))?.groups?.["userId"];
  return found !== undefined && /^[A-Za-z0-9_:.-]{1,100}$/.test(found) ? found : null;
}

async function ask(
  access: SourceAccess,
  url: string,
  accepts: readonly number[],
  maximumBytes?: number,
): Promise<SourceAnswer> {
  const { accessKeyId = "", secretAccessKey = "" } = access.secrets;
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    region: String(access.settings["region"]),
    service: "s3",
  });
  const signed = await client.sign(url, { method: "GET" });
  const answer = await access.request({
    url: signed.url,
    headers: Object.fromEntries(signed.headers),
    accepts: [...accepts, 301, 307, 400, 403, 404],
    isSigned: false,
    ...(maximumBytes !== undefined && { maximumBytes }),
  });
  if (answer.status < 300 || accepts.includes(answer.status)) return answer;
  throw refusalOf(answer);
}

/** What the store says is wrong, by its own code. */
function refusalOf({ status, bytes }: SourceAnswer): AppError {
  const body = Buffer.from(bytes).toString("utf8").slice(0, 4_096);
  const code = /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(body)?.[1] ?? `status ${status}`;
  if (/^(InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken)$/.test(code))
    return new SignInRefused(`The store does not take the access key (${code}).`);
  if (code === "NoSuchBucket" || status === 404) return new AppError("not_found", `There is no such bucket (${code}).`);
  if (status === 403) return new AppError("forbidden", `The access key may not read this (${code}).`);
  return new AppError("invalid", `The store refused what it was asked (${code}). Check region and endpoint.`);
}

/** With an endpoint the bucket is part of the path, else of the host. */
function bucketOf({ settings }: SourceAccess): string {
  const { endpoint, bucket, region } = settings;
  return endpoint === undefined ? `https://${bucket}.s3.${region}.amazonaws.com/` : `${endpoint}/${bucket}/`;
}

function addressOf(access: SourceAccess, key: string): string {
  return `${bucketOf(access)}${key.split("/").map(encodeURIComponent).join("/")}`;
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", " "));
  } catch {
    return key;
  }
}

function mimeTypeOf({ headers }: SourceAnswer): string | null {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return type.trim() === "" || type === "binary/octet-stream" ? null : type.trim().toLowerCase();
}

function dateOf(header: string | undefined): string | null {
  const time = Date.parse(header ?? "");
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
