/** A data URL with bytes (RFC 2397), as editors embed pictures in Markdown; short ones are examples that people write. */
const EMBEDDED = /(data:[\w.+-]{1,100}\/[\w.+-]{1,100}(?:;[\w.=-]{1,60}){0,3};base64,)([\w+/=%-]{200,})/gi;
const MARK = ";base64,";
const LONG_BLANK = / {200,}/g;

/** A text without the bytes in its data URLs, which contain no words. */
export function withoutEmbeddedBytes(text: string): string {
  return text.includes(MARK) ? text.replaceAll(EMBEDDED, "$1") : text;
}

/** The same with blanks in their place, so that all offsets stay the same. */
export function blankEmbeddedBytes(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replaceAll(EMBEDDED, (_whole, address: string, bytes: string) => address + " ".repeat(bytes.length));
}

/** A piece of such a text without those blanks. */
export function withoutBlanks(piece: string): string {
  return piece.replaceAll(LONG_BLANK, " ");
}
