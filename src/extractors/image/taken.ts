import { z } from "zod";
import { parseIso } from "../../lib/time.js";

/** When and where a picture was taken, according to its EXIF data. */
export interface Taken {
  /** Local date-time, with a time zone if one is given. */
  readonly date: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** Make and model of the camera. */
  readonly camera: string | null;
  readonly description: string | null;
}

const NOTHING: Taken = { date: null, latitude: null, longitude: null, camera: null, description: null };

/** Tolerates what cameras and people write: an invalid field does not affect the others. */
const text = z.string().max(2_000).optional().catch(undefined);
const tags = z.object({
  DateTimeOriginal: text,
  CreateDate: text,
  OffsetTimeOriginal: text,
  Make: text,
  Model: text,
  ImageDescription: text,
  latitude: z.number().min(-90).max(90).optional().catch(undefined),
  longitude: z.number().min(-180).max(180).optional().catch(undefined),
});

const WANTED = [
  "DateTimeOriginal",
  "CreateDate",
  "OffsetTimeOriginal",
  "Make",
  "Model",
  "ImageDescription",
  "GPSLatitude",
  "GPSLatitudeRef",
  "GPSLongitude",
  "GPSLongitudeRef",
];

/** Reads the EXIF data of a picture; all fields are null where there are none, or they are damaged. */
export async function readTaken(bytes: Uint8Array): Promise<Taken> {
  const { default: exifr } = await import("exifr");
  try {
    const found: unknown = await exifr.parse(bytes, { pick: WANTED, reviveValues: false });
    const read = tags.safeParse(found);
    return read.success ? takenOf(read.data) : NOTHING;
  } catch {
    return NOTHING;
  }
}

function takenOf(said: z.infer<typeof tags>): Taken {
  const hasPlace = said.latitude !== undefined && said.longitude !== undefined;
  const camera = shown([said.Make, said.Model?.replace(`${said.Make ?? ""} `, "")].filter(Boolean).join(" "));
  return {
    date: isoDate(said.DateTimeOriginal ?? said.CreateDate, said.OffsetTimeOriginal),
    latitude: hasPlace ? rounded(said.latitude ?? 0) : null,
    longitude: hasPlace ? rounded(said.longitude ?? 0) : null,
    camera,
    description: shown(said.ImageDescription ?? ""),
  };
}

/** Rounds to a tenth of a metre: further digits come only from converting minutes and seconds. */
function rounded(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}

function shown(value: string): string | null {
  const clean = value.replace(/[\p{Cc}\p{Surrogate}]/gu, " ").trim();
  return clean === "" ? null : clean;
}

const EXIF_DATE = /^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d):(\d\d):(\d\d)/;
const OFFSET = /^[+-]\d\d:\d\d$/;

/** As the camera shows it, with its offset from UTC; without one it is local time, kept as written. */
function isoDate(date: string | undefined, offset: string | undefined): string | null {
  const parts = EXIF_DATE.exec(date ?? "");
  if (!parts) return null;
  const [, year = "", month = "", day = "", ...time] = parts;
  const written = `${year}-${month}-${day}T${time.join(":")}${offset !== undefined && OFFSET.test(offset) ? offset : "Z"}`;
  return parseIso(written) === null ? null : written;
}
