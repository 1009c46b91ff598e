import type { ExtractedContent, SourceFile } from "../../core/documents/content-ports.js";
import type { Metadata } from "../../core/types.js";
import { pictureKind } from "../../lib/picture-kind.js";
import { extracted } from "../extracted.js";
import { ExtractionError, LanguagesMissing } from "../extraction-error.js";
import type { ExtractionTools } from "../format-extractor.js";
import { dimensionsOf, type Dimensions } from "./dimensions.js";
import { readTaken, type Taken } from "./taken.js";

/** Pictures with more pixels are not read: decoded, they would take gigabytes. */
const MAXIMUM_PIXELS = 100_000_000;
/** Smaller pictures contain no legible text. */
const LEAST_SIDE = 16;

/**
 * Reads a picture (PNG, JPEG, GIF, WebP, TIFF, BMP): the text in it, and when and where it was taken. A picture without text is
 * kept with what is known about it.
 * @throws ExtractionError `unsupported` for other kinds of pictures, `too_large`, `damaged`, and `missing_program` where nothing
 * can read text and nothing else is known about the picture
 */
export async function extractImage(file: SourceFile, tools: ExtractionTools): Promise<ExtractedContent> {
  const kind = pictureKind(file.bytes);
  if (kind === "heif")
    throw new ExtractionError(
      "unsupported",
      "HEIC, HEIF and AVIF pictures are not supported. Save it as JPEG or PNG and send that.",
    );
  if (kind === null)
    throw new ExtractionError("damaged", "The file is not a readable picture: its beginning is damaged.");
  const dimensions = dimensionsOf(file.bytes, kind);
  if (dimensions === null) throw new ExtractionError("damaged", "The picture is damaged: it does not state its size.");
  if (dimensions.width * dimensions.height > MAXIMUM_PIXELS)
    throw new ExtractionError("too_large", "The picture has more than 100 megapixels. Send a smaller version of it.");
  const taken = await readTaken(file.bytes);
  const { text, notes } = await readText(file.bytes, dimensions, tools, knowsAnything(taken));
  return extracted(
    "image",
    [{ text: [aboutPicture(file, taken), text].filter(Boolean).join("\n\n"), place: { page: 1 } }],
    {
      date: taken.date,
      metadata: metadataOf(dimensions, taken),
      notes,
    },
  );
}

function knowsAnything({ date, latitude, description }: Taken): boolean {
  return date !== null || latitude !== null || description !== null;
}

async function readText(
  bytes: Uint8Array,
  { width, height }: Dimensions,
  tools: ExtractionTools,
  isKnown: boolean,
): Promise<{ text: string; notes: string[] }> {
  if (Math.min(width, height) < LEAST_SIDE) return { text: "", notes: ["The picture is too small to contain text."] };
  try {
    const text = (await tools.recogniseText(bytes)).trim();
    return { text, notes: text === "" ? ["No text was found in the picture."] : [] };
  } catch (error) {
    const isFinal = error instanceof ExtractionError && !(error instanceof LanguagesMissing);
    if (!isFinal || !isKnown) throw error;
    return { text: "", notes: [`The text in the picture could not be read: ${error.message}`] };
  }
}

/** What is known about the picture, on one searchable line. */
function aboutPicture({ name }: SourceFile, { date, latitude, longitude, camera, description }: Taken): string {
  const facts = [
    name === null ? "Picture" : `Picture ${name.replace(/[\p{Cc}\p{Surrogate}]/gu, "")}`,
    date === null ? "" : `taken on ${date.slice(0, 10)}`,
    latitude === null || longitude === null ? "" : `at latitude ${latitude}, longitude ${longitude}`,
    camera === null ? "" : `with ${camera}`,
  ];
  const line = `${facts.filter(Boolean).join(" ")}.`;
  return description === null ? line : `${line}\n\n${description}`;
}

function metadataOf({ width, height }: Dimensions, { latitude, longitude, camera }: Taken): Metadata {
  return {
    width,
    height,
    ...(latitude === null || longitude === null ? {} : { latitude, longitude }),
    ...(camera === null ? {} : { camera }),
  };
}
