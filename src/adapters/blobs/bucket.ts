import { openAsBlob } from "node:fs";
import { AwsClient } from "aws4fetch";
import { AppError } from "../../core/errors.js";
import type { BlobStore, ListedBlob } from "../../core/ports.js";
import { createFetch } from "../../lib/http-fetch.js";
import { createId, isId } from "../../lib/ids.js";
import { type Listing, readListing } from "../../lib/s3-listing.js";
import { retry } from "../../lib/retry.js";

/** A bucket of Amazon S3 or of a store with the same protocol. */
export interface Bucket {
  readonly bucket: string;
  /** Prefix of all keys; "" for none. */
  readonly prefix: string;
  /** URL of the bucket, without a trailing slash. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

const TIMEOUT_MS = 60_000;
/** The start of the service waits for the first look. */
const LOOKS_FOR_MS = 5_000;
/** What the protocol allows. */
const LONGEST_PAGE = 1_000;
const LARGEST_ANSWER = 1024 * 1024 * 1024;
const RETRY = { attempts: 3, baseMs: 200, maximumMs: 2_000 };
const LONGEST_REASON = 200;
const NOT_STORED = "The file was not stored";
const NOT_READ = "The file was not read";
const NOT_LISTED = "The files were not listed";

/**
 * Stores each blob as an object in a bucket, over the REST API of Amazon S3 with version 4 signatures
 * (docs.aws.amazon.com/AmazonS3/latest/API). What was put is as durable as the store promises before the call returns. Responses
 * that ask for a retry (429, 5xx) get three attempts in all.
 */
export function createBucketBlobs(bucket: Bucket): BlobStore {
  return new BucketBlobs(bucket);
}

class BucketBlobs implements BlobStore {
  readonly #bucket: Bucket;
  readonly #client: AwsClient;
  readonly #send = createFetch({ timeoutMs: TIMEOUT_MS, maximumBytes: LARGEST_ANSWER });
  /** Path prefix of all keys. */
  readonly #path: string;
  /** Why the last request failed; null if it did not, undefined before the first one. */
  #problem: string | null | undefined;
  /** Methods by which files are changed that failed the last time, and how: the store may still list and read files. */
  readonly #failedWrites = new Map<string, string>();
  /** The key of a file with which a refused write is tried again. */
  readonly #testKey = createId();
  #look: Promise<void> | undefined;

