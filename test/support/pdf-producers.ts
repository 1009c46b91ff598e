import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const installed = new Map<string, boolean>();

/** Whether a program on this machine can be started; each is tried once. */
export function isInstalled(program: string): boolean {
  const known = installed.get(program);
  if (known !== undefined) return known;
  const starts = spawnSync(program, ["--version"], { stdio: "ignore", timeout: 60_000 }).error === undefined;
  installed.set(program, starts);
  return starts;
}

/** Runs work in a temporary folder, which is removed afterwards. */
export function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "recollect-files-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs a program; its output is shown only if it fails. */
export function run(program: string, options: readonly string[], folder: string): string {
  return execFileSync(program, options, { cwd: folder, encoding: "utf8", stdio: "pipe", timeout: 120_000 });
}

/** How each program makes a PDF of the page `source.html` or the paper `source.tex`, with the file name of its result. */
export const PRODUCERS = {
  chromium: {
    program: "chromium",
    source: "source.html",
    make: (folder: string) =>
      run(
        "chromium",
        ["--headless", "--no-sandbox", "--disable-gpu", "--print-to-pdf=made.pdf", "source.html"],
        folder,
      ),
  },
  LibreOffice: {
    program: "soffice",
    source: "source.html",
    make: (folder: string) => {
      const profile = `-env:UserInstallation=file://${folder}/profile`;
      return run(
        "soffice",
        [profile, "--headless", "--convert-to", "pdf:writer_web_pdf_Export", "source.html"],
        folder,
      );
    },
  },
  LibreOfficeWriter: {
    program: "soffice",
    source: "source.fodt",
    make: (folder: string) => {
      const profile = `-env:UserInstallation=file://${folder}/profile`;
      return run("soffice", [profile, "--headless", "--convert-to", "pdf", "source.fodt"], folder);
    },
  },
  LaTeX: {
    program: "pdflatex",
    source: "source.tex",
    make: (folder: string) => {
      // Run again for the outline.
      run("pdflatex", ["-interaction=batchmode", "source.tex"], folder);
      return run("pdflatex", ["-interaction=batchmode", "source.tex"], folder);
    },
  },
  ghostscript: {
    program: "gs",
    source: "source.pdf",
    make: (folder: string) =>
      run("gs", ["-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite", "-sOutputFile=made.pdf", "source.pdf"], folder),
  },
} as const;

/** The PDF that a program makes of a source. */
export function makePdf(producer: keyof typeof PRODUCERS, source: string | Uint8Array): Uint8Array {
  const { source: name, make } = PRODUCERS[producer];
  return inFolder((folder) => {
    writeFileSync(join(folder, name), source);
    make(folder);
    const isNamedBySource = producer !== "chromium" && producer !== "ghostscript";
    return readFileSync(join(folder, isNamedBySource ? "source.pdf" : "made.pdf"));
  });
}

/** The words that poppler's pdftotext reads. */
export function wordsOfPdftotext(pdf: Uint8Array): string {
  return inFolder((folder) => {
    writeFileSync(join(folder, "read.pdf"), pdf);
    return run("pdftotext", ["-nopgbrk", "read.pdf", "-"], folder);
  });
}
