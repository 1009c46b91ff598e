import { mkdir, readdir, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../core/errors.js";
import type { Log, Waiting } from "../../../core/ports.js";
import { isDiskFull } from "../../../lib/error-code.js";
import { LARGEST_TOKENIZER, LAYOUTS } from "../static/model.js";
import { downloadFile, hasChecksum, noRoom, type Pauses, type RemoteFile } from "./download-file.js";
import type { Hub } from "./hub-request.js";
import { describeRemoteFile, type DescribedFile, type ModelRepository } from "./remote-file.js";

export type { Hub } from "./hub-request.js";

export interface FetchModelOptions {
  /** `owner/name`, or `owner/name@revision`. */
  readonly model: string;
  readonly modelsDirectory: string;
  /** Never download. */
  readonly offline: boolean;
  readonly hub: Hub;
  readonly log: Log;
  /** Tests pass shorter ones. */
  readonly pauses?: Pauses;
}

const MODEL_NAME = /^([A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95})(?:@([A-Za-z0-9][\w./-]{0,99}))?$/;
const DEFAULT_REVISION = "main";
/** Written last; tells people where the files are from. */
const SOURCE_FILE = "source.json";
const CONFIG = { path: "config.json", limit: 1024 * 1024 };
const LARGEST_TENSORS = 4 * 1024 ** 3;
const PROGRESS_LOGGED_MS = 10_000;
/** What must stay free on the disk. */
const RESERVE = 64 * 1024 * 1024;

/** Downloads in progress in this process, by folder. Among processes, only the data folder's owner downloads. */
const underWay = new Map<string, Promise<unknown>>();

/**
 * The folder of a model from the hub: an existing one, or one that is downloaded now. An interrupted download is resumed, every
 * file is compared with the hub's checksum, and all are from one commit.
 * @throws AppError `unavailable` or `storage_full` when trying again later may help, otherwise `invalid`
 */
export async function fetchModel(options: FetchModelOptions, waiting: Waiting = {}): Promise<string> {
  const repository = readName(options.model);
  const folder = join(options.modelsDirectory, folderNameOf(repository));
  for (let other = underWay.get(folder); other !== undefined; other = underWay.get(folder))
    await other.catch(() => undefined);
  waiting.signal?.throwIfAborted();
  // Nothing is awaited since the last look at the other downloads, so that there is never a second one.
  const work = provide(repository, folder, { ...options, ...waiting });
  underWay.set(folder, work);
  try {
    await work;
  } catch (error) {
    waiting.signal?.throwIfAborted();
    throw describeTrouble(error, options);
  } finally {
    underWay.delete(folder);
  }
  return folder;
}

type Work = FetchModelOptions & Waiting;

async function provide(repository: ModelRepository, folder: string, options: Work): Promise<void> {
  if (await isThere(folder)) return;
  if (options.offline)
    throw new AppError(
      "invalid",
      `The embedding model ${options.model} has not been downloaded, and nothing is fetched while RECOLLECT_OFFLINE is set. Start once without it, or name a model folder in RECOLLECT_EMBEDDING_MODEL.`,
    );
  await download(repository, folder, options);
}

async function download(repository: ModelRepository, folder: string, options: Work): Promise<void> {
  const { model, modelsDirectory, hub, log, signal } = options;
  const started = Date.now();
  const descriptions = await describeModel(repository, options);
  const files = descriptions.map(({ file }) => file);
  const total = files.reduce((sum, { size }) => sum + (size ?? 0), 0);
  log.info("downloading the embedding model, once", { model, megabytes: Math.ceil(total / 1e6), from: hub.baseUrl });
  const workshop = `${folder}.part`;
  await mkdir(workshop, { recursive: true });
  await checkRoom(modelsDirectory, model, total);
  const report = createReport(total, options);
  for (const file of files) {
    const path = join(workshop, file.name);
    if (await hasChecksum(path, file.checksum, signal)) report(file, file.size ?? 0);
    else
      await downloadFile(file, path, {
        hub,
        model,
        log,
        signal,
        pauses: options.pauses,
        onBytes: (bytes) => report(file, bytes),
      });
  }
  await removeLeftovers(workshop);
  const commit = descriptions[0]?.commit;
  const source = { hub: hub.baseUrl, model: repository.name, revision: repository.revision, commit, files };
  await writeFile(join(workshop, SOURCE_FILE), `${JSON.stringify(source, null, 2)}\n`);
  await rm(folder, { recursive: true, force: true });
  await rename(workshop, folder);
  log.info("the embedding model was downloaded", {
    model,
    commit,
    seconds: Math.round((Date.now() - started) / 1_000),
  });
}

/** The files of the first layout that the repository has, all from the commit of the first one. */
async function describeModel(repository: ModelRepository, options: Work): Promise<readonly DescribedFile[]> {
  for (const { tokenizer, tensors } of LAYOUTS) {
    const first = await describeRemoteFile(repository, { path: tokenizer, limit: LARGEST_TOKENIZER }, options);
    if (first === undefined) continue;
    const pinned = { ...repository, revision: first.commit ?? repository.revision };
    const table = await describeRemoteFile(pinned, { path: tensors, limit: LARGEST_TENSORS }, options);
    if (table === undefined) continue;
    const config = await describeRemoteFile(pinned, CONFIG, options);
    return config === undefined ? [first, table] : [first, config, table];
  }
  throw new AppError(
    "invalid",
    `${repository.name} at ${options.hub.baseUrl} has no tokenizer.json with a model.safetensors, so it is not a static model. Name one such as minishlab/potion-retrieval-32M in RECOLLECT_EMBEDDING_MODEL.`,
  );
}

function createReport(total: number, { model, log, onProgress }: Work): (file: RemoteFile, bytes: number) => void {
  const arrived = new Map<string, number>();
  let logged = Date.now();
  return (file, bytes) => {
    arrived.set(file.name, bytes);
    const sum = [...arrived.values()].reduce((one, other) => one + other, 0);
    onProgress?.({ bytes: sum, total: Math.max(total, sum) });
    if (Date.now() - logged < PROGRESS_LOGGED_MS) return;
    logged = Date.now();
    log.info("the embedding model is being downloaded", {
      model,
      megabytes: Math.round(sum / 1e6),
      of: Math.ceil(total / 1e6),
    });
  };
}

/** Removes partial downloads of files that have changed since. */
async function removeLeftovers(workshop: string): Promise<void> {
  for (const entry of await readdir(workshop, { recursive: true }))
    if (entry.endsWith(".part")) await rm(join(workshop, entry), { force: true });
}

/** Checked before the first byte, because a disk that fills up affects others too. */
async function checkRoom(folder: string, model: string, total: number): Promise<void> {
  const free = await statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Number.POSITIVE_INFINITY,
  );
  if (free < total + RESERVE) throw noRoom(model, total);
}

