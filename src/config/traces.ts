import { z } from "zod";
import { httpUrl, setting } from "./setting.js";

const HEADERS_RULE = "must be headers such as authorization=Bearer%20abc, separated by commas";
const SHARE_RULE = "must be a number from 0 to 1";

/** The settings for OpenTelemetry traces. */
export const TRACE_SETTINGS = {
  RECOLLECT_TRACES: setting({
    schema: httpUrl(),
    description:
      "Sends [traces](operation.md#traces) to an OpenTelemetry collector at this address (OTLP over HTTP), e.g. `http://127.0.0.1:4318`. If unset, no traces are made.",
  }),
  RECOLLECT_TRACES_HEADERS: setting({
    schema: z.string().transform((text, context) => readHeaders(text) ?? refuse(context)),
    isSecret: true,
    description:
      "Headers for the collector, such as `authorization=Bearer%20abc`, separated by commas; percent-encode special characters.",
  }),
  RECOLLECT_TRACES_SHARE: setting({
    schema: z
      .string()
      .regex(/^\d*\.?\d+$/, SHARE_RULE)
      .transform(Number)
      .pipe(z.number().min(0, SHARE_RULE).max(1, SHARE_RULE)),
    fallback: "1",
    description:
      "Share of traces that are sent, from 0 to 1. A request that belongs to a caller's trace is sent if the caller's trace is.",
  }),
};

/** Where traces are sent. */
export interface TracesConfig {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** 0 to 1. */
  readonly share: number;
}

type TraceValues = {
  readonly [Name in keyof typeof TRACE_SETTINGS]: z.infer<(typeof TRACE_SETTINGS)[Name]["schema"]> | undefined;
};

/** Undefined when none are sent. */
export function chooseTraces(values: TraceValues): TracesConfig | undefined {
  const { RECOLLECT_TRACES: url, RECOLLECT_TRACES_HEADERS: headers = {}, RECOLLECT_TRACES_SHARE: share = 1 } = values;
  return url === undefined ? undefined : { url, headers, share };
}

/** Settings that contradict each other, as sentences that name them. */
export function findTraceProblems(set: ReadonlySet<string>): string[] {
  if (set.has("RECOLLECT_TRACES") || !set.has("RECOLLECT_TRACES_HEADERS")) return [];
  return [
    "RECOLLECT_TRACES_HEADERS is set, but RECOLLECT_TRACES is not. Set RECOLLECT_TRACES, or remove RECOLLECT_TRACES_HEADERS.",
  ];
}

function readHeaders(text: string): Readonly<Record<string, string>> | null {
  const headers: Record<string, string> = {};
  for (const entry of text.split(",")) {
    const [, name, value = ""] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
    if (name === undefined) return null;
    try {
      headers[name] = decodeURIComponent(value);
    } catch {
      return null;
    }
    if (/[^\t\x20-\x7e\x80-\xff]/.test(headers[name])) return null;
  }
  return headers;
}

function refuse(context: z.RefinementCtx): never {
  context.addIssue({ code: "custom", message: HEADERS_RULE });
  return z.NEVER;
}
