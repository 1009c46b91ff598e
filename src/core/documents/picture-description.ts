/** What stands before a model's words wherever they are shown, so that nobody takes them for those of a picture. */
const MARK = "Picture description by a language model: ";
const BETWEEN_PARAGRAPHS = "\n\n";

/** A model's description of a picture, as a paragraph of the text of its document. */
export function pictureParagraph(description: string): string {
  return `${MARK}${description}`;
}

/** Whether a text of a document has a description by a model. */
export function hasPictureDescription(text: string): boolean {
  return text.startsWith(MARK) || text.includes(`${BETWEEN_PARAGRAPHS}${MARK}`);
}

/** The paragraph of a text with what a model said of the picture; null where it said nothing. */
export function pictureParagraphOf(text: string): string | null {
  return text.split(BETWEEN_PARAGRAPHS).find((paragraph) => paragraph.startsWith(MARK)) ?? null;
}

/** The text of a picture without what a model said of it: that can be found, but nothing is remembered of it. */
export function withoutPictureDescription(text: string): string {
  if (!hasPictureDescription(text)) return text;
  const paragraphs = text.split(BETWEEN_PARAGRAPHS);
  return paragraphs.filter((paragraph) => !paragraph.startsWith(MARK)).join(BETWEEN_PARAGRAPHS);
}
