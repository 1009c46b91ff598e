import { openAsBlob } from "node:fs";
import { AwsClient } from "aws4fetch";
import { AppError } from "../../core/errors.js";
import type { BlobStore, ListedBlob } from "../../core/ports.js";
import { createFetch } from "../../lib/http-fetch.js";
import { isId } from "../../lib/ids.js";
import { readListing } from "../../lib/s3-listing.js";
import { retry } from "../../lib/retry.js";

/** A bucket of Amazon S3 or of a store that speaks its protocol. */
export interface Bucket {
  readonly bucket: string;
  /** Of all keys; "" for none. */
  readonly prefix: string;
  /** Of the bucket, without a slash at the end. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

const TIMEOUT_MS = 60_000;
const LARGEST_ANSWER = 1024 * 1024 * 1024;
const RETRY = { attempts: 3, baseMs: 200, maximumMs: 2_000 };
const LONGEST_REASON = 200;
const NOT_LISTED = "The files were not listed";

/**
 * Bytes as one object each in a bucket, over the REST API of Amazon S3 with signatures of version 4
 * (docs.aws.amazon.com/AmazonS3/latest/API). What was put is durable as the store says, before the call returns. An
 * answer that asks to try again (429, 5xx) is tried three times in all.
 */
export function createBucketBlobs(bucket: Bucket): BlobStore {
  const { accessKeyId, secretAccessKey, sessionToken, region, url } = bucket;
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    region,
    service: "s3",
  });
  const send = createFetch({ timeoutMs: TIMEOUT_MS, maximumBytes: LARGEST_ANSWER });
  const path = bucket.prefix === "" ? "" : `${bucket.prefix}/`;

  /** @throws AppError `unavailable` when the store does not answer or refuses, other than with one of `expected` */
  async function call(what: string, target: string, init: RequestInit, expected: readonly number[]): Promise<Response> {
    const once = async (): Promise<Response> => {
      const signed = await client.sign(target, init);
      const response = await send(signed).catch((error: unknown) => {
        throw unavailable(bucket, what, "does not answer", error);
      });
      if (response.status === 429 || response.status >= 500) throw unavailable(bucket, what, await reasonOf(response));
      return response;
    };
    const answer = await retry(once, { ...RETRY, judge: () => true });
    if (!answer.ok && !expected.includes(answer.status)) throw unavailable(bucket, what, await reasonOf(answer));
    return answer;
  }

  const addressOf = (key: string): string => `${url}/${path}${key}`;

  async function put(key: string, body: Uint8Array<ArrayBuffer> | Blob): Promise<void> {
    if (!isId(key)) throw new Error("The key of a blob must be an id");
    await call("The file was not kept", addressOf(key), { method: "PUT", body }, []);
  }

  return {
    put: (key, bytes) => put(key, Uint8Array.from(bytes)),

    async keep(key, path) {
      await put(key, await openAsBlob(path));
    },

    pathOf: () => Promise.resolve(null),

    async read(key, start, length) {
      if (!isId(key)) return null;
      const what = "The file was not read";
      if (length <= 0) {
        const found = await call(what, addressOf(key), { method: "HEAD" }, [404]);
        return found.ok ? new Uint8Array() : null;
      }
      const headers = { range: `bytes=${start}-${start + length - 1}` };
      const answer = await call(what, addressOf(key), { headers }, [404, 416]);
      if (answer.status === 404) return null;
      // The range begins behind the end.
      if (answer.status === 416) return new Uint8Array();
      const bytes = new Uint8Array(await answer.arrayBuffer());
      // Whoever does not know ranges answers with all of it.
      return answer.status === 206 ? bytes : bytes.slice(start, start + length);
    },

    async remove(key) {
      if (!isId(key)) return;
      await call("The file was not removed", addressOf(key), { method: "DELETE" }, [404]);
    },

    async list() {
      const found: ListedBlob[] = [];
      for (let after = ""; ;) {
        const page = new URL(url);
        page.searchParams.set("list-type", "2");
        page.searchParams.set("prefix", path);
        if (after !== "") page.searchParams.set("start-after", after);
        const answer = await call(NOT_LISTED, page.href, {}, []);
        const now = Date.parse(answer.headers.get("date") ?? "");
        const listing = await readListing(await answer.text());
        if (listing === null) throw unavailable(bucket, NOT_LISTED, "answers with no whole list");
        for (const { key: name, lastModified } of listing.objects) {
          const key = name.slice(path.length);
          const ageMs = now - Date.parse(lastModified);
          // Without both times nothing says that it is not being written.
          if (isId(key)) found.push({ key, ageMs: Number.isNaN(ageMs) ? 0 : ageMs });
        }
        if (!listing.isTruncated) return found;
        const last = listing.objects.at(-1)?.key ?? "";
        if (last <= after) throw unavailable(bucket, NOT_LISTED, "repeats its pages");
        after = last;
      }
    },
  };
}

/** The text of the first element of this name, for the plain XML of S3. */
function elementOf(xml: string, name: string): string | null {
  const start = xml.indexOf(`<${name}>`);
  const end = start === -1 ? -1 : xml.indexOf(`</${name}>`, start);
  if (end === -1) return null;
  return xml
    .slice(start + name.length + 2, end)
    .replace(/&(lt|gt|quot|apos|amp);/g, (_whole, entity: string) => ENTITIES[entity] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

async function reasonOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => "");
  const code = elementOf(text, "Code") ?? "";
  return `answers ${response.status}${code === "" ? "" : ` (${code.slice(0, LONGEST_REASON)})`}`;
}

function unavailable({ bucket }: Bucket, what: string, reason: string, cause?: unknown): AppError {
  return new AppError(
    "unavailable",
    `${what}: the bucket ${bucket} ${reason}. Check RECOLLECT_BLOBS, AWS_REGION, AWS_ENDPOINT_URL_S3 and the access key.`,
    { cause },
  );
}
