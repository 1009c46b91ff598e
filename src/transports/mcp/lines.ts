/** Bytes kept from the beginning and from the end of a line that is too long. */
const KEPT_BYTES = 512;
const NEWLINE = 0x0a;

export interface LineReader {
  onLine(line: Buffer): void;
  /** A line exceeded the limit and was dropped; what is left of it shows which request it was. */
  onTooLong(beginning: Buffer, ending: Buffer): void;
}

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** The input has ended: what came after the last newline counts as a line. */
  end(): void;
}

/** Splits a stream of bytes into lines of at most `limit` bytes, each in linear time however it arrives. */
export function createLineSplitter(limit: number, reader: LineReader): LineSplitter {
  let pieces: Buffer[] = [];
  let size = 0;
  /** Set while a line that is too long is being skipped. */
  let skipped: { beginning: Buffer; ending: Buffer } | undefined;

  const keep = (piece: Buffer): void => {
    if (skipped) {
      skipped.ending = tail(Buffer.concat([skipped.ending, tail(piece)]));
      return;
    }
    pieces.push(piece);
    size += piece.length;
    if (size <= limit) return;
    const line = Buffer.concat(pieces);
    skipped = { beginning: Buffer.from(line.subarray(0, KEPT_BYTES)), ending: Buffer.from(tail(line)) };
    pieces = [];
    size = 0;
  };

  const finish = (): void => {
    if (skipped) reader.onTooLong(skipped.beginning, skipped.ending);
    else reader.onLine(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
    skipped = undefined;
    pieces = [];
    size = 0;
  };

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        keep(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      if (start < chunk.length) keep(chunk.subarray(start));
    },
    end() {
      if (size > 0 || skipped) finish();
    },
  };
}

function tail(bytes: Buffer): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - KEPT_BYTES));
}
