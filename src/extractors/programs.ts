import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { ReadingProgram } from "../core/documents/content-ports.js";

const ON_WINDOWS = [".exe", ".cmd", ""];

const PROGRAMS = {
  tesseract: {
    purpose: "text in pictures and scanned pages",
    howToInstall:
      "Debian and Ubuntu: `apt install tesseract-ocr`, macOS: `brew install tesseract`, Windows: `winget install UB-Mannheim.TesseractOCR`.",
  },
  ffmpeg: {
    purpose: "the sound of recordings and videos",
    howToInstall:
      "Debian and Ubuntu: `apt install ffmpeg`, macOS: `brew install ffmpeg`, Windows: `winget install Gyan.FFmpeg`.",
  },
} as const satisfies Readonly<Record<string, Pick<ReadingProgram, "purpose" | "howToInstall">>>;

/** How a program is installed that reading needs, on Debian and Ubuntu, macOS and Windows. */
export function howToInstall(name: keyof typeof PROGRAMS): string {
  return PROGRAMS[name].howToInstall;
}

/** The programs that reading files needs, looked for in these folders. */
export async function findPrograms(folders: readonly string[]): Promise<readonly ReadingProgram[]> {
  return Promise.all(
    Object.entries(PROGRAMS).map(async ([name, about]) => ({ name, isThere: await isIn(folders, name), ...about })),
  );
}

async function isIn(folders: readonly string[], name: string): Promise<boolean> {
  const endings = process.platform === "win32" ? ON_WINDOWS : [""];
  const paths = folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending)));
  const found = await Promise.all(
    paths.map((path) =>
      access(path, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
