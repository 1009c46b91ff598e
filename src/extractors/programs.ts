import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { ReadingProgram } from "../core/documents/content-ports.js";
import { BUILTIN_LANGUAGE, missingForLanguages, missingLanguages } from "./languages.js";
import { runProgram } from "./run-program.js";

const ON_WINDOWS = [".exe", ".cmd", ""];
const LONGEST_LIST_MS = 10_000;
const LONGEST_LIST_BYTES = 100_000;

type About = Pick<ReadingProgram, "purpose" | "withoutIt" | "howToInstall">;

const PROGRAMS = {
  tesseract: {
    purpose: "text in pictures and scanned pages",
    withoutIt: "English alone is read",
    howToInstall:
      "Debian and Ubuntu: `apt install tesseract-ocr`, macOS: `brew install tesseract`, Windows: `winget install UB-Mannheim.TesseractOCR`.",
  },
  ffmpeg: {
    purpose: "the sound of recordings and videos",
    withoutIt: "it cannot be read",
    howToInstall:
      "Debian and Ubuntu: `apt install ffmpeg`, macOS: `brew install ffmpeg`, Windows: `winget install Gyan.FFmpeg`.",
  },
} as const satisfies Readonly<Record<string, About>>;

/** How a program is installed that reading needs, on Debian and Ubuntu, macOS and Windows. */
export function howToInstall(name: keyof typeof PROGRAMS): string {
  return PROGRAMS[name].howToInstall;
}

/**
 * The programs that reading files needs, looked for in these folders.
 * @param languages of the text in pictures, as tesseract names them: `eng+deu`
 */
export async function findPrograms(folders: readonly string[], languages: string): Promise<readonly ReadingProgram[]> {
  const found = async ([name, about]: readonly [string, About]) => {
    const path = await findIn(folders, name);
    const lacks = name === "tesseract" ? await lackOfLanguages(path, folders, languages) : null;
    const isOutOfReach = path === null && lacks !== null;
    const withoutIt = isOutOfReach ? `it cannot be read in \`${languages}\`` : about.withoutIt;
    return { ...about, name, isThere: path !== null, withoutIt, lacks };
  };
  return Promise.all(Object.entries(PROGRAMS).map(found));
}

async function findIn(folders: readonly string[], name: string): Promise<string | null> {
  const endings = process.platform === "win32" ? ON_WINDOWS : [""];
  const paths = folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending)));
  const found = await Promise.all(
    paths.map((path) =>
      access(path, constants.X_OK).then(
        () => path,
        () => null,
      ),
    ),
  );
  return found.find((path) => path !== null) ?? null;
}

/** Languages that cannot be read, in a sentence; null where all of them can, or tesseract does not say what it has. */
async function lackOfLanguages(
  path: string | null,
  folders: readonly string[],
  languages: string,
): Promise<string | null> {
  if (languages === BUILTIN_LANGUAGE) return null;
  if (path === null) return missingForLanguages(languages, howToInstall("tesseract").replace(/\.$/, ""));
  const listed = await runProgram({
    command: [path, "--list-langs"],
    // As the process that reads files sees it.
    environment: { PATH: folders.join(delimiter) },
    maximumBytes: LONGEST_LIST_BYTES,
    timeLimitMs: LONGEST_LIST_MS,
    missing: "",
  }).catch(() => null);
  if (listed?.code !== 0) return null;
  const lines = new Set(`${listed.output.toString("utf8")}\n${listed.complaint}`.split(/\r?\n/));
  const missing = languages.split("+").filter((language) => !lines.has(language));
  return missing.length === 0 ? null : missingLanguages(missing);
}
