import { AppError } from "../../../core/errors.js";
import type { Log } from "../../../core/ports.js";
import { retry } from "../../../lib/retry.js";
import { PAUSES, type Checksum, type Pauses, type RemoteFile } from "./download-file.js";
import { askHub, describeRefusal, type Hub, type HubAnswer } from "./hub-request.js";

/** One version of a model on a hub. */
export interface ModelRepository {
  /** `owner/name`. */
  readonly name: string;
  /** A branch, a tag or a commit. */
  readonly revision: string;
}

export interface DescribeOptions {
  readonly hub: Hub;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  readonly pauses?: Pauses | undefined;
}

const ATTEMPTS = 5;
const LONGEST_PAUSE_MS = 30_000;
const COMMIT = /^[0-9a-f]{40}$/;

/** What the hub says about a file, and its commit; undefined where the hub has no commits. */
export interface DescribedFile {
  readonly file: RemoteFile;
  readonly commit: string | undefined;
}

/**
 * Requests size, checksum and commit of a file.
 * @returns undefined when the repository exists but has no such file
 * @throws AppError as `describeRefusal`, and `invalid` when the hub gives no checksum or a size beyond the limit
 */
export async function describeRemoteFile(
  repository: ModelRepository,
  wanted: { readonly path: string; readonly limit: number },
  options: DescribeOptions,
): Promise<DescribedFile | undefined> {
  const { hub } = options;
  const url = urlOf(hub, repository, wanted.path);
  const answer = await askPatiently(url, repository, options);
  if (answer === undefined) return undefined;
  const checksum = checksumOf(answer);
  if (checksum === undefined)
    throw new AppError(
      "invalid",
      `The model hub ${hub.baseUrl} names no checksum for ${wanted.path} of ${repository.name}, so it cannot be trusted. Check HF_ENDPOINT.`,
    );
  const size = sizeOf(answer);
  if (size !== undefined && size > wanted.limit)
    throw new AppError(
      "invalid",
      `${wanted.path} of ${repository.name} has ${size} bytes, more than the ${wanted.limit} that are accepted.`,
    );
  const commit = answer.headers.get("x-repo-commit") ?? "";
  const isPinned = COMMIT.test(commit);
  const pinned = isPinned ? urlOf(hub, { ...repository, revision: commit }, wanted.path) : url;
  return {
    file: { name: wanted.path, url: pinned, size, checksum, limit: wanted.limit },
    commit: isPinned ? commit : undefined,
  };
}

async function askPatiently(
  url: string,
  { name }: ModelRepository,
  options: DescribeOptions,
): Promise<HubAnswer | undefined> {
  const { hub, log, signal } = options;
  const isEnough = (headers: Headers): boolean => headers.has("x-linked-etag");
  return retry(
    async () => {
      const answer = await askHub(hub, { method: "HEAD", url, signal, isEnough });
      await answer.body?.cancel();
      if (answer.status < 400) return answer;
      if (answer.status === 404 && answer.headers.get("x-error-code") === "EntryNotFound") return undefined;
      throw describeRefusal(hub, answer, name);
    },
    {
      attempts: ATTEMPTS,
      baseMs: options.pauses?.first ?? PAUSES.first,
      maximumMs: LONGEST_PAUSE_MS,
      signal,
      judge: (error) => {
        if (!(error instanceof AppError) || error.kind !== "unavailable") return false;
        log.warn("the download of the embedding model was interrupted", { model: name, reason: error.message });
        const pauseMs = (error.retryAfter ?? 0) * 1_000;
        return pauseMs <= LONGEST_PAUSE_MS && pauseMs;
      },
    },
  );
}

function urlOf({ baseUrl }: Hub, { name, revision }: ModelRepository, path: string): string {
  return `${baseUrl}/${name}/resolve/${encodeURIComponent(revision)}/${path}`;
}

/** The redirect for a large file carries its SHA-256, the ETag of a small one its git hash. */
function checksumOf({ headers }: HubAnswer): Checksum | undefined {
  const tag = headers.get("x-linked-etag") ?? headers.get("etag") ?? "";
  const value = tag.replace(/^W\//, "").replaceAll('"', "").toLowerCase();
  if (/^[0-9a-f]{64}$/.test(value)) return { kind: "sha256", value };
  return /^[0-9a-f]{40}$/.test(value) ? { kind: "git", value } : undefined;
}

function sizeOf({ status, headers }: HubAnswer): number | undefined {
  const text = headers.get("x-linked-size") ?? (status === 200 ? headers.get("content-length") : null);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
