import { ExtractionError, LanguagesMissing } from "./extraction-error.js";
import {
  BUILTIN_LANGUAGE,
  type LanguageData,
  languagesOf,
  missingForLanguages,
  missingLanguages,
  unfetchedLanguages,
} from "./languages.js";
import { languagesWithoutData } from "./language-files.js";
import { howToInstall } from "./programs.js";
import { runExtractorProgram } from "./run-program.js";

/** A page takes a second or two; a poster of many megapixels up to a minute. */
const TIME_LIMIT_MS = 120_000;
/** More text than a picture can hold. */
const MAXIMUM_OUTPUT_BYTES = 4_000_000;
/** Detects the orientation first, so that pages on their side or upside down are read. */
const TURNED_PAGES = "1";
const LANGUAGES = /^[A-Za-z][A-Za-z_]{1,30}(?:\+[A-Za-z][A-Za-z_]{1,30}){0,9}$/;

/** How text in pictures is read. */
export interface TextRecognition {
  /** Languages of the text as tesseract names them, the usual one first, such as `eng+deu`. @default "eng" */
  readonly languages?: string;
  /** Data of languages other than English for the built-in recogniser; null if it has none. @default null */
  readonly languageData?: LanguageData | null;
  /** Name or path of the program. @default "tesseract" */
  readonly program?: string;
  /** Maximum time per picture, in milliseconds. @default 120000 */
  readonly timeLimitMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * The text in a picture (PNG, JPEG, GIF, WebP, TIFF, BMP or PNM), read by this machine's tesseract, or by the built-in one if
 * this machine has none or lacks the data of a language. Nothing is written to disk.
 * @throws ExtractionError `missing_program` where the data of a language are unavailable everywhere, `too_large` for a picture
 * that takes too long, `damaged` for one that cannot be decoded; LanguagesMissing where data can be downloaded
 */
export async function recogniseText(image: Uint8Array, recognition: TextRecognition = {}): Promise<string> {
  const { languages = BUILTIN_LANGUAGE, languageData = null } = recognition;
  if (!LANGUAGES.test(languages))
    throw new ExtractionError("unsupported", `\`${languages.slice(0, 50)}\` is not a list of tesseract languages.`);
  try {
    return tidied(await recogniseWithProgram(image, languages, recognition));
  } catch (error) {
    if (!(error instanceof ExtractionError) || error.reason !== "missing_program") throw error;
    if (languages !== BUILTIN_LANGUAGE) await checkData(languages, languageData, error);
    const { recogniseBuiltin } = await import("./builtin-recogniser.js");
    return tidied(await recogniseBuiltin(image, languages, languageData?.folder ?? null));
  }
}

/** @throws LanguagesMissing, or `withoutProgram` preceded by the reason where nothing can be downloaded */
async function checkData(languages: string, data: LanguageData | null, withoutProgram: ExtractionError): Promise<void> {
  if (data === null) throw withoutProgram;
  const missing = await languagesWithoutData(languagesOf(languages), data.folder);
  if (missing.length === 0) return;
  const words = unfetchedLanguages(missing, data);
  if (data.obstacle === null) throw new LanguagesMissing(missing, words);
  throw new ExtractionError("missing_program", `${words} ${withoutProgram.message}`);
}

async function recogniseWithProgram(
  image: Uint8Array,
  languages: string,
  recognition: TextRecognition,
): Promise<string> {
  const { program = "tesseract", timeLimitMs = TIME_LIMIT_MS, signal } = recognition;
  const run = await runExtractorProgram({
    command: [program, "stdin", "stdout", "--psm", TURNED_PAGES, "-l", languages],
    input: image,
    maximumBytes: MAXIMUM_OUTPUT_BYTES,
    timeLimitMs,
    signal,
    missing: missingForLanguages(languages, HOW),
  });
  if (run.isLate) throw new ExtractionError("too_large", "Reading the text of a picture took too long.");
  // Tesseract carries on without the data of one of several languages, and would read nonsense.
  const complained = new Set([...run.complaint.matchAll(NO_DATA)].map(([, language]) => language));
  const missing = languages.split("+").filter((language) => complained.has(language));
  if (missing.length > 0) throw new ExtractionError("missing_program", missingLanguages(missing));
  if (run.code !== 0) throw new ExtractionError("damaged", UNDECODED);
  return run.output.toString("utf8");
}

const UNDECODED =
  "The picture cannot be decoded: it is damaged, or in a rare format such as compressed BMP. Save it as PNG or JPEG and send that.";
const NO_DATA = /Failed loading language '([A-Za-z_]+)'/g;

const HOW = howToInstall("tesseract").replace(/\.$/, "");

/** Removes the form feeds that end pages, and joins words split across lines; the lines of a paragraph stay. */
function tidied(output: string): string {
  return output
    .replaceAll("\f", "\n")
    .replace(/(\p{L})[-\u00ad\u2010]\n(?=\p{Ll})/gu, "$1")
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
