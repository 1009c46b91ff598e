import { AwsClient } from "aws4fetch";
import * as z from "zod";
import {
  ItemGone,
  ItemSkipped,
  ItemTooLarge,
  SignInRefused,
  readCheckpoint,
} from "../../core/connections/connector-errors.js";
import { AppError } from "../../core/errors.js";
import type { ChangePage, Connector, SourceAccess, SourceAnswer, SourceContent, SourceItem } from "../../core/ports.js";
import { type Listing, readListing, strongTag } from "../../lib/s3-listing.js";
import { isoOfHeader } from "../../lib/time.js";
import { containerTagsOf } from "./container-tags.js";

const PAGE = 1_000;
/** A thousand keys of the greatest length, with each byte as three characters, and the XML around them. */
const MOST_BYTES_OF_A_PAGE = 4 * 1024 * 1024;
/** In bytes, the protocol's limit. */
const LONGEST_KEY = 1_024;
/** Contract 9.1. */
const LONGEST_PATTERN = 199;
/** Storage classes that must be restored before reading. */
const ARCHIVES: ReadonlySet<string> = new Set(["GLACIER", "DEEP_ARCHIVE"]);

const text = (what: string) => z.string(`must be ${what}`).trim().min(1, `must be ${what}`).max(4_096);

const fieldsSchema = z.object({
  accessKeyId: text("an access key id"),
  secretAccessKey: text("a secret access key"),
  bucket: text("the name of a bucket").regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,253}$/, "must be the name of a bucket"),
  region: text("a region such as eu-central-1").regex(/^[A-Za-z0-9-]{1,60}$/, "must be a region such as eu-central-1"),
  endpoint: z
    .url({ protocol: /^https?$/, error: "must be an address such as https://minio.example" })
    .max(2_048)
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  prefix: z.string().max(1_024).optional(),
  containerTagRegex: z
    .string()
    .max(LONGEST_PATTERN, `must have fewer than ${LONGEST_PATTERN + 1} characters`)
    .refine(isPattern, "must be a regular expression with a group named userId and no nested repetitions")
    .optional(),
});
const checkpointSchema = z.object({ after: z.string() });
const detailSchema = z.object({ key: z.string(), size: z.number(), storageClass: z.string().default("") });
type Detail = z.output<typeof detailSchema>;

