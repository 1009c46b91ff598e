/** More marks on one letter than any writing has; to sort them costs time that grows with the square of their number. */
const HEAPED_MARKS = /(\p{M}{8})\p{M}+/gu;

/** `text.normalize`, in time that grows with the length of the text alone: of a heap of marks on one letter eight stay. */
export function normalForm(text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string {
  return text.replace(HEAPED_MARKS, "$1").normalize(form);
}
