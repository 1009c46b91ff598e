import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError } from "../../../core/errors.js";
import type { Log } from "../../../core/ports.js";
import { isDiskFull } from "../../../lib/error-code.js";
import { isMissingFile } from "../../../lib/file-identity.js";
import { backoff } from "../../../lib/retry.js";
import { sleep } from "../../../lib/time.js";
import { askHub, describeRefusal, type Hub, type HubAnswer } from "./hub-request.js";

/** A file on a hub, pinned to one commit. */
export interface RemoteFile {
  /** Path inside the repository. */
  readonly name: string;
  readonly url: string;
  /** Undefined when the hub did not say. */
  readonly size: number | undefined;
  readonly checksum: Checksum;
  /** Most bytes accepted. */
  readonly limit: number;
}

/** The hub's checksum of a file: `sha256` for large ones, the SHA-1 of git's blob for small ones. */
export interface Checksum {
  readonly kind: "sha256" | "git";
  readonly value: string;
}

export interface DownloadOptions {
  readonly hub: Hub;
  /** Name of the model, for people. */
  readonly model: string;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** How many bytes of this file have arrived. */
  readonly onBytes: (bytes: number) => void;
  readonly pauses?: Pauses | undefined;
}

/** In milliseconds; tests pass shorter ones. */
export interface Pauses {
  /** Before the second attempt. */
  readonly first: number;
  /** Between two pieces of a file. */
  readonly silence: number;
}

export const PAUSES: Pauses = { first: 1_000, silence: 60_000 };
const LONGEST_PAUSE_MS = 30_000;
/** Failures in a row without a single new byte. */
const ATTEMPTS = 5;
/** Complete files whose content was not as announced. */
const WRONG_FILES = 2;

/**
 * Downloads a file, resuming where an earlier attempt ended. Afterwards it is complete with the right content, or absent.
 * @throws AppError `unavailable` when the hub keeps failing, `storage_full` when there is no room, `invalid` when it refuses or
 *   serves something other than announced; the reason of the signal
 */
export async function downloadFile(remote: RemoteFile, path: string, options: DownloadOptions): Promise<void> {
  // The name includes the content's hash, so the remains of another version are never resumed.
  const part = `${path}.${remote.checksum.value.slice(0, 16)}.part`;
  await mkdir(dirname(path), { recursive: true });
  let failures = 0;
  for (let wrong = 0; ;) {
    const before = await sizeOf(part);
    try {
      await fetchRest(remote, part, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
      failures = (await sizeOf(part)) > before ? 1 : failures + 1;
      const pause = Math.max(
        backoff(failures, { baseMs: options.pauses?.first ?? PAUSES.first, maximumMs: LONGEST_PAUSE_MS }),
        (error.retryAfter ?? 0) * 1_000,
      );
      options.log.warn("the download of the embedding model was interrupted", {
        model: options.model,
        file: remote.name,
        reason: error.message,
      });
      if (failures >= ATTEMPTS || pause > LONGEST_PAUSE_MS) throw error;
      await sleep(pause, options.signal ? { signal: options.signal } : {});
      continue;
    }
    if (await hasChecksum(part, remote.checksum, options.signal)) break;
    await rm(part, { force: true });
    wrong += 1;
    if (wrong >= WRONG_FILES)
      throw new AppError(
        "invalid",
        `${remote.name} of ${options.model} did not match the checksum that ${options.hub.baseUrl} announced, ${wrong} times. It is not used. Check HF_ENDPOINT and any proxy in between.`,
      );
  }
  await rename(part, path);
}

/** Whether a file has exactly this content; false when it does not exist. */
export async function hasChecksum(path: string, { kind, value }: Checksum, signal?: AbortSignal): Promise<boolean> {
  const size = await sizeOf(path);
  const hash = createHash(kind === "sha256" ? "sha256" : "sha1");
  if (kind === "git") hash.update(`blob ${size}\0`);
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024, ...(signal ? { signal } : {}) })) {
      if (piece instanceof Uint8Array) hash.update(piece);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (isMissingFile(error)) return false;
    throw error;
  }
  return hash.digest("hex") === value;
}

