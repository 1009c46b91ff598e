/** A piece of speech, as it was said. */
export interface SpokenPiece {
  /** Seconds from the beginning of the recording. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Transcribes recordings. */
export interface Transcriber {
  /** For people, e.g. `whisper-1 at https://api.openai.com/v1`. */
  readonly name: string;
  /** Why it cannot be used at the moment, as a sentence; null if it can. If only using it tells, the result of the last use. */
  problem?(): Promise<string | null>;
  /**
   * The speech in one recording of at most 25 MB, in order; empty if there is none.
   * @throws AppError `unavailable` with `retryAfter` when the service is away, busy or out of credit, `unsupported` when its
   * program is not installed, `ServiceRefusal` when it refuses the key, the model or the recording
   */
  transcribe(
    recording: {
      readonly bytes: Uint8Array;
      readonly name: string;
      readonly mimeType: string;
      /** The queue of the recording where recordings take turns; those without one share a queue. */
      readonly queue?: string;
    },
    signal: AbortSignal,
  ): Promise<readonly SpokenPiece[]>;
}
