/** Other people's words on one line: nothing in them breaks it, or reverses the direction of what follows. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}
