/** How the cells of a text are told apart. */
export interface DelimitedText {
  readonly delimiter: string;
  /** The text without a line that says its delimiter. */
  readonly rest: string;
  /** Lines that were left out at the beginning. */
  readonly skipped: number;
}

const SAMPLE_CHARACTERS = 65_536;
const CANDIDATES = ["\t", ";", ",", "|"];

/** The sign that cuts most lines into equally many cells; a comma where none does. */
export function findDelimiter(text: string): DelimitedText {
  // Spreadsheets write it so, and never show the line.
  const said = /^sep=([^\n])\n/i.exec(text.slice(0, 10));
  if (said?.[1] !== undefined) return { delimiter: said[1], rest: text.slice(said[0].length), skipped: 1 };
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const scores = CANDIDATES.map((delimiter) => ({ delimiter, score: evenness(countPerRow(sample, delimiter)) }));
  const best = scores.reduce((one, other) => (other.score > one.score ? other : one));
  return { delimiter: best.score > 0 ? best.delimiter : ",", rest: text, skipped: 0 };
}

/** How many of a sign each row has outside of quotes. */
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
  // The last row of a long sample is cut.
  if (!isEmpty && (sample.length < SAMPLE_CHARACTERS || counts.length === 0)) counts.push(count);
  return counts;
}

/** The part of the rows that have the most usual number of signs, a little more where that is large. */
function evenness(counts: readonly number[]): number {
  const rows = new Map<number, number>();
  for (const count of counts) if (count > 0) rows.set(count, (rows.get(count) ?? 0) + 1);
  let best = 0;
  for (const [count, times] of rows) best = Math.max(best, times / counts.length + Math.min(count, 50) / 500);
  return best;
}
