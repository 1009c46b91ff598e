/** Attributes of a span: names of this program and numbers, never content. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** A piece of work in a trace, while it runs. */
export interface TraceSpan {
  /** For a name that is known only once the work is under way. */
  rename(name: string): void;
  note(facts: SpanFacts): void;
  /** @param kind a status or the kind of an error, never its message */
  fail(kind: string): void;
}

export interface SpanStart {
  readonly name: string;
  /** `server`: a request that is answered; `client`: one that is sent; `consumer`: a job. Default: internal work. */
  readonly kind?: "server" | "client" | "consumer";
  readonly facts?: SpanFacts;
  /** The W3C Trace Context header of the caller. Without it the parent is the enclosing span. */
  readonly traceparent?: string | null | undefined;
}

/** Where spans go. */
export interface Tracer {
  /** Runs the work within a span, which ends with it and fails if it throws. */
  trace<T>(start: SpanStart, work: (span: TraceSpan) => T | Promise<T>): Promise<T>;
  /** Sends the remaining spans, waiting briefly. */
  close(): Promise<void>;
}

const NO_SPAN: TraceSpan = { rename: () => undefined, note: () => undefined, fail: () => undefined };

let tracer: Tracer | undefined;

/** Sets where the spans of this process go; undefined for nowhere. */
export function traceTo(next: Tracer | undefined): void {
  tracer = next;
}

/** Runs the work within a span if traces are sent, and plainly otherwise. */
export async function traced<T>(start: SpanStart, work: (span: TraceSpan) => T | Promise<T>): Promise<T> {
  return tracer ? tracer.trace(start, work) : work(NO_SPAN);
}
