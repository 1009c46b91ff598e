import type {
  ExtractedContent,
  FileOnDisk,
  ReadingProgress,
  Recording,
  SourceFile,
} from "../core/documents/content-ports.js";
import { AppError } from "../core/errors.js";
import type { Transcriber } from "../core/ports.js";
import type { IngestContext } from "./context.js";
import { joinRecording, type TranscribedStretch } from "./join-recording.js";

/** How a file is read. */
export interface ReadingWays {
  readonly password?: string | undefined;
  /** The queue in which the extractor and the transcriber take turns. */
  readonly queue: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReadingProgress) => void;
}

/**
 * Reads a file, with speech transcribed.
 * @throws AppError with the reason why it cannot be read; `unsupported` for a recording without a transcriber,
 *   `unavailable` with `retryAfter` while that service is unavailable
 */
export async function readContent(
  { extractor, transcriber }: Pick<IngestContext, "extractor" | "transcriber">,
  file: SourceFile | FileOnDisk,
  ways: ReadingWays,
): Promise<ExtractedContent> {
  const { recordings, ...content } = await extractor.extract(file, ways);
  if (!recordings) return content;
  if (!transcriber) throw new AppError("unsupported", MISSING_TRANSCRIBER);
  const spoken = joinRecording(await transcribeAll(transcriber, recordings, ways));
  const parts = [...content.parts, ...spoken];
  if (parts.length === 0) throw new AppError("invalid", "The recording contains no speech.");
  return { ...content, parts };
}

const MISSING_TRANSCRIBER =
  "No transcriber is configured, and this recording has no subtitles. Set RECOLLECT_TRANSCRIBE_BASE_URL to a service with " +
  "OpenAI's /audio/transcriptions, or RECOLLECT_TRANSCRIBE_COMMAND to a program such as whisper-cli, then run " +
  "`recollect reprocess --failed`.";

async function transcribeAll(
  transcriber: Transcriber,
  recordings: readonly Recording[],
  { queue, signal, onProgress }: ReadingWays,
): Promise<TranscribedStretch[]> {
  const total = recordings.at(-1)?.end ?? null;
  const stretches: TranscribedStretch[] = [];
  for (const recording of recordings) {
    onProgress({ unit: "second", done: recording.start, total });
    const pieces = await transcriber.transcribe({ ...recording, queue }, signal);
    stretches.push({ start: recording.start, pieces });
  }
  return stretches;
}
