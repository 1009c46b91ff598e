/** A generated text in which every word is known and occurs once. */
export interface SampleDocument {
  readonly markdown: string;
  /** In reading order. */
  readonly words: readonly string[];
  readonly headings: readonly string[];
  /** Rows of every table, header first. */
  readonly tables: readonly (readonly (readonly string[])[])[];
}

const STEMS = [
  "amber",
  "birch",
  "cedar",
  "delta",
  "émile",
  "fjord",
  "größe",
  "heron",
  "яблоко",
  "juniper",
  "naïve",
  "東京",
];

class Writer {
  readonly words: string[] = [];
  readonly headings: string[] = [];
  readonly tables: string[][][] = [];
  readonly #blocks: string[] = [];

  some(count: number): string {
    const words = Array.from({ length: count }, () => this.#word());
    this.words.push(...words);
    return words.join(" ");
  }

  #count = 0;
  #word(): string {
    this.#count += 1;
    return `${STEMS[this.#count % STEMS.length] ?? ""}${this.#count}`;
  }

  heading(level: number): void {
    const text = this.some(3);
    this.headings.push(`${"#".repeat(level)} ${text}`);
    this.#blocks.push(`${"#".repeat(level)} ${text}`);
  }

  block(text: string): void {
    this.#blocks.push(text);
  }

  list(): void {
    const [first, inner, last] = [this.some(3), this.some(2), this.some(4)];
    this.block(`- ${first}\n    - ${inner}\n- ${last}`);
  }

  table(): void {
    const rows = Array.from({ length: 5 }, () => Array.from({ length: 3 }, () => this.some(1)));
    this.tables.push(rows);
    const [header = [], ...body] = rows.map((row) => `| ${row.join(" | ")} |`);
    this.block([header, "|---|---|---|", ...body].join("\n"));
  }

  end(front: string): SampleDocument {
    const { words, headings, tables } = this;
    return { markdown: `${front}${this.#blocks.join("\n\n")}\n`, words, headings, tables };
  }
}

const FRONT = `---\ntitle: "Sample title"\nauthor: "Ada Sample"\n---\n\n`;

/** Sections with paragraphs, lists and tables. */
export function sampleText(sections: number): SampleDocument {
  const writer = new Writer();
  for (let section = 0; section < sections; section += 1) {
    writer.heading(1);
    writer.block(`${writer.some(80)}.`);
    writer.heading(2);
    writer.list();
    writer.block(`1. ${writer.some(2)}\n2. ${writer.some(2)}`);
    writer.table();
    writer.block(`${writer.some(40)}.`);
  }
  return writer.end(FRONT);
}

/** Slides with a list or a table each, and speaker notes after the lists. */
export function sampleSlides(pairs: number): SampleDocument {
  const writer = new Writer();
  for (let pair = 0; pair < pairs; pair += 1) {
    writer.heading(1);
    writer.list();
    writer.block(`::: notes\n${writer.some(12)}\n:::`);
    writer.heading(1);
    writer.table();
  }
  return writer.end(FRONT);
}