function readName(model: string): ModelRepository {
  const [, name = "", revision = DEFAULT_REVISION] = MODEL_NAME.exec(model) ?? [];
  if (name === "" || /--|\.\./.test(model))
    throw new AppError(
      "invalid",
      `${JSON.stringify(model.slice(0, 100))} is neither the path of a folder nor a model of the hub such as minishlab/potion-retrieval-32M. Correct RECOLLECT_EMBEDDING_MODEL.`,
    );
  return { name, revision };
}

function folderNameOf({ name, revision }: ModelRepository): string {
  return `${name}@${revision}`.replaceAll("/", "--");
}

async function isThere(folder: string): Promise<boolean> {
  return stat(join(folder, SOURCE_FILE)).then(
    (found) => found.isFile(),
    () => false,
  );
}

function describeTrouble(error: unknown, { model, modelsDirectory }: FetchModelOptions): unknown {
  if (error instanceof AppError || !(error instanceof Error) || !("syscall" in error)) return error;
  if (isDiskFull(error)) return noRoom(model, undefined, error);
  const code = "code" in error ? String(error.code) : "";
  return new AppError(
    "unavailable",
    `The embedding model ${model} cannot be written to the folder ${modelsDirectory} (${code}). Check the folder's permissions.`,
    { paths: [modelsDirectory], cause: error },
  );
}
