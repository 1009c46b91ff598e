import type { SpokenPiece, Transcriber } from "../../core/ports.js";
import { sha256 } from "../../lib/crypto.js";

/** Recordings, of about ten minutes each. */
const MOST = 72;

/**
 * The same transcriber, which does not transcribe a recent recording twice: an interrupted long recording resumes where it was,
 * and what was paid for is kept.
 */
export function createRememberingTranscriber(transcriber: Transcriber): Transcriber {
  const remembered = new Map<string, readonly SpokenPiece[]>();
  return {
    name: transcriber.name,
    problem: async () => (await transcriber.problem?.()) ?? null,
    async transcribe(recording, signal) {
      const key = sha256(recording.bytes);
      const pieces = remembered.get(key) ?? (await transcriber.transcribe(recording, signal));
      remembered.delete(key);
      remembered.set(key, pieces);
      const [oldest] = remembered.keys();
      if (remembered.size > MOST && oldest !== undefined) remembered.delete(oldest);
      return pieces;
    },
  };
}
