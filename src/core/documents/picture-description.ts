/** Precedes a model's words wherever they are shown, so that nobody takes them for text in a picture. */
const MARK = "Picture description by a language model: ";
const BETWEEN_PARAGRAPHS = "\n\n";

/** A model's description of a picture, as a paragraph of the text of its document. */
export function pictureParagraph(description: string): string {
  return `${MARK}${description}`;
}

/** Whether a text of a document contains a description by a model. */
export function hasPictureDescription(text: string): boolean {
  return text.startsWith(MARK) || text.includes(`${BETWEEN_PARAGRAPHS}${MARK}`);
}

/** The paragraph of a text with a model's description of the picture; null if there is none. */
export function pictureParagraphOf(text: string): string | null {
  return text.split(BETWEEN_PARAGRAPHS).find((paragraph) => paragraph.startsWith(MARK)) ?? null;
}

/** The text of a picture without the model's description: that is searchable, but no memories are made from it. */
export function withoutPictureDescription(text: string): string {
  if (!hasPictureDescription(text)) return text;
  const paragraphs = text.split(BETWEEN_PARAGRAPHS);
  return paragraphs.filter((paragraph) => !paragraph.startsWith(MARK)).join(BETWEEN_PARAGRAPHS);
}
