import { z } from "zod";
import { expandHome, httpUrl, setting } from "./setting.js";

const DEFAULT_MODEL = "whisper-1";

type Command = readonly [program: string, ...options: string[]];

/** A program and its options on one line. */
const command = z
  .string()
  .max(4_000, "must have at most 4000 characters")
  .transform((text, context): Command => {
    const [program, ...options] = splitCommand(text) ?? [];
    if (program !== undefined && program !== "") return [placed(program), ...options.map(inHome)];
    context.addIssue("must be a program and its options, with every quote closed");
    return z.NEVER;
  });

/** Words separated by spaces; quotes of either kind may contain spaces. @returns null for an unclosed quote */
function splitCommand(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (const sign of text) {
    if (quote !== null) {
      if (sign === quote) quote = null;
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= "";
    } else if (!/\s/.test(sign)) word = (word ?? "") + sign;
    else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (word !== null) words.push(word);
  return quote === null ? words : null;
}

/** A path that is valid wherever the program is started; a bare name is looked up in `PATH`. */
function placed(program: string): string {
  return /[\\/]/.test(program) ? expandHome(program) : program;
}

function inHome(option: string): string {
  return /^~[\\/]/.test(option) ? expandHome(option) : option;
}

/** The settings for transcription. */
export const TRANSCRIBE_SETTINGS = {
  RECOLLECT_TRANSCRIBE_BASE_URL: setting({
    schema: httpUrl(),
    description:
      "Base URL of a service with OpenAI's `/audio/transcriptions`, such as `https://api.openai.com/v1` or your own Whisper server. The audio of uploaded recordings and videos is sent to it. If unset, only their subtitles are read.",
  }),
  RECOLLECT_TRANSCRIBE_MODEL: setting({
    schema: z.string().min(1).max(200, "must have at most 200 characters"),
    fallback: DEFAULT_MODEL,
    description: "Model of that service.",
  }),
  RECOLLECT_TRANSCRIBE_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description: "API key for that service; your own service may not need one.",
  }),
  RECOLLECT_TRANSCRIBE_COMMAND: setting({
    schema: command,
    description:
      "Instead of such a service, a program on this machine with its options, such as `whisper-cli -m ~/models/ggml-base.bin -l auto -osrt` or `whisper --model base --output_format srt`. It is run without a shell; quote words that belong together. The WAV file is passed as the last option, or in place of `{file}`.",
  }),
};

/** What transcribes recordings: a service, or a local program. */
export type TranscriberConfig =
  | { readonly kind: "service"; readonly baseUrl: string; readonly model: string; readonly apiKey: string | undefined }
  | { readonly kind: "command"; readonly command: Command };

type TranscribeValues = {
  readonly [Name in keyof typeof TRANSCRIBE_SETTINGS]:
    z.infer<(typeof TRANSCRIBE_SETTINGS)[Name]["schema"]> | undefined;
};

/** The configured transcriber; undefined when there is none. */
export function chooseTranscriber(values: TranscribeValues): TranscriberConfig | undefined {
  const { RECOLLECT_TRANSCRIBE_BASE_URL: baseUrl, RECOLLECT_TRANSCRIBE_COMMAND: program } = values;
  if (program !== undefined) return { kind: "command", command: program };
  if (baseUrl === undefined) return undefined;
  return {
    kind: "service",
    baseUrl,
    model: values.RECOLLECT_TRANSCRIBE_MODEL ?? DEFAULT_MODEL,
    apiKey: values.RECOLLECT_TRANSCRIBE_API_KEY,
  };
}

/** Settings of a service that is not set, as sentences that name them. */
export function findIdleTranscribeSettings(values: TranscribeValues, set: ReadonlySet<string>): string[] {
  if (values.RECOLLECT_TRANSCRIBE_BASE_URL !== undefined) return [];
  return ["RECOLLECT_TRANSCRIBE_MODEL", "RECOLLECT_TRANSCRIBE_API_KEY"]
    .filter((name) => set.has(name))
    .map((name) => `${name} is set, but has no effect without RECOLLECT_TRANSCRIBE_BASE_URL.`);
}

/** Settings that contradict each other, as sentences that name them. */
export function findTranscribeProblems(values: TranscribeValues): string[] {
  const { RECOLLECT_TRANSCRIBE_BASE_URL: baseUrl, RECOLLECT_TRANSCRIBE_COMMAND: program } = values;
  if (baseUrl === undefined || program === undefined) return [];
  return ["RECOLLECT_TRANSCRIBE_BASE_URL and RECOLLECT_TRANSCRIBE_COMMAND are both set. Remove one of them."];
}
