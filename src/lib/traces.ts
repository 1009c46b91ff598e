/** What is told of a span beside its name: words of this program and numbers, never what somebody said. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** A piece of work in a trace, while it lasts. */
export interface Span {
  /** Gives it a name that is known only now. */
  rename(name: string): void;
  note(facts: SpanFacts): void;
  /** @param kind what went wrong, in a word, such as a status or the kind of an error */
  fail(kind: string): void;
}

export interface SpanStart {
  readonly name: string;
  /** What it is for others: a request that is answered, one that is sent, or a job. Default: work within. */
  readonly kind?: "server" | "client" | "consumer";
  readonly facts?: SpanFacts;
  /** The W3C Trace Context header of whoever asked for it; its parent otherwise is the span around it. */
  readonly traceparent?: string | null | undefined;
}

/** Where spans go. */
export interface Tracer {
  /** Does the work within a span, and ends the span with it; one that throws has failed. */
  trace<T>(start: SpanStart, work: (span: Span) => T | Promise<T>): Promise<T>;
  /** Sends what was not sent yet, and waits a moment for that. */
  close(): Promise<void>;
}

const NO_SPAN: Span = { rename: () => undefined, note: () => undefined, fail: () => undefined };

let tracer: Tracer | undefined;

/** Sends the spans of this process there from now on, or nowhere. */
export function traceTo(next: Tracer | undefined): void {
  tracer = next;
}

/** Does some work within a span where somebody wants to know. */
export async function traced<T>(start: SpanStart, work: (span: Span) => T | Promise<T>): Promise<T> {
  return tracer ? tracer.trace(start, work) : work(NO_SPAN);
}
