import { html, type Html } from "../../../pages/html.js";

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