  constructor(bucket: Bucket) {
    const { accessKeyId, secretAccessKey, sessionToken, region, prefix } = bucket;
    this.#bucket = bucket;
    this.#path = prefix === "" ? "" : `${prefix}/`;
    this.#client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      region,
      service: "s3",
    });
  }

  put(key: string, bytes: Uint8Array): Promise<void> {
    return this.#put(key, Uint8Array.from(bytes));
  }

  async keep(key: string, path: string): Promise<void> {
    await this.#put(key, await openAsBlob(path));
  }

  pathOf(): Promise<null> {
    return Promise.resolve(null);
  }

  async read(key: string, start: number, length: number): Promise<Uint8Array | null> {
    if (!isId(key)) return null;
    // An answer without a body, as to HEAD, would not say whether it is the file or the bucket that does not exist.
    if (length <= 0) return (await this.read(key, start, 1)) && new Uint8Array();
    const headers = { range: `bytes=${start}-${start + length - 1}` };
    const answer = await this.#call(NOT_READ, this.#addressOf(key), { headers }, [404, 416]);
    if (answer.status === 404) return null;
    // The range begins beyond the end.
    if (answer.status === 416) return new Uint8Array();
    this.#checkStore(answer, NOT_READ);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    // A store without range support returns everything.
    return answer.status === 206 ? bytes : bytes.slice(start, start + length);
  }

  async remove(key: string): Promise<void> {
    if (isId(key)) await this.#remove(key);
  }

  async list(): Promise<ListedBlob[]> {
    const found: ListedBlob[] = [];
    for (let after = ""; ;) {
      const { listing, now } = await this.#listPage(after);
      for (const object of listing.objects) found.push(...this.#blobOf(object, now));
      if (!listing.isTruncated) return found;
      const last = listing.objects.at(-1)?.key ?? "";
      if (last <= after) throw unavailable(this.#bucket, NOT_LISTED, "does not lead to a next page");
      after = last;
    }
  }

  /** What is known; only the first call waits until the store has been asked. */
  async problem(): Promise<string | null> {
    const isFirst = this.#problem === undefined;
    if (this.#known() !== null) this.#look ??= this.#lookNow().finally(() => (this.#look = undefined));
    if (isFirst) await this.#look;
    return this.#known() ?? null;
  }

  #known(): string | null | undefined {
    return this.#failedWrites.values().next().value ?? this.#problem;
  }

  async #lookNow(): Promise<void> {
    await this.#listPage("", 1, AbortSignal.timeout(LOOKS_FOR_MS)).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      // A key that may not list the bucket may still read and write in it.
      this.#problem = reason.includes("(AccessDenied)") ? null : reason;
    });
    // Only another write shows that one is allowed now. A failure is noted where it occurs.
    if (this.#problem === null && this.#failedWrites.size > 0)
      await this.#writeTestFile(AbortSignal.timeout(LOOKS_FOR_MS)).catch(() => undefined);
  }

  async #writeTestFile(signal: AbortSignal): Promise<void> {
    if (this.#failedWrites.has("PUT")) await this.#put(this.#testKey, new Uint8Array(), signal);
    await this.#remove(this.#testKey, signal);
  }

  /** `now` is the store's time; NaN where it does not say. */
  async #listPage(
    after: string,
    most = LONGEST_PAGE,
    signal?: AbortSignal,
  ): Promise<{ readonly listing: Listing; readonly now: number }> {
    const page = new URL(this.#bucket.url);
    page.searchParams.set("list-type", "2");
    page.searchParams.set("prefix", this.#path);
    if (most < LONGEST_PAGE) page.searchParams.set("max-keys", String(most));
    if (after !== "") page.searchParams.set("start-after", after);
    const answer = await this.#call(NOT_LISTED, page.href, signal ? { signal } : {}, []);
    const now = Date.parse(answer.headers.get("date") ?? "");
    const listing = await readListing(await answer.text());
    if (listing === null) throw unavailable(this.#bucket, NOT_LISTED, "did not answer with a complete list");
    return { listing, now };
  }

  /** Empty for an object that is not ours. */
  #blobOf({ key: name, lastModified }: Listing["objects"][number], now: number): ListedBlob[] {
    const key = name.slice(this.#path.length);
    const ageMs = now - Date.parse(lastModified);
    // Without both times, it may still be being written.
    return isId(key) ? [{ key, ageMs: Number.isNaN(ageMs) ? 0 : ageMs }] : [];
  }

  async #put(key: string, body: Uint8Array<ArrayBuffer> | Blob, signal?: AbortSignal): Promise<void> {
    if (!isId(key)) throw new Error("The key of a blob must be an id");
    const init = { method: "PUT", body, ...(signal && { signal }) };
    const answer = await this.#call(NOT_STORED, this.#addressOf(key), init, []);
    this.#checkStore(answer, NOT_STORED);
    this.#failedWrites.delete("PUT");
  }

  async #remove(key: string, signal?: AbortSignal): Promise<void> {
    const init = { method: "DELETE", ...(signal && { signal }) };
    await this.#call("The file was not removed", this.#addressOf(key), init, [404]);
    this.#failedWrites.delete("DELETE");
  }

  /** Every store with this protocol names the version of an object: a page of a proxy does not. */
  #checkStore({ headers }: Response, what: string): void {
    if (headers.has("etag")) return;
    const error = unavailable(this.#bucket, what, "answers as no store does (without an ETag)");
    this.#problem = error.message;
    if (what === NOT_STORED) this.#failedWrites.set("PUT", error.message);
    throw error;
  }

  #addressOf(key: string): string {
    return `${this.#bucket.url}/${this.#path}${key}`;
  }

  /** @throws AppError `unavailable` when the store does not answer, or refuses with a status not in `expected` */
  async #call(what: string, target: string, init: RequestInit, expected: readonly number[]): Promise<Response> {
    try {
      const answer = await retry(() => this.#callOnce(what, target, init), {
        ...RETRY,
        judge: () => init.signal?.aborted !== true,
      });
      const isRefused = !answer.ok && (!expected.includes(answer.status) || (await isWithoutBucket(answer)));
      if (isRefused) throw unavailable(this.#bucket, what, await reasonOf(answer));
      this.#problem = null;
      return answer;
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error);
      if (init.method !== undefined) this.#failedWrites.set(init.method, this.#problem);
      throw error;
    }
  }

  async #callOnce(what: string, target: string, init: RequestInit): Promise<Response> {
    const signed = await this.#client.sign(target, init);
    const response = await this.#send(signed, { signal: init.signal ?? null }).catch((error: unknown) => {
      throw unavailable(this.#bucket, what, "does not answer", { cause: error });
    });
    if (response.status === 429 || response.status >= 500)
      throw unavailable(this.#bucket, what, await reasonOf(response), { advice: OF_THE_STORE });
    return response;
  }
}

/** The text of the first element of this name; enough for the plain XML of S3. */
function elementOf(xml: string, name: string): string | null {
  const start = xml.indexOf(`<${name}>`);
  const end = start === -1 ? -1 : xml.indexOf(`</${name}>`, start);
  if (end === -1) return null;
  return xml
    .slice(start + name.length + 2, end)
    .replace(/&(lt|gt|quot|apos|amp);/g, (_whole, entity: string) => ENTITIES[entity] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** Not to be taken for an object that does not exist: files would count as lost, and removed ones would stay. */
async function isWithoutBucket(answer: Response): Promise<boolean> {
  return answer.status === 404 && elementOf(await answer.clone().text(), "Code") === "NoSuchBucket";
}

async function reasonOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => "");
  const code = elementOf(text, "Code") ?? "";
  return `answers ${response.status}${code === "" ? "" : ` (${code.slice(0, LONGEST_REASON)})`}`;
}

const OF_THE_SETTINGS = "Check RECOLLECT_BLOBS, AWS_REGION, AWS_ENDPOINT_URL_S3, and the access key and its rights.";
const OF_THE_STORE = "Check whether the store is full, overloaded or down.";

function unavailable(
  { bucket }: Bucket,
  what: string,
  reason: string,
  { advice = OF_THE_SETTINGS, cause }: { advice?: string; cause?: unknown } = {},
): AppError {
  return new AppError("unavailable", `${what}: the bucket ${bucket} ${reason}. ${advice}`, { cause });
}
