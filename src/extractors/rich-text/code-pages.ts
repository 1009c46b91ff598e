/** Code pages by Windows character set number. */
const OF_CHARACTER_SETS: Readonly<Record<number, number>> = {
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

const LABELS: Readonly<Record<number, string>> = {
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  20866: "koi8-r",
  65001: "utf-8",
};

/** The code page of a character set, or null for those that mean the document's own. */
export function codePageOf(characterSet: number): number | null {
  return OF_CHARACTER_SETS[characterSet] ?? null;
}

/** Decodes text in a Windows code page; an unknown one is taken for Western European. */
export function decodeCodePage(bytes: Uint8Array, codePage: number): string {
  const isWindows = codePage >= 1250 && codePage <= 1258;
  const label = LABELS[codePage] ?? (isWindows ? `windows-${codePage}` : "windows-1252");
  return new TextDecoder(label).decode(bytes);
}