/** False for an expression that evidently takes too long. One that slips through is stopped when it is run. */
function isPattern(source: string): boolean {
  const isNested = /\((?:[^()\\]|\\.)*[*+{](?:[^()\\]|\\.)*\)[*+{]/.test(source) || /\\[1-9]|\\k</.test(source);
  if (isNested || !/\(\?<userId>/.test(source) || (source.match(/[*+]|\{\d+,/g) ?? []).length > 4) return false;
  try {
    void new RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
}

/** Objects in a bucket of Amazon S3, or of a store with the same protocol (docs.aws.amazon.com/AmazonS3/latest/API). */
export function createS3Connector({ baseUrl = "https://s3.{region}.amazonaws.com" } = {}): Connector {
  const placeOf = (access: SourceAccess): string => bucketAddress(access, baseUrl);

  async function* list(access: SourceAccess, from: string | null): AsyncIterable<ChangePage> {
    for (let after = from; ;) {
      const page = await listPage(access, placeOf(access), after);
      if (after !== null && page.last !== null && !isBehind(page.last, after))
        throw odd("the store does not lead to a next page");
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
    placeFields: ["endpoint"],
    sync: { everyMinutes: 240, absences: 1, readsAtOnce: 8 },
    async check(access) {
      await listPage(access, placeOf(access), null, 1);
      return { account: null };
    },
    changes: (access, checkpoint) =>
      list(access, checkpoint === null ? null : readCheckpoint(checkpointSchema, checkpoint).after),
    read: (access, item) => readObject(access, item, placeOf(access)),
  };
}

/** As `Connector.read`. @param bucketUrl with a trailing slash */
async function readObject(access: SourceAccess, item: SourceItem, bucketUrl: string): Promise<SourceContent> {
  const { key, size, storageClass } = detailSchema.parse(item.detail);
  if (size > access.maximumBytes) throw new ItemTooLarge("The object", size, access.maximumBytes);
  if (size === 0) throw new ItemSkipped("The object is empty.");
  if (ARCHIVES.has(storageClass))
    throw new ItemSkipped(`The object is archived (${storageClass}). To import it, copy it to another storage class.`);
  // Such an address would lead to another object, even in another bucket.
  if (key.split("/").some((part) => part === "." || part === ".."))
    throw new ItemSkipped("A part of its key is . or .., which no address can contain.");
  const address = `${bucketUrl}${key.split("/").map(encodeURIComponent).join("/")}`;
  const answer = await ask(access, address, [404]);
  if (answer.status === 404) throw new ItemGone();
  return {
    content: answer.bytes,
    mimeType: mimeTypeOf(answer),
    fileName: key.split("/").at(-1) ?? key,
    type: null,
    title: item.title,
    changedAt: isoOfHeader(answer.headers["last-modified"]),
    metadata: { bucket: String(access.settings["bucket"]), key },
    ...(answer.headers["etag"] !== undefined && { version: strongTag(answer.headers["etag"]) }),
  };
}

interface Page {
  readonly items: readonly SourceItem[];
  /** Key of the page's last object, whether or not it is brought in. */
  readonly last: string | null;
  readonly isTruncated: boolean;
}

async function listPage(
  access: SourceAccess,
  bucketUrl: string,
  after: string | null,
  size: number = PAGE,
): Promise<Page> {
  const url = new URL(bucketUrl);
  const { prefix } = access.settings;
  const query = {
    "list-type": "2",
    "encoding-type": "url",
    "max-keys": String(size),
    ...(prefix !== undefined && prefix !== "" && { prefix: String(prefix) }),
    ...(after !== null && { "start-after": after }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const { objects, isTruncated } = await readPage(access, url.href, size);
  const files = objects.filter(({ key }) => !key.endsWith("/"));
  const tags = await containerTagsOf(access, files);
  return {
    items: files.map((object, at) => itemOf(access, object, tags[at] ?? null)),
    last: objects.at(-1)?.key ?? null,
    isTruncated,
  };
}

/** Checks that a store answers only what it was asked for: its answer is kept item by item. @throws AppError `unavailable` */
async function readPage(access: SourceAccess, url: string, mostObjects: number): Promise<Listing> {
  const { bytes } = await ask(access, url, [], MOST_BYTES_OF_A_PAGE).catch((error: unknown) => {
    const isTooLarge = error instanceof AppError && error.kind === "too_large";
    throw isTooLarge ? odd(`the store sent more than ${MOST_BYTES_OF_A_PAGE} bytes for one page`) : error;
  });
  const listing = await readListing(Buffer.from(bytes).toString("utf8"), mostObjects);
  if (listing === null) throw odd("the store did not answer with a complete list");
  const { objects, isTruncated } = listing;
  if (objects.length > mostObjects) throw odd(`the store listed more objects than the ${mostObjects} requested`);
  if (objects.some((object) => [object.key, object.etag, object.storageClass].some(isTooLong)))
    throw odd(`the store listed an object with a key, a tag or a class of more than ${LONGEST_KEY} bytes`);
  if (isTruncated && objects.length === 0) throw odd("the store says that there is more, but lists nothing");
  return listing;
}

function odd(what: string): AppError {
  return new AppError("unavailable", `The bucket was not listed completely: ${what}.`);
}

function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > LONGEST_KEY;
}

function itemOf(
  access: SourceAccess,
  { etag, ...detail }: Detail & { readonly etag: string },
  containerTag: string | null,
): SourceItem {
  const { bucket } = access.settings;
  const { key } = detail;
  return {
    id: `s3://${bucket}/${key}`,
    version: etag,
    title: key.split("/").at(-1) ?? key,
    address: `s3://${bucket}/${key}`,
    path: key,
    ...(containerTag !== null && { containerTag }),
    size: detail.size,
    detail,
  };
}

/** In listing order, which is byte order. */
function isBehind(key: string, other: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(other)) > 0;
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

/** The store's error, by its own code. */
function refusalOf({ status, bytes }: SourceAnswer): AppError {
  const body = Buffer.from(bytes).toString("utf8").slice(0, 4_096);
  const code = /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(body)?.[1] ?? `status ${status}`;
  if (/^(InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken)$/.test(code))
    return new SignInRefused(`The store does not accept the access key (${code}).`);
  if (code === "NoSuchBucket" || status === 404) return new AppError("not_found", `There is no such bucket (${code}).`);
  if (status === 403) return new AppError("forbidden", `The access key may not read this (${code}).`);
  return new AppError("invalid", `The store refused the request (${code}). Check region and endpoint.`);
}

/** With an endpoint the bucket is part of the path, otherwise of the host; certificates do not cover bucket names with dots. */
function bucketAddress({ settings }: SourceAccess, baseUrl: string): string {
  const { endpoint, bucket, region } = settings;
  if (endpoint !== undefined) return `${endpoint}/${bucket}/`;
  const { origin, protocol, host } = new URL(baseUrl.replace("{region}", String(region)));
  return /^[a-z0-9-]+$/.test(String(bucket)) ? `${protocol}//${bucket}.${host}/` : `${origin}/${bucket}/`;
}

function mimeTypeOf({ headers }: SourceAnswer): string | null {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return type.trim() === "" || type === "binary/octet-stream" ? null : type.trim().toLowerCase();
}
