import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { hostname } from "node:os";
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { type ExportResult, ExportResultCode, parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base";
import { AppError } from "../../core/errors.js";
import type { Log } from "../../core/ports.js";
import { sleep } from "../../lib/time.js";
import type { SpanStart, Tracer } from "../../lib/traces.js";

export interface OtlpOptions {
  /** Where spans are sent: a collector's base URL, or the full address if it has a path. */
  readonly url: string;
  /** Sent with them, such as a key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Share of the traces that begin here, 0 to 1. Those begun by a caller are sent if the caller sampled them. */
  readonly share: number;
  readonly version: string;
  readonly log: Log;
}

/** Includes all retries. Nothing can interrupt them, and a command does not end before they do. */
const SENT_WITHIN_MS = 3_000;
/** By itself the library gives up on a silent collector, but not on one whose response never ends. */
const ANSWERS_WITHIN_MS = 15_000;
/** A stop waits no longer than this for a collector that does not answer. */
const CLOSE_PATIENCE_MS = 2_000;
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;

/**
 * Sends spans to an OpenTelemetry collector by OTLP over HTTP, in JSON, in the background. If the collector is down, its spans
 * are lost and nothing else.
 */
export function createOtlpTracer(options: OtlpOptions): Tracer {
  const url = tracesUrl(options.url);
  const agent = new (url.startsWith("https:") ? HttpsAgent : HttpAgent)({ keepAlive: true });
  const exporter = sayingOnce(
    new OTLPTraceExporter({
      url,
      headers: { ...options.headers },
      timeoutMillis: SENT_WITHIN_MS,
      httpAgentOptions: () => agent,
    }),
    options.log,
  );
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      "service.name": "recollect",
      "service.version": options.version,
      "service.instance.id": `${hostname()}:${process.pid}`,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.share) }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer("recollect", options.version);
  const contexts = new AsyncLocalStorageContextManager().enable();
  return {
    trace(start, work) {
      const parent = parentOf(start) ?? contexts.active();
      const kind = start.kind === undefined ? SpanKind.INTERNAL : KINDS[start.kind];
      const span = tracer.startSpan(start.name, { kind, attributes: { ...start.facts } }, parent);
      const fail = (type: string): void => {
        span.setAttribute("error.type", type);
        span.setStatus({ code: SpanStatusCode.ERROR });
      };
      const told = {
        rename: (name: string) => void span.updateName(name),
        note: (facts: Readonly<Record<string, string | number | boolean>>) => void span.setAttributes({ ...facts }),
        fail,
      };
      return contexts.with(trace.setSpan(parent, span), async () => {
        try {
          return await work(told);
        } catch (error) {
          fail(kindOf(error));
          throw error;
        } finally {
          span.end();
        }
      });
    },
    async close() {
      // Lost spans have already been logged.
      await Promise.race([provider.shutdown().catch(() => undefined), sleep(CLOSE_PATIENCE_MS, { unref: true })]);
      // An open connection to the collector would keep the process alive.
      agent.destroy();
      contexts.disable();
    },
  };
}

/** An error's message may quote content. */
function kindOf(error: unknown): string {
  if (error instanceof AppError) return error.kind;
  return error instanceof Error ? error.name : "unknown";
}

/** Undefined without a valid header. */
function parentOf({ traceparent }: SpanStart): Context | undefined {
  const remote = traceparent ? parseTraceParent(traceparent) : null;
  return remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : undefined;
}

function tracesUrl(url: string): string {
  return new URL(url).pathname === "/" ? `${url}/v1/traces` : url;
}

/** Logs when spans begin to be lost, and when they arrive again. */
function sayingOnce(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  const tell = ({ code, error }: ExportResult): void => {
    const failed = code !== ExportResultCode.SUCCESS;
    if (failed && !isFailing) log.warn("traces cannot be sent and are being lost", { error });
    if (!failed && isFailing) log.info("traces are being sent again");
    isFailing = failed;
  };
  return {
    export(spans, done) {
      let isTold = false;
      const end = (result: ExportResult): void => {
        clearTimeout(patience);
        if (isTold) return;
        isTold = true;
        tell(result);
        done(result);
      };
      const endless = new Error("The collector did not finish its answer.");
      const patience = setTimeout(() => end({ code: ExportResultCode.FAILED, error: endless }), ANSWERS_WITHIN_MS);
      patience.unref();
      exporter.export(spans, end);
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
