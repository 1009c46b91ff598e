/** More marks on one letter than any script uses; sorting them takes quadratic time. */
const HEAPED_MARKS = /(\p{M}{8})\p{M}+/gu;

/** `text.normalize` in linear time: of the marks heaped on one letter, only eight are kept. */
export function normalForm(text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string {
  return text.replace(HEAPED_MARKS, "$1").normalize(form);
}
