import type { WrittenText } from "./written-pdf.js";

/** Widths of Helvetica characters, in thousandths of the font size. */
const WIDTHS: readonly (readonly [letters: string, width: number])[] = [
  ["ijl", 222],
  ["ft,.; I", 278],
  ["r-", 333],
  ["ckvxyzsJ", 500],
  ["abdeghnopquL0123456789", 556],
  ["FTZ", 611],
  ["ABEKPSVXY", 667],
  ["wCDHNRU", 722],
  ["GOQ", 778],
  ["mM", 833],
  ["W", 944],
];

/** Width of a text in Helvetica. @throws for an unknown character */
export function widthOf(text: string, size: number): number {
  const widths = Array.from(text, (letter) => {
    const [, width] = WIDTHS.find(([letters]) => letters.includes(letter)) ?? [];
    if (width === undefined) throw new Error(`The width of ${letter} is not known.`);
    return width;
  });
  return (widths.reduce((sum, width) => sum + width, 0) * size) / 1000;
}

/** A paragraph justified to both margins of a column, word by word, and the position of the line below it. */
export function justified(
  paragraph: string,
  from: Omit<WrittenText, "text"> & { readonly width: number },
): { readonly texts: WrittenText[]; readonly y: number } {
  const { size, width, x } = from;
  const texts: WrittenText[] = [];
  let y = from.y;
  let open: string[] = [];
  const write = (isLast: boolean) => {
    const letters = open.reduce((sum, word) => sum + widthOf(word, size), 0);
    const gap = isLast ? widthOf(" ", size) : (width - letters) / Math.max(1, open.length - 1);
    let left = x;
    for (const text of open) {
      texts.push({ text, x: left, y, size });
      left += widthOf(text, size) + gap;
    }
    y += 1.2 * size;
    open = [];
  };
  for (const word of paragraph.split(" ")) {
    if (open.length > 0 && widthOf([...open, word].join(" "), size) > width) write(false);
    open.push(word);
  }
  write(true);
  return { texts, y };
}
