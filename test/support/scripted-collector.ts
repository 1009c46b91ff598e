import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";

const valueSchema = z.looseObject({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
});
const attributesSchema = z
  .array(z.object({ key: z.string(), value: valueSchema }))
  .transform((list) =>
    Object.fromEntries(
      list.map(({ key, value }) => [
        key,
        value.stringValue ??
          (value.intValue === undefined ? (value.doubleValue ?? value.boolValue) : Number(value.intValue)),
      ]),
    ),
  );
const spanSchema = z.looseObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.int(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: attributesSchema,
  status: z.looseObject({ code: z.int().optional() }),
});
/** An OTLP request over HTTP in JSON, as described by the protocol. */
const requestSchema = z.object({
  resourceSpans: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes: attributesSchema }),
      scopeSpans: z.array(z.looseObject({ spans: z.array(spanSchema) })),
    }),
  ),
});

export type CollectedSpan = z.output<typeof spanSchema> & {
  readonly resource: Readonly<Record<string, unknown>>;
};

/** An OpenTelemetry collector with OTLP over HTTP. */
export interface ScriptedCollector {
  readonly url: string;
  /** In order of arrival. */
  readonly spans: readonly CollectedSpan[];
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** Resolves with the first matching span. */
  find(fits: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
  /** Answers with this status from now on; with `endless`, trickles a response that never ends. */
  answerWith(status: number | "endless"): void;
  close(): Promise<void>;
}

const PATIENCE_MS = 20_000;
const POLL_MS = 50;

export async function startScriptedCollector(): Promise<ScriptedCollector> {
  const spans: CollectedSpan[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  let status: number | "endless" = 200;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      requests.push({ path: request.url ?? "", headers: request.headers, body });
      if (status === 200)
        for (const { resource, scopeSpans } of requestSchema.parse(JSON.parse(body)).resourceSpans)
          for (const span of scopeSpans.flatMap((scope) => scope.spans))
            spans.push({ ...span, resource: resource.attributes });
      if (status === "endless") {
        const dripping = setInterval(() => response.write(" "), 500);
        response.on("close", () => clearInterval(dripping));
        return;
      }
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    requests,
    async find(fits) {
      for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
        const found = spans.find(fits);
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      throw new Error(`no such span came; there were: ${spans.map(({ name }) => name).join(", ")}`);
    },
    answerWith: (next) => void (status = next),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
