import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { cleanText } from "../../src/extractors/clean-text.js";
import { decodeBytes, declaredEncoding } from "../../src/extractors/decode-bytes.js";

const ICONV = "iconv";
const hasIconv = spawnSync(ICONV, ["--version"]).status === 0;

function encode(text: string, encoding: string): Uint8Array {
  const { status, stdout, stderr } = spawnSync(ICONV, ["-f", "utf-8", "-t", encoding], { input: text });
  if (status !== 0) throw new Error(stderr.toString());
  return stdout;
}

const GUESSED = {
  "windows-1252": "Die Straße führt über die Brücke – “naïve café” für 12 €.",
  "windows-1251": "Встреча назначена на пятницу, в десять часов утра.",
  "koi8-r": "Встреча назначена на пятницу, в десять часов утра.",
  "windows-1253": "Η συνάντηση ορίστηκε για την Παρασκευή στις δέκα το πρωί.",
  shift_jis: "会議は金曜日の午前十時に行われます。よろしくお願いします。",
  "euc-jp": "会議は金曜日の午前十時に行われます。よろしくお願いします。",
  "euc-kr": "회의는 금요일 오전 열 시에 있습니다. 잘 부탁드립니다.",
  gb18030: "会议定在星期五上午十点，这是我们的第一个中国项目，请大家都来。",
  big5: "會議定在星期五上午十點，這是我們的第一個中國專案，請大家都來。",
};

describe.skipIf(!hasIconv)("with iconv (missing: iconv)", () => {
  test.each(Object.entries(GUESSED))(
    "%s is recognised from its bytes, and read when it is declared",
    (encoding, text) => {
      const bytes = encode(text, encoding);
      expect(decodeBytes(bytes)).toEqual({ text, encoding, isGuess: true });
      expect(decodeBytes(bytes, [null, "no-such-charset", encoding])).toEqual({ text, encoding, isGuess: false });
    },
  );

  test("UTF-16 is read with and without a byte order mark, UTF-8 with one", () => {
    const text = "Zürich, 5 €";
    for (const encoding of ["utf-16le", "utf-16be"]) {
      const bytes = encode(text, encoding);
      expect(decodeBytes(bytes)).toMatchObject({ text, encoding });
      expect(decodeBytes(encode(`\uFEFF${text}`, encoding))).toMatchObject({ text, encoding });
    }
    expect(decodeBytes(Buffer.from(`\uFEFF${text}`))).toMatchObject({ text, encoding: "utf-8" });
  });

  test("ISO-2022-JP, whose bytes are ASCII, is read when it is declared", () => {
    const text = "会議は金曜日です。";
    expect(decodeBytes(encode(text, "iso-2022-jp"), ["ISO-2022-JP"]).text).toBe(text);
  });
});

test("UTF-8 declared as another encoding is read as UTF-8", () => {
  for (const name of ["iso-8859-1", "gbk", "gb2312", "shift_jis", "big5", "euc-kr"])
    expect(decodeBytes(Buffer.from("naïve café, 你好世界"), [name])).toMatchObject({ text: "naïve café, 你好世界" });
});

test("a declared encoding that does not fit is ignored", () => {
  const latin = Buffer.from("Die Stra\xdfe f\xfchrt nach M\xfcnchen", "latin1");
  expect(decodeBytes(latin, ["utf-8"]).text).toBe("Die Straße führt nach München");
});

test("UTF-8 truncated within a character stays UTF-8", () => {
  const cut = Buffer.from("Füße über Flüssen, größer als Bäume, süß wie Äpfel €").subarray(0, -1);
  expect(decodeBytes(cut).text).toContain("größer als Bäume");
});

test("HTML and XML declare their encoding", () => {
  expect(declaredEncoding(Buffer.from('<?xml version="1.0" encoding="windows-1251"?><a/>'))).toBe("windows-1251");
  expect(declaredEncoding(Buffer.from("<html><head><meta charset=shift_jis>"))).toBe("shift_jis");
  expect(
    declaredEncoding(Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">')),
  ).toBe("iso-8859-2");
  expect(declaredEncoding(Buffer.from('<meta charset="utf-16">'))).toBeNull();
  expect(declaredEncoding(Buffer.from("plain"))).toBeNull();
});

test("control characters that no text needs are removed", () => {
  expect(cleanText("a\u0000b\u001b[0m\ud800c\r\nd\re\u{1F600}")).toBe("ab[0mc\nd\ne\u{1F600}");
});

test("any bytes are decoded quickly", () => {
  const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) >> (index % 5));
  const began = performance.now();
  expect(decodeBytes(bytes).text.isWellFormed()).toBe(true);
  expect(performance.now() - began).toBeLessThan(5_000);
});
