import { z } from "zod";

/** Language names in the notation of tesseract: `eng`, `chi_sim`, `eng+deu`. People may have trained others. */
const LANGUAGES = /^[A-Za-z][A-Za-z_]{2,30}(?:\+[A-Za-z][A-Za-z_]{2,30}){0,9}$/;

/** The languages for which data exist, by their official codes. */
const CODES = (
  "afr amh ara asm aze bel ben bod bos bre bul cat ceb ces chi_sim cos cym dan deu div dzo ell eng epo est eus fao fas fil fin " +
  "fra fry gla gle glg guj hat heb hin hrv hun hye iku ind isl ita jav jpn kan kat kaz khm kir kor lao lat lav lit ltz mal mar mkd " +
  "mlt mon mri msa mya nep nld nor oci ori pan pol por pus que ron rus san sin slk slv snd spa sqi srp sun swa swe syr tam tat tel " +
  "tgk tha tir ton tur uig ukr urd uzb vie yid yor"
).split(" ");

/**
 * The setting `RECOLLECT_READ_LANGUAGES`. A known language under another name is refused with the right one; names with
 * a capital letter are those of scripts, such as `Latin`.
 */
export const readingLanguages = z
  .string()
  .regex(LANGUAGES, "must be up to ten languages by their tesseract names, joined by +, such as eng or eng+deu")
  .superRefine((setting, context) => {
    const unknown = setting.split("+").filter((name) => !CODES.includes(name));
    const names = unknown.length > 0 ? codesByName() : NO_NAMES;
    for (const name of unknown) {
      const code = names.get(name) ?? OTHER_CODES.get(name.toLowerCase()) ?? inSmallLetters(name);
      if (code !== undefined)
        context.addIssue({ code: "custom", message: `has ${name}, which tesseract calls ${code}` });
    }
  });

/** Where ISO 639-2 has two codes, the one that tesseract does not accept. */
const OTHER_CODES: ReadonlyMap<string, string> = new Map(
  (
    "alb:sqi arm:hye baq:eus bur:mya chi:chi_sim cze:ces dut:nld fre:fra geo:kat ger:deu gre:ell ice:isl mac:mkd may:msa " +
    "per:fas rum:ron slo:slk tib:bod wel:cym"
  )
    .split(" ")
    .map((pair) => [pair.slice(0, 3), pair.slice(4)]),
);

function inSmallLetters(name: string): string | undefined {
  const small = name.toLowerCase();
  return name === name.toUpperCase() && CODES.includes(small) ? small : undefined;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** By English name and by native name, in lower case. */
function codesByName(): ReadonlyMap<string, string> {
  return new Map(
    CODES.flatMap((code) => {
      const language = code.slice(0, 3) === "chi" ? "zh" : code;
      return ["en", language].map((locale) => [nameOf(language, locale), code] as const);
    }),
  );
}

function nameOf(language: string, locale: string): string {
  return new Intl.DisplayNames(locale, { type: "language" }).of(language)?.toLowerCase() ?? language;
}
