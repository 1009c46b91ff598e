import { constants } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, extname, isAbsolute, join } from "node:path";
import { AppError, ServiceRefusal } from "../../core/errors.js";
import type { SpokenPiece, Transcriber } from "../../core/ports.js";
import { createFairTurns } from "../../lib/fair-turns.js";
import { MissingProgram, type ProgramOrder, type ProgramRun, runProgram } from "../../lib/run-program.js";
import { readTranscript } from "./read-transcript.js";
import { canAccess } from "../../lib/can-access.js";

export interface CommandTranscriberOptions {
  /** The program and its options; `{file}` in them is the recording, which otherwise comes last. */
  readonly command: readonly [program: string, ...options: string[]];
  /** Where programs are looked for. */
  readonly programFolders: readonly string[];
  /** Where the program may store its models. */
  readonly home: string;
  /** For a recording of ten minutes, in milliseconds. */
  readonly timeLimitMs?: number;
  /** Longest transcript, in bytes. */
  readonly maximumBytes?: number;
}

const TIME_LIMIT_MS = 30 * 60_000;
const LARGEST_TRANSCRIPT = 16 * 1024 * 1024;
const SETTING = "RECOLLECT_TRANSCRIBE_COMMAND";
const RECORDING = "recording.wav";
/** Which of its output files is read: the first that exists. */
const TRANSCRIPTS = [".srt", ".vtt", ".json"];
const LONGEST_COMPLAINT = 300;
const ON_WINDOWS = [".exe", ".cmd", ""];

/**
 * A transcriber that runs a program on this machine, such as whisper.cpp's `whisper-cli` or OpenAI's `whisper`. It gets each
 * recording as a WAV file in a folder of its own, where it may write SubRip, WebVTT or JSON; otherwise its output is read. No
 * shell parses its options, and we name the file. One recording is transcribed at a time, as that may use all processors, and
 * callers take turns.
 */
export function createCommandTranscriber(options: CommandTranscriberOptions): Transcriber {
  const [program] = options.command;
  const turns = createFairTurns();
  return {
    name: basename(program),
    async problem() {
      return (await isThere(program, options.programFolders)) ? null : missing(program);
    },
    transcribe: ({ bytes, queue = "" }, signal) => turns.take(queue, () => transcribe(bytes, options, signal)),
  };
}

/** The folder of one recording, with what it takes to run programs there. */
interface Workshop extends CommandTranscriberOptions {
  readonly folder: string;
  readonly signal: AbortSignal;
}

async function transcribe(
  bytes: Uint8Array,
  options: CommandTranscriberOptions,
  signal: AbortSignal,
): Promise<readonly SpokenPiece[]> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-spoken-"));
  const workshop = { ...options, folder, signal };
  try {
    await writeWave(bytes, workshop);
    const run = await runWhisper(workshop);
    const pieces = readTranscript(await transcriptOf(run, workshop));
    if (pieces) return pieces;
    throw refusal(options, "wrote no text with times. Make it write SRT");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In the format that every version of these programs reads: 16 kHz, mono, 16 bits. */
async function writeWave(bytes: Uint8Array, workshop: Workshop): Promise<void> {
  const from = ["-v", "error", "-protocol_whitelist", "pipe", "-i", "pipe:0"];
  const to = ["-vn", "-ac", "1", "-ar", "16000", "-c:a", "pcm_s16le", "-f", "wav", `file:${RECORDING}`];
  const { code } = await run(workshop, { command: ["ffmpeg", ...from, ...to], input: bytes });
  if (code !== 0) throw new AppError("invalid", "The audio of the recording could not be prepared: ffmpeg failed.");
}

async function runWhisper(workshop: Workshop): Promise<ProgramRun> {
  const path = join(workshop.folder, RECORDING);
  const [program, ...given] = workshop.command;
  const isNamed = given.some((option) => option.includes("{file}"));
  const options = isNamed ? given.map((option) => option.replaceAll("{file}", path)) : [...given, path];
  const done = await run(workshop, { command: [program, ...options] });
  const { code, isLate, isTooMuch, complaint } = done;
  if (isLate)
    throw refusal(workshop, `took longer than ${limitOf(workshop) / 1_000} seconds. Make it use a smaller model`);
  if (isTooMuch) throw refusal(workshop, TOO_MUCH);
  if (code !== 0) throw refusal(workshop, `failed (code ${code ?? "none"})`, lastLine(complaint));
  return done;
}

const TOO_MUCH = "wrote more than a transcript can contain";

/** The file that it wrote beside the recording, or its output. */
async function transcriptOf({ output }: ProgramRun, workshop: Workshop): Promise<string> {
  const names = await readdir(workshop.folder);
  const written = TRANSCRIPTS.flatMap((ending) => names.filter((name) => extname(name) === ending));
  const [name] = written;
  if (name === undefined) return output.toString("utf8");
  const path = join(workshop.folder, name);
  const found = await stat(path);
  if (!found.isFile() || found.size > mostOf(workshop)) throw refusal(workshop, TOO_MUCH);
  return readFile(path, "utf8");
}

/** @throws AppError `unsupported` for a missing program */
async function run(workshop: Workshop, order: Pick<ProgramOrder, "command" | "input">): Promise<ProgramRun> {
  const { programFolders, home, folder, signal } = workshop;
  const environment = { PATH: programFolders.join(delimiter), HOME: home, USERPROFILE: home, LANG: "C.UTF-8" };
  try {
    return await runProgram({
      ...order,
      maximumBytes: mostOf(workshop),
      timeLimitMs: limitOf(workshop),
      signal,
      folder,
      environment,
      leadsGroup: true,
    });
  } catch (error) {
    if (!(error instanceof MissingProgram)) throw error;
    throw new AppError("unsupported", `${missing(order.command[0])} Then run \`recollect reprocess --failed\`.`);
  }
}

function missing(program: string): string {
  const remedy = program === "ffmpeg" ? "" : ` or correct ${SETTING}`;
  return `The program ${basename(program)}, which transcribes recordings, was not found: install it${remedy}.`;
}

async function isThere(program: string, folders: readonly string[]): Promise<boolean> {
  const endings = process.platform === "win32" ? ON_WINDOWS : [""];
  const places = isAbsolute(program) ? [program] : folders.map((folder) => join(folder, program));
  for (const path of places.flatMap((place) => endings.map((ending) => place + ending)))
    if (await canAccess(path, constants.X_OK)) return true;
  return false;
}

function limitOf({ timeLimitMs = TIME_LIMIT_MS }: CommandTranscriberOptions): number {
  return timeLimitMs;
}

function mostOf({ maximumBytes = LARGEST_TRANSCRIPT }: CommandTranscriberOptions): number {
  return maximumBytes;
}

function refusal({ command: [program] }: CommandTranscriberOptions, what: string, complaint = ""): ServiceRefusal {
  return new ServiceRefusal("invalid", `${basename(program)} ${what}: see ${SETTING}.`, {
    quote: complaint === "" ? "" : ` It said: ${complaint}`,
  });
}

function lastLine(complaint: string): string {
  const lines = complaint.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? "").trim().slice(0, LONGEST_COMPLAINT);
}
