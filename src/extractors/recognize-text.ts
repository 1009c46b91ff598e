import { ExtractionError } from "./extraction-error.js";
import { BUILTIN_LANGUAGE, missingForLanguages, missingLanguages } from "./languages.js";
import { howToInstall } from "./programs.js";
import { runProgram } from "./run-program.js";

/** A page takes a second or two; a poster of many megapixels up to a minute. */
const TIME_LIMIT_MS = 120_000;
/** Text that a picture can hold, and more. */
const MAXIMUM_OUTPUT_BYTES = 4_000_000;
/** Pages that lie on their side or upside down are turned first. */
const TURNED_PAGES = "1";
const LANGUAGES = /^[A-Za-z][A-Za-z_]{1,30}(?:\+[A-Za-z][A-Za-z_]{1,30}){0,9}$/;

/** How text in pictures is read. */
export interface TextRecognition {
  /** Languages of the text as tesseract names them, the usual one first, such as `eng+deu`. @default "eng" */
  readonly languages?: string;
  /** Name or path of the program. @default "tesseract" */
  readonly program?: string;
  /** Milliseconds that one picture may take. @default 120000 */
  readonly timeLimitMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * The text in a picture (PNG, JPEG, GIF, WebP, TIFF, BMP or PNM), read by the tesseract of this machine; English by the one that
 * is built in, where this machine has none. Nothing is written to disk.
 * @throws ExtractionError `missing_program` where tesseract or the data of a language is not installed, `too_large` for a picture
 *   that takes too long, `damaged` for one that cannot be decoded
 */
export async function recognizeText(image: Uint8Array, recognition: TextRecognition = {}): Promise<string> {
  const { languages = BUILTIN_LANGUAGE } = recognition;
  if (!LANGUAGES.test(languages))
    throw new ExtractionError("unsupported", `\`${languages.slice(0, 50)}\` does not name languages of tesseract.`);
  try {
    return tidied(await recognizeWithProgram(image, languages, recognition));
  } catch (error) {
    const isMissing = error instanceof ExtractionError && error.reason === "missing_program";
    if (!isMissing || languages !== BUILTIN_LANGUAGE) throw error;
    return tidied(await (await import("./builtin-recognizer.js")).recognizeBuiltin(image));
  }
}

async function recognizeWithProgram(
  image: Uint8Array,
  languages: string,
  recognition: TextRecognition,
): Promise<string> {
  const { program = "tesseract", timeLimitMs = TIME_LIMIT_MS, signal } = recognition;
  const run = await runProgram({
    command: [program, "stdin", "stdout", "--psm", TURNED_PAGES, "-l", languages],
    input: image,
    maximumBytes: MAXIMUM_OUTPUT_BYTES,
    timeLimitMs,
    signal,
    missing: missingForLanguages(languages, HOW),
  });
  if (run.isLate) throw new ExtractionError("too_large", "Reading the text of a picture took too long.");
  // It goes on without the data of one of several languages, and would read nonsense.
  const complained = new Set([...run.complaint.matchAll(NO_DATA)].map(([, language]) => language));
  const missing = languages.split("+").filter((language) => complained.has(language));
  if (missing.length > 0) throw new ExtractionError("missing_program", missingLanguages(missing));
  if (run.code !== 0) throw new ExtractionError("damaged", "The picture cannot be decoded.");
  return run.output.toString("utf8");
}

const NO_DATA = /Failed loading language '([A-Za-z_]+)'/g;

const HOW = howToInstall("tesseract").replace(/\.$/, "");

/** Pages end with a form feed; words that are broken at the end of a line are joined, lines of a paragraph stay. */
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
