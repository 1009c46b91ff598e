/** The numbers of a text as digits, without leading zeros: `08` and `8` are the same. */
export function numbersOf(text: string): string[] {
  return (text.match(/\d+/g) ?? []).map((digits) => digits.replace(/^0+(?=\d)/, ""));
}

const ZERO = 48;
const NINE = 57;

/** True for a UTF-16 code unit that is one of the digits 0 to 9; false for NaN. */
export function isDigit(codeUnit: number): boolean {
  return codeUnit >= ZERO && codeUnit <= NINE;
}
