import { constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { ReadingProgram } from "../core/documents/content-ports.js";
import type { LanguageSource } from "../core/ports.js";
import { languagesWithoutData } from "./language-files.js";
import {
  BUILTIN_LANGUAGE,
  languagesOf,
  missingForLanguages,
  missingLanguages,
  unfetchedLanguages,
} from "./languages.js";
import { runExtractorProgram } from "./run-program.js";
import { canAccess } from "../lib/can-access.js";

const ON_WINDOWS = [".exe", ".cmd", ""];
const LONGEST_LIST_MS = 10_000;
const LONGEST_LIST_BYTES = 100_000;

type About = Pick<ReadingProgram, "purpose" | "withoutIt" | "howToInstall">;

const PROGRAMS = {
  tesseract: {
    purpose: "text in pictures and scanned pages",
    withoutIt: "only English is read",
    howToInstall:
      "Debian and Ubuntu: `apt install tesseract-ocr`, macOS: `brew install tesseract`, Windows: `winget install UB-Mannheim.TesseractOCR`.",
  },
  ffmpeg: {
    purpose: "the audio of recordings and videos",
    withoutIt: "it cannot be read",
    howToInstall:
      "Debian and Ubuntu: `apt install ffmpeg`, macOS: `brew install ffmpeg`, Windows: `winget install Gyan.FFmpeg`.",
  },
} as const satisfies Readonly<Record<string, About>>;

/** How to install a program on Debian and Ubuntu, macOS and Windows. */
export function howToInstall(name: keyof typeof PROGRAMS): string {
  return PROGRAMS[name].howToInstall;
}

/**
 * Finds the programs needed for reading files in these folders.
 * @param languages of text in pictures, as tesseract names them: `eng+deu`
 * @param source of data that tesseract lacks
 */
export async function findPrograms(
  folders: readonly string[],
  languages: string,
  source: LanguageSource | null = null,
): Promise<readonly ReadingProgram[]> {
  const found = async ([name, about]: readonly [string, About]) => {
    const path = await findIn(folders, name);
    const isThere = path !== null;
    if (name !== "tesseract" || languages === BUILTIN_LANGUAGE) return { ...about, name, isThere, lacks: null };
    const missing = await languagesMissing(path, folders, languages);
    const unfetched = source === null ? missing : await languagesWithoutData(missing, source.folder);
    const lacks = lackOf(unfetched, { languages, isThere, source });
    const withoutIt =
      lacks === null ? readByBuiltin(languages, unfetched, source) : `it cannot be read in \`${languages}\``;
    return { ...about, name, isThere, withoutIt, lacks };
  };
  return Promise.all(Object.entries(PROGRAMS).map(found));
}

/** Explains what cannot be read as configured; null if everything can, or missing data can be downloaded. */
function lackOf(
  unfetched: readonly string[],
  how: { readonly languages: string; readonly isThere: boolean; readonly source: LanguageSource | null },
): string | null {
  const { languages, isThere, source } = how;
  if (unfetched.length === 0 || source?.obstacle === null) return null;
  const why = source === null ? "" : `${unfetchedLanguages(unfetched, source)} `;
  const advice = isThere
    ? missingLanguages(unfetched)
    : missingForLanguages(languages, howToInstall("tesseract").replace(/\.$/, ""));
  return why + advice;
}

function readByBuiltin(languages: string, unfetched: readonly string[], source: LanguageSource | null): string {
  const fetched = `, whose data for \`${unfetched.join("+")}\` is fetched from ${source?.place} when first needed`;
  return `the built-in recognition reads \`${languages}\`${unfetched.length === 0 ? "" : fetched}`;
}

async function findIn(folders: readonly string[], name: string): Promise<string | null> {
  const endings = process.platform === "win32" ? ON_WINDOWS : [""];
  const paths = folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending)));
  const isThere = await Promise.all(paths.map((path) => canAccess(path, constants.X_OK)));
  return paths.find((_, index) => isThere[index]) ?? null;
}

/** The languages that tesseract lacks; empty if it does not list its languages. */
async function languagesMissing(
  path: string | null,
  folders: readonly string[],
  languages: string,
): Promise<readonly string[]> {
  const asked = languagesOf(languages);
  if (path === null) return asked.filter((language) => language !== BUILTIN_LANGUAGE);
  const listed = await runExtractorProgram({
    command: [path, "--list-langs"],
    // As in the extraction process.
    environment: { PATH: folders.join(delimiter) },
    maximumBytes: LONGEST_LIST_BYTES,
    timeLimitMs: LONGEST_LIST_MS,
    missing: "",
  }).catch(() => null);
  if (listed?.code !== 0) return [];
  const lines = new Set(`${listed.output.toString("utf8")}\n${listed.complaint}`.split(/\r?\n/));
  return asked.filter((language) => !lines.has(language));
}
