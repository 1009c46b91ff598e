import * as z from "zod";
import { AppError } from "../../../core/errors.js";
import type { FetchedFile, ToldOfFile } from "../../../core/ports.js";
import { iso, parseIso } from "../../../lib/time.js";
import { type AskPlace, askIfOpen, type KnownPlace, parseJsonOrNull, fileText } from "./known-place.js";

const YOUTUBE = "https://www.youtube.com";
const HOST = /^(?:(?:www|m|music)\.)?youtube(?:-nocookie)?\.com$/;
const PATH = /^\/(?:shorts|live|embed|v)\/([\w-]{11})\/?$/;
const VIDEO = /^[\w-]{11}$/;
/** Video pages have one or two MB. */
const LARGEST_PAGE = 16 * 1024 * 1024;
const LARGEST_CAPTIONS = 16 * 1024 * 1024;

/** The captions of a video, where its page offers any, with their times. The page itself is a program without text. */
export const youtube: KnownPlace = {
  find(url) {
    const video = videoOf(url);
    return video === null ? null : (ask) => fetchCaptions(ask, video);
  },
};

function videoOf({ hostname, pathname, searchParams }: URL): string | null {
  const isShort = hostname === "youtu.be" || hostname === "www.youtu.be";
  if (!isShort && !HOST.test(hostname)) return null;
  const named = isShort ? pathname.slice(1) : pathname === "/watch" ? searchParams.get("v") : PATH.exec(pathname)?.[1];
  return VIDEO.test(named ?? "") ? (named ?? null) : null;
}

const text = z.string().max(1_000).optional().catch(undefined);
const trackSchema = z.object({ baseUrl: z.string().max(8_192), languageCode: text, kind: text });
type Track = z.infer<typeof trackSchema>;

/** What the page tells its own program about the video. */
const playerSchema = z.object({
  playabilityStatus: z.object({ status: text }).optional().catch(undefined),
  videoDetails: z.object({ title: text, author: text }).optional().catch(undefined),
  microformat: z
    .object({ playerMicroformatRenderer: z.object({ publishDate: text }) })
    .optional()
    .catch(undefined),
  captions: z
    .object({ playerCaptionsTracklistRenderer: z.object({ captionTracks: z.array(trackSchema).max(500) }) })
    .optional()
    .catch(undefined),
});
type Player = z.infer<typeof playerSchema>;

async function fetchCaptions(ask: AskPlace, video: string): Promise<FetchedFile> {
  const address = `${YOUTUBE}/watch?v=${video}`;
  const player = readPlayer(await ask(address, { maximumBytes: LARGEST_PAGE }));
  const tracks = player.captions?.playerCaptionsTracklistRenderer.captionTracks ?? [];
  const track = bestOf(tracks.filter((one) => captionsAddress(one) !== null));
  if (!track) throw refusal(reasonFor(player));
  const captions = await askIfOpen(ask, captionsAddress(track) ?? "", { maximumBytes: LARGEST_CAPTIONS });
  // YouTube refuses clients that it does not take for its own player with an empty answer.
  if (!captions || !/^\uFEFF?WEBVTT\b/.test(fileText(captions).slice(0, 20))) throw refusal(WITHHELD);
  const { bytes } = captions;
  const told = describeVideo(player, track);
  return { bytes, name: null, mimeType: "text/vtt", charset: "utf-8", url: address, modifiedAt: null, told };
}

const PLAYER = /\bytInitialPlayerResponse\s{0,9}=\s{0,9}(?=\{)/;

/** @throws AppError for a page that does not say what it shows */
function readPlayer(page: FetchedFile): Player {
  const source = fileText(page);
  const found = PLAYER.exec(source);
  const json = found && parseJsonOrNull(objectAt(source, found.index + found[0].length));
  const player = playerSchema.safeParse(json);
  if (player.success && player.data.playabilityStatus) return player.data;
  throw refusal(
    "its page does not describe the video: YouTube may ask for consent or a check first, or have changed the page",
  );
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** The text of the object that begins at a position in a script; empty for one that never ends. */
function objectAt(source: string, start: number): string {
  let depth = 0;
  let isInText = false;
  for (let at = start; at < source.length; at += 1) {
    const code = source.charCodeAt(at);
    if (isInText && code === BACKSLASH) at += 1;
    else if (code === QUOTE) isInText = !isInText;
    else if (!isInText && code === OPENING) depth += 1;
    else if (!isInText && code === CLOSING) {
      depth -= 1;
      if (depth === 0) return source.slice(start, at + 1);
    }
  }
  return "";
}

/** Captions that people wrote in the video's language, otherwise any that people wrote, otherwise those of speech recognition. */
function bestOf(tracks: readonly Track[]): Track | undefined {
  const heard = tracks.find(isHeard);
  const written = tracks.filter((track) => !isHeard(track));
  const spoken = written.find(({ languageCode }) => languageOf(languageCode) === languageOf(heard?.languageCode));
  return (heard && spoken) ?? written[0] ?? heard;
}

function isHeard({ kind }: Track): boolean {
  return kind === "asr";
}

function languageOf(code: string | undefined): string {
  return (code ?? "").split("-")[0] ?? "";
}

/** A track's address as WebVTT; null for one that is not at YouTube. */
function captionsAddress({ baseUrl }: Track): string | null {
  if (!URL.canParse(baseUrl, YOUTUBE)) return null;
  const url = new URL(baseUrl, YOUTUBE);
  if (url.origin !== YOUTUBE || url.pathname !== "/api/timedtext") return null;
  url.searchParams.set("fmt", "vtt");
  return url.href;
}

function describeVideo({ videoDetails, microformat }: Player, track: Track): ToldOfFile {
  const language = track.languageCode === undefined ? "" : ` (language ${track.languageCode.slice(0, 20)})`;
  const makers = isHeard(track) ? ", which were generated by YouTube's speech recognition" : "";
  return {
    type: "video",
    title: videoDetails?.title ?? null,
    author: videoDetails?.author ?? null,
    date: dateOf(microformat?.playerMicroformatRenderer.publishDate ?? ""),
    notes: [`Its captions were read${language}${makers}, not its audio.`],
  };
}

function dateOf(published: string): string | null {
  const date = parseIso(published);
  if (date === null) return null;
  return /^\d{4}-\d\d-\d\d$/.test(published) ? published : iso(date);
}

const WITHHELD = "its page lists captions, but YouTube did not provide them";
const NO_CAPTIONS = "its page offers no captions";
const REASONS: Readonly<Record<string, string>> = {
  ERROR: "YouTube says that the video does not exist",
  LOGIN_REQUIRED: "YouTube shows it only to signed-in users",
  LIVE_STREAM_OFFLINE: "it has not begun yet",
  UNPLAYABLE: "YouTube does not play it here",
};

function reasonFor({ playabilityStatus }: Player): string {
  return REASONS[playabilityStatus?.status ?? ""] ?? NO_CAPTIONS;
}

function refusal(reason: string): AppError {
  return new AppError(
    "invalid",
    `The spoken text of the video was not fetched: ${reason}. Send its text, a subtitle file or the recording itself.`,
  );
}
