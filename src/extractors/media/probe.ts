import * as z from "zod";
import { ExtractionError } from "../extraction-error.js";
import { runFfmpeg } from "./run-ffmpeg.js";

/** A few KB describe a container; tags may be longer. */
const LARGEST_DESCRIPTION = 4_000_000;

const tagsSchema = z.record(z.string(), z.string()).catch({});

const streamSchema = z.object({
  index: z.number().int().nonnegative(),
  codec_type: z.string().default(""),
  codec_name: z.string().default(""),
  disposition: z.record(z.string(), z.number()).default({}),
  tags: tagsSchema.default({}),
});

const descriptionSchema = z.object({
  streams: z.array(streamSchema).default([]),
  format: z.object({ duration: z.string().optional(), tags: tagsSchema.default({}) }).default({ tags: {} }),
});

/** An audio, video or subtitle stream of a recording. */
export interface MediaStream {
  readonly index: number;
  readonly codec: string;
  readonly language: string | null;
}

/** What a container says about its recording. */
export interface MediaDescription {
  readonly hasPicture: boolean;
  /** The stream played by default. */
  readonly sound: MediaStream | null;
  /** Full subtitles, the default stream first. */
  readonly subtitles: readonly MediaStream[];
  /** Seconds, or null if not stated. */
  readonly duration: number | null;
  readonly title: string | null;
  readonly author: string | null;
  /** ISO date or date-time. */
  readonly date: string | null;
}

/** Text subtitles; all others are pictures. */
const TEXT_CODECS: readonly string[] = ["mov_text", "subrip", "srt", "ass", "ssa", "webvtt", "text"];

/** Inspects the container. @throws ExtractionError `damaged` for an unknown one, `missing_program` */
export async function probeMedia(input: readonly string[]): Promise<MediaDescription> {
  const options = ["-v", "error", "-print_format", "json", "-show_format", "-show_streams", ...input];
  const { code, output } = await runFfmpeg("ffprobe", options, LARGEST_DESCRIPTION);
  const parsed = descriptionSchema.safeParse(code === 0 ? parseJson(output) : null);
  if (!parsed.success)
    throw new ExtractionError("damaged", "The file cannot be opened: it is damaged, or not a readable recording.");
  const { streams, format } = parsed.data;
  const sounds = streams.filter(({ codec_type: type }) => type === "audio");
  const texts = streams.filter(
    ({ codec_type: type, codec_name: codec, disposition }) =>
      type === "subtitle" && TEXT_CODECS.includes(codec) && !disposition["forced"],
  );
  const [sound] = usualFirst(sounds);
  // Ogg has separate tags for each of its streams.
  const tags = { ...lowered(sound?.tags ?? {}), ...lowered(format.tags) };
  return {
    hasPicture: streams.some(({ codec_type: type, disposition }) => type === "video" && !disposition["attached_pic"]),
    sound: sound ? streamOf(sound) : null,
    subtitles: usualFirst(texts).map(streamOf),
    duration: durationOf(format.duration),
    title: format.tags["title"] ?? tags["title"] ?? null,
    author: tags["artist"] ?? tags["author"] ?? null,
    date: dateOf(tags),
  };
}

function parseJson(output: Buffer): unknown {
  try {
    return JSON.parse(output.toString("utf8"));
  } catch {
    return null;
  }
}

function usualFirst(streams: readonly z.infer<typeof streamSchema>[]): z.infer<typeof streamSchema>[] {
  const isUsual = ({ disposition }: z.infer<typeof streamSchema>): number => (disposition["default"] ? 0 : 1);
  return streams.toSorted((one, other) => isUsual(one) - isUsual(other));
}

function streamOf({ index, codec_name: codec, tags }: z.infer<typeof streamSchema>): MediaStream {
  const language = lowered(tags)["language"];
  return { index, codec, language: language === undefined || language === "und" ? null : language };
}

function lowered(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [key.toLowerCase(), value]));
}

function durationOf(text: string | undefined): number | null {
  const seconds = Number(text ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1_000) / 1_000 : null;
}

/** Clocks that were never set say 1904 or 1970. */
function dateOf(tags: Readonly<Record<string, string>>): string | null {
  const dates = [tags["creation_time"], tags["date"]].flatMap(
    (text) => /^(?:19[89]\d|2\d{3})-\d\d-\d\d(?:T[\d:.]{5,20}Z?)?$/.exec(text ?? "")?.[0] ?? [],
  );
  return dates[0] ?? null;
}
