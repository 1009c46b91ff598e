import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import * as z from "zod";
import { ExtractionError } from "./extraction-error.js";
import { pictureKind } from "../lib/picture-kind.js";
import { tiffPages } from "./image/tiff-pages.js";
import { BUILTIN_LANGUAGE, dataFileOf, languagesOf } from "./languages.js";
import { howToInstall } from "./programs.js";

/** Filled by the build; when running from source, the built program's folder is used. */
const FOLDER = new URL(
  import.meta.url.endsWith(".ts") ? "../../dist/extractors/recogniser/" : "../extractors/recogniser/",
  import.meta.url,
);
const INPUT = "/input";
/** Only the neural network that recognises lines; the older engine is left out. */
const NEURAL_ENGINE = 1;
/** Finds columns and blocks by itself, but not which way up the page is. */
const WHOLE_PAGES = "3";
/** Confidence in percent below which the picture may be upside down: a printed page scores 90, an upside-down one 20. */
const DOUBTFUL = 60;
/** EXIF orientation. Vertical lines are found as they are. */
const UPRIGHT = 1;
const ON_ITS_HEAD = 3;

/** The part of tesseract's own interface that is used here, under its own names. */
interface TesseractApi {
  Init(dataFolder: string, languages: string, engine: number): number;
  SetVariable(name: string, value: string): unknown;
  /** Loads `/input`; returns 1 if it cannot be decoded. */
  SetImageFile(orientation: number, angle: number): number;
  Recognize(monitor: null): number;
  GetUTF8Text(): string;
  MeanTextConf(): number;
  Clear(): void;
}

interface TesseractModule {
  readonly FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
  readonly TessBaseAPI: new () => TesseractApi;
}

type StartModule = (options: Readonly<Record<string, unknown>>) => Promise<TesseractModule>;

const startModule = z.custom<StartModule>((loaded) => typeof loaded === "function");

interface Recogniser {
  readonly files: TesseractModule["FS"];
  readonly api: TesseractApi;
}

/** Created for the first picture, and reused for later ones in the same languages. */
let started: { readonly languages: string; readonly recogniser: Promise<Recogniser> } | null = null;

/**
 * The text in a picture (PNG, JPEG, GIF, WebP, TIFF, BMP or PNM), read by the built-in tesseract in this process, so that the
 * time and memory limits of the process apply.
 * @param languages as tesseract names them: `eng+deu`
 * @param folder with the data of languages other than English
 * @throws ExtractionError `damaged` for a picture that cannot be decoded, `missing_program` where this machine cannot run it
 */
export async function recogniseBuiltin(image: Uint8Array, languages: string, folder: string | null): Promise<string> {
  if (started?.languages !== languages) started = { languages, recogniser: start(languages, folder) };
  const recogniser = await started.recogniser.catch(() => {
    started = null;
    throw new ExtractionError("missing_program", `${CANNOT_RUN} ${howToInstall("tesseract")}`);
  });
  try {
    const pages = pictureKind(image) === "tiff" ? tiffPages(image) : [image];
    return Array.from(pages, (page) => readPage(recogniser, page)).join("\n\n");
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    // Its memory is in an unknown state.
    started = null;
    throw new ExtractionError("damaged", `${CANNOT_DECODE} ${howToInstall("tesseract")}`);
  }
}

const CANNOT_RUN =
  "The built-in text recognition does not run on this machine. Install the program tesseract instead and retry.";
const CANNOT_DECODE =
  "The picture cannot be decoded: it is damaged, or in a format that only the program tesseract reads. Save it as PNG or JPEG and send that.";

async function start(languages: string, folder: string | null): Promise<Recogniser> {
  const loaded: unknown = createRequire(import.meta.url)(fileURLToPath(new URL("tesseract-core.cjs", FOLDER)));
  const { FS, TessBaseAPI } = await startModule.parse(loaded)({
    wasmBinary: await readFile(new URL("tesseract-core.wasm", FOLDER)),
    print: ignore,
    printErr: ignore,
    TesseractProgress: ignore,
  });
  for (const language of languagesOf(languages))
    FS.writeFile(`/${dataFileOf(language)}`, await dataOf(language, folder));
  const api = new TessBaseAPI();
  if (api.Init("/", languages, NEURAL_ENGINE) !== 0) throw new Error("tesseract does not start");
  api.SetVariable("tessedit_pageseg_mode", WHOLE_PAGES);
  return { files: FS, api };
}

async function dataOf(language: string, folder: string | null): Promise<Uint8Array> {
  if (language !== BUILTIN_LANGUAGE && folder !== null) return readFile(join(folder, dataFileOf(language)));
  return promisify(gunzip)(await readFile(new URL(`${dataFileOf(language)}.gz`, FOLDER)));
}

function ignore(): void {}

function readPage({ files, api }: Recogniser, page: Uint8Array): string {
  files.writeFile(INPUT, page);
  try {
    const upright = readTurned(api, UPRIGHT);
    if (upright.text === "" || upright.sureness >= DOUBTFUL) return upright.text;
    const turned = readTurned(api, ON_ITS_HEAD);
    return turned.sureness > upright.sureness ? turned.text : upright.text;
  } finally {
    files.unlink(INPUT);
  }
}

function readTurned(api: TesseractApi, orientation: number): { text: string; sureness: number } {
  if (api.SetImageFile(orientation, 0) === 1)
    throw new ExtractionError("damaged", `${CANNOT_DECODE} ${howToInstall("tesseract")}`);
  try {
    api.Recognize(null);
    return { text: api.GetUTF8Text().trim(), sureness: api.MeanTextConf() };
  } finally {
    api.Clear();
  }
}
