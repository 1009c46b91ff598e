/** A piece of speech, as it was said. */
export interface SpokenPiece {
  /** Seconds from the beginning of the recording. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Writes down what is said in recordings. */
export interface Transcriber {
  /** For people, e.g. `whisper-1 at https://api.openai.com/v1`. */
  readonly name: string;
  /** What keeps it from being used here at the moment, as a sentence; null for nothing. Where only using it tells, as the last use did. */
  problem?(): Promise<string | null>;
  /**
   * What one recording of at most 25 MB says, in order; nothing for one without speech.
   * @throws AppError `unavailable` with `retryAfter` when the service is away, busy or out of credit, `unsupported` when its
   *   program is not installed, `ServiceRefusal` when it refuses the key, the model or the recording
   */
  transcribe(
    recording: {
      readonly bytes: Uint8Array;
      readonly name: string;
      readonly mimeType: string;
      /** Whose turn it is where recordings wait for each other; those without one share a queue. */
      readonly queue?: string;
    },
    signal: AbortSignal,
  ): Promise<readonly SpokenPiece[]>;
}
