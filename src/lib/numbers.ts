/** The numbers of a text as their digits, without zeros in front: `08` and `8` are the same. */
export function numbersOf(text: string): string[] {
  return (text.match(/\d+/g) ?? []).map((digits) => digits.replace(/^0+(?=\d)/, ""));
}