/** Fetches from the end of what has arrived to the end of the file. */
async function fetchRest(remote: RemoteFile, part: string, options: DownloadOptions): Promise<void> {
  const { hub, signal } = options;
  let start = await sizeOf(part);
  if (remote.size !== undefined && start > remote.size) {
    await rm(part, { force: true });
    start = 0;
  }
  options.onBytes(start);
  if (start > 0 && start === remote.size) return;
  const silence = new AbortController();
  const stop = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  const headers = start > 0 ? { range: `bytes=${start}-` } : {};
  const answer = await askHub(hub, { method: "GET", url: remote.url, headers, signal: stop });
  if (answer.status !== 200 && answer.status !== 206) {
    await answer.body?.cancel();
    // The part is longer than the file, or belongs to another one, so start over.
    if (answer.status === 416) await rm(part, { force: true });
    throw answer.status === 416 ? interrupted(remote, options) : describeRefusal(hub, answer, options.model);
  }
  const from = answer.status === 206 ? startOfRange(answer) : 0;
  if (from === undefined || from > start) {
    await answer.body?.cancel();
    await rm(part, { force: true });
    throw interrupted(remote, options);
  }
  await writeBody(answer, { part, from, silence }, remote, options);
}

interface Place {
  readonly part: string;
  /** Where in the file the body begins. */
  readonly from: number;
  /** Ends the exchange when nothing arrives for too long. */
  readonly silence: AbortController;
}

async function writeBody(answer: HubAnswer, place: Place, remote: RemoteFile, options: DownloadOptions): Promise<void> {
  const limit = remote.size ?? remote.limit;
  const patience = options.pauses?.silence ?? PAUSES.silence;
  const timer = setTimeout(
    () => place.silence.abort(new DOMException("No data arrived for too long.", "TimeoutError")),
    patience,
  );
  const handle = await openPart(place.part);
  let end = place.from;
  try {
    if ((await handle.stat()).size > end) await handle.truncate(end);
    for await (const piece of answer.body ?? []) {
      timer.refresh();
      if (end + piece.length > limit) throw tooLarge(remote, limit, options);
      await writeAll(handle, piece, end);
      end += piece.length;
      options.onBytes(end);
    }
    await handle.sync();
  } catch (error) {
    options.signal?.throwIfAborted();
    throw describeLoss(error, remote, options);
  } finally {
    clearTimeout(timer);
    await handle.close();
  }
  if (remote.size !== undefined && end < remote.size) throw interrupted(remote, options);
}

/** A nearly full disk accepts part of the bytes and refuses the rest. */
async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;)
    written += (await handle.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
}

async function openPart(part: string): Promise<FileHandle> {
  try {
    return await open(part, "r+");
  } catch {
    return open(part, "w+");
  }
}

function describeLoss(error: unknown, remote: RemoteFile, options: DownloadOptions): unknown {
  if (error instanceof AppError) return error;
  if (isDiskFull(error)) return noRoom(options.model, remote.size, error);
  // File system errors are reported as they are; anything else is the connection.
  if (error instanceof Error && "syscall" in error && "path" in error) return error;
  return interrupted(remote, options, error);
}

/** The error for a full disk. @param bytes how many are needed, if known */
export function noRoom(model: string, bytes: number | undefined, cause?: unknown): AppError {
  const needed = bytes === undefined ? "" : ` (${Math.ceil(bytes / 1_000_000)} MB)`;
  return new AppError(
    "storage_full",
    `There is no space for the embedding model ${model}${needed}. Free some space in the data folder.`,
    {
      cause,
    },
  );
}

function interrupted(remote: RemoteFile, { hub, model }: DownloadOptions, cause?: unknown): AppError {
  return new AppError("unavailable", `The download of ${remote.name} of ${model} from ${hub.baseUrl} was cut off.`, {
    cause,
  });
}

function tooLarge(remote: RemoteFile, limit: number, { hub, model }: DownloadOptions): AppError {
  return new AppError(
    "invalid",
    `${hub.baseUrl} sends more than the ${limit} bytes that ${remote.name} of ${model} has.`,
  );
}

/** First byte of a partial response; undefined when it does not say. */
function startOfRange({ headers }: HubAnswer): number | undefined {
  const range = /^bytes (\d{1,15})-/.exec(headers.get("content-range") ?? "");
  return range ? Number(range[1]) : undefined;
}

/** 0 for a missing file. */
async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
