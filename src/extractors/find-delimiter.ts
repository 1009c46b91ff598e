/** Text with delimited cells. */
export interface DelimitedText {
  readonly delimiter: string;
  /** The text without the line that declares its delimiter. */
  readonly rest: string;
  /** Number of lines removed at the beginning. */
  readonly skipped: number;
}

const SAMPLE_CHARACTERS = 65_536;
const CANDIDATES = ["\t", ";", ",", "|"];

/** The delimiter that splits most lines into the same number of cells; a comma if there is none. */
export function findDelimiter(text: string): DelimitedText {
  // Spreadsheets write this line but never show it.
  const said = /^sep=([^\n])\n/i.exec(text.slice(0, 10));
  if (said?.[1] !== undefined) return { delimiter: said[1], rest: text.slice(said[0].length), skipped: 1 };
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const scores = CANDIDATES.map((delimiter) => ({ delimiter, score: evenness(countPerRow(sample, delimiter)) }));
  const best = scores.reduce((one, other) => (other.score > one.score ? other : one));
  return { delimiter: best.score > 0 ? best.delimiter : ",", rest: text, skipped: 0 };
}

/** Counts a delimiter in each row, outside quotes. */
function countPerRow(sample: string, delimiter: string): number[] {
  const counts: number[] = [];
  let count = 0;
  let isQuoted = false;
  let isEmpty = true;
  for (const character of sample) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === delimiter) count += 1;
    if (character === "\n" && !isQuoted) {
      if (!isEmpty) counts.push(count);
      count = 0;
      isEmpty = true;
    } else isEmpty = false;
  }
  // The last row of a long sample is truncated.
  if (!isEmpty && (sample.length < SAMPLE_CHARACTERS || counts.length === 0)) counts.push(count);
  return counts;
}

/** The share of rows with the most frequent count, slightly increased if that count is high. */
function evenness(counts: readonly number[]): number {
  const rows = new Map<number, number>();
  for (const count of counts) if (count > 0) rows.set(count, (rows.get(count) ?? 0) + 1);
  let best = 0;
  for (const [count, times] of rows) best = Math.max(best, times / counts.length + Math.min(count, 50) / 500);
  return best;
}
