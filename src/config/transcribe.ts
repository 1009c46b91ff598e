import { z } from "zod";
import { httpUrl, setting } from "./setting.js";

const DEFAULT_MODEL = "whisper-1";

/** The settings of what writes down recordings. */
export const TRANSCRIBE_SETTINGS = {
  RECOLLECT_TRANSCRIBE_BASE_URL: setting({
    schema: httpUrl(),
    description:
      "Base URL of a service with OpenAI's `/audio/transcriptions`, such as `https://api.openai.com/v1` or a whisper server of your own. The sound of uploaded recordings and videos is then sent to it; without it only their subtitles are read.",
  }),
  RECOLLECT_TRANSCRIBE_MODEL: setting({
    schema: z.string().min(1).max(200, "must have at most 200 characters"),
    fallback: DEFAULT_MODEL,
    description: "Model of that service.",
  }),
  RECOLLECT_TRANSCRIBE_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description: "API key of that service; one of your own may need none.",
  }),
};

/** A service that writes down recordings. */
export interface TranscriberConfig {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | undefined;
}

type TranscribeValues = {
  readonly [Name in keyof typeof TRANSCRIBE_SETTINGS]:
    z.infer<(typeof TRANSCRIBE_SETTINGS)[Name]["schema"]> | undefined;
};

/** The transcriber that the settings name; undefined where nobody named its address. */
export function chooseTranscriber(values: TranscribeValues): TranscriberConfig | undefined {
  const { RECOLLECT_TRANSCRIBE_BASE_URL: baseUrl } = values;
  if (baseUrl === undefined) return undefined;
  return {
    baseUrl,
    model: values.RECOLLECT_TRANSCRIBE_MODEL ?? DEFAULT_MODEL,
    apiKey: values.RECOLLECT_TRANSCRIBE_API_KEY,
  };
}
