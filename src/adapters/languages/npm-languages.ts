import { createHash, randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { parseTar } from "nanotar";
import { z } from "zod";
import { AppError } from "../../core/errors.js";
import type { FileFetcher, LanguageSource, Log } from "../../core/ports.js";
import { canAccess } from "../../lib/can-access.js";
import { isDiskFull } from "../../lib/error-code.js";
import { retry } from "../../lib/retry.js";

/** The packages of `tesseract.js`: the data of each language, as small, fast networks and as large ones. */
const SCOPE = "@tesseract.js-data";
const VERSION = "1.0.0";
/** The small ones, with integers: the English data that comes with the service is of the same kind. */
const DATA_FOLDER = "package/4.0.0_best_int";
/** Bytes; the data of the largest language unpacks to 16 MB, its package to 60 MB. */
export const LARGEST_PACKAGE = 256 * 1024 * 1024;
const LARGEST_DATA = 128 * 1024 * 1024;
const LANGUAGE = /^[A-Za-z][A-Za-z_]{1,30}$/;
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
/** Milliseconds in which a failure is not retried: otherwise every picture in a folder would retry it. */
const FAILURES_COUNT_FOR_MS = 60_000;

export interface NpmLanguagesOptions {
  readonly folder: string;
  /** Base URL of a registry with npm's protocol, without a trailing slash. */
  readonly registry: string;
  readonly isOffline: boolean;
  readonly fetcher: FileFetcher;
  readonly log: Log;
  /** Before the second attempt, in milliseconds. Tests pass a shorter one. */
  readonly firstPauseMs?: number;
}

/** Languages from the packages of an npm registry, checked against the registry's hashes. */
export function createNpmLanguages(options: NpmLanguagesOptions): LanguageSource {
  const { folder, registry, isOffline, log, firstPauseMs = FIRST_PAUSE_MS } = options;
  const fileOf = (language: string): string => join(folder, `${language}.traineddata`);
  const underWay = new Map<string, Promise<void>>();
  const failed = new Map<string, { readonly error: AppError; readonly at: number }>();

  async function bring(language: string, signal: AbortSignal): Promise<void> {
    const judge = (error: unknown) => error instanceof AppError && error.kind === "unavailable";
    const pauses = { attempts: ATTEMPTS, baseMs: firstPauseMs, maximumMs: LONGEST_PAUSE_MS };
    log.info("downloading a language for reading pictures, once", { language });
    const data = await retry(() => fetchData(language, options, signal), { ...pauses, signal, judge });
    await keep(fileOf(language), data);
    log.info("the language for reading pictures was downloaded", { language, bytes: data.length });
  }

  async function bringOnce(language: string, signal: AbortSignal): Promise<void> {
    if (await canAccess(fileOf(language))) return;
    const known = failed.get(language);
    if (known && performance.now() - known.at < FAILURES_COUNT_FOR_MS) throw known.error;
    try {
      await bring(language, signal);
    } catch (error) {
      signal.throwIfAborted();
      const told = describe(error, language, registry);
      failed.set(language, { error: told, at: performance.now() });
      log.warn("a language for reading pictures could not be downloaded", { language, reason: told.message });
      throw told;
    }
  }

  return {
    folder,
    place: registry,
    obstacle: isOffline ? "nothing is fetched while RECOLLECT_OFFLINE is set." : null,
    async fetch(languages, signal) {
      for (const language of languages) {
        // A caller who waits for another's fetch is not aborted with it.
        for (let other = underWay.get(language); other !== undefined; other = underWay.get(language))
          await other.catch(() => undefined);
        const fetching = bringOnce(language, signal).finally(() => underWay.delete(language));
        underWay.set(language, fetching);
        await fetching;
      }
    },
  };
}

const described = z.object({ dist: z.object({ integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]{86}==$/) }) });

async function fetchData(language: string, options: NpmLanguagesOptions, signal: AbortSignal): Promise<Uint8Array> {
  const { registry, fetcher } = options;
  if (!LANGUAGE.test(language)) throw new AppError("unsupported", "it is not the name of a language.");
  const name = `${SCOPE}/${language}`;
  const about = await fetcher.fetch(`${registry}/${name.replace("/", "%2f")}/${VERSION}`, signal);
  const { dist } = parseDescription(about.bytes);
  const { bytes } = await fetcher.fetch(`${registry}/${name}/-/${language}-${VERSION}.tgz`, signal);
  if (`sha512-${createHash("sha512").update(bytes).digest("base64")}` !== dist.integrity)
    throw new AppError("unavailable", "The download does not match the checksum that the registry announced.");
  return dataIn(bytes, language);
}

function parseDescription(bytes: Uint8Array): z.output<typeof described> {
  try {
    return described.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  } catch {
    throw new AppError("unsupported", "The answer is not from an npm registry.");
  }
}

/** @throws AppError `unsupported` for a package without the language's data */
async function dataIn(archive: Uint8Array, language: string): Promise<Uint8Array> {
  const path = `${DATA_FOLDER}/${language}.traineddata.gz`;
  try {
    const files = parseTar(await unpacked(archive, LARGEST_PACKAGE), { filter: ({ name }) => name === path });
    const data = files.find(({ name }) => name === path)?.data;
    if (data) return await unpacked(data, LARGEST_DATA);
  } catch (error) {
    throw new AppError("unsupported", "The package cannot be unpacked.", { cause: error });
  }
  throw new AppError("unsupported", "The package has no data for the language.");
}

function unpacked(bytes: Uint8Array, maxOutputLength: number): Promise<Buffer> {
  return promisify(gunzip)(bytes, { maxOutputLength });
}

/** Writes the whole file or nothing, even if the process is killed meanwhile. */
async function keep(path: string, data: Uint8Array): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(part, data, { flush: true });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

function describe(error: unknown, language: string, registry: string): AppError {
  if (isDiskFull(error)) return new AppError("storage_full", `there is no space for the data for \`${language}\`.`);
  if (!(error instanceof AppError))
    return new AppError("unavailable", `the data for \`${language}\` could not be written.`, { cause: error });
  if (error.kind === "not_found")
    return new AppError("unsupported", `${registry} has no data for \`${language}\` (${SCOPE}/${language}).`);
  const kind = error.kind === "unavailable" ? "unavailable" : "unsupported";
  return new AppError(kind, `fetching it from ${registry} failed: ${error.message}`, { cause: error });
}
