/** HTML that may be inserted into a page as it is. */
export interface Html {
  readonly html: string;
}

type Piece = string | number | Html | readonly Html[];

/** Fills a template: texts are escaped, HTML is inserted as it is. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const [first = "", ...rest] = strings.map(withoutIndentation);
  return { html: rest.reduce((text, string, index) => text + textOf(pieces[index] ?? "") + string, first) };
}

/** Templates are indented only for readability here. */
function withoutIndentation(text: string): string {
  return text.replace(/\n\s+/g, "\n");
}

function textOf(piece: Piece): string {
  if (typeof piece === "string" || typeof piece === "number") return escape(String(piece));
  if ("html" in piece) return piece.html;
  return piece.map((one) => one.html).join("");
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Sentences with `code` in backticks; an empty line starts a new paragraph. */
export function prose(text: string): Html {
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`);
  return html`${paragraphs}`;
}

/** The same within a line. */
export function inline(text: string): Html {
  const parts = text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
  return html`${parts}`;
}
