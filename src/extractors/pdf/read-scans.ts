import { ExtractionError, LanguagesMissing } from "../extraction-error.js";
import type { ExtractionTools } from "../format-extractor.js";
import type { Pdf } from "./open-pdf.js";
import { pageNames } from "./page-names.js";
import { pagePicture } from "./page-picture.js";

/** Pictures that cover a smaller share of the page are decoration. */
const LEAST_COVERAGE = 0.05;

/** Text read from pages that are pictures. */
export interface ReadScans {
  /** By page number; no entry if the picture shows no text. */
  readonly texts: ReadonlyMap<number, string>;
  readonly notes: readonly string[];
  /** Why no picture could be read, or null. */
  readonly obstacle: ExtractionError | null;
}

/**
 * Reads the pictures of pages with little or no text.
 * @param numbers of these pages, in ascending order
 * @param room bytes of text that may still be extracted; once they are used up, the remaining pages are not read
 */
export async function readScans(
  pdf: Pdf,
  tools: ExtractionTools,
  numbers: readonly number[],
  room: number,
): Promise<ReadScans> {
  const texts = new Map<number, string>();
  const unread: number[] = [];
  let obstacle: ExtractionError | null = null;
  let left = room;
  const beyond: number[] = [];
  for (const number of numbers) {
    if (left <= 0) {
      beyond.push(number);
      continue;
    }
    const result = await readScan(pdf, number, obstacle === null ? tools : null);
    if (typeof result === "string") {
      texts.set(number, result);
      left -= Buffer.byteLength(result);
    } else if (result !== null) {
      unread.push(number);
      obstacle = result.reason === "missing_program" ? result : obstacle;
    }
  }
  const reason = obstacle?.message ?? "they could not be decoded.";
  const notes = [
    ...(unread.length > 0 ? [`Pictures on ${pageNames(unread)} could not be read: ${reason}`] : []),
    ...(beyond.length > 0 ? [`Pictures on ${pageNames(beyond)} were not read: the limit for text is reached.`] : []),
  ];
  const damaged = new ExtractionError("damaged", `The PDF contains only pictures of text, and ${reason}`);
  return { texts, notes, obstacle: unread.length === 0 ? null : (obstacle ?? damaged) };
}

/**
 * The text in the picture of one page; null if the page has no picture or the picture no text.
 * @param tools null if it is already known that nothing can read pictures
 * @throws LanguagesMissing
 */
async function readScan(
  pdf: Pdf,
  number: number,
  tools: ExtractionTools | null,
): Promise<string | ExtractionError | null> {
  try {
    const page = await pdf.getPage(number);
    const picture = await pagePicture(page);
    if (picture.coverage < LEAST_COVERAGE) return null;
    const png = tools && (await picture.png());
    page.cleanup();
    if (!tools || !png) return new ExtractionError("damaged", "The picture cannot be decoded.");
    const text = await tools.recogniseText(png);
    return text.trim() === "" ? null : text.trim();
  } catch (error) {
    if (error instanceof LanguagesMissing) throw error;
    return error instanceof ExtractionError ? error : new ExtractionError("damaged", "The page cannot be decoded.");
  }
}
