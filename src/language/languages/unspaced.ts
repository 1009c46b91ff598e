import { isFunctionWord } from "./function-words.js";

/** Han, Japanese and Bopomofo characters, with the marks between them. */
const EAST_ASIAN = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}]+`;
const HANGUL = String.raw`\p{sc=Hangul}+`;
const SOUTH_EAST_ASIAN = String.raw`[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+`;
/** Cuts a run of letters, marks and digits where the kind of script changes. */
const PIECES = new RegExp(
  `(?<east>${EAST_ASIAN})|(?<hangul>${HANGUL})|(?<south>${SOUTH_EAST_ASIAN})|(?<spaced>(?:(?!${EAST_ASIAN}|${HANGUL}|${SOUTH_EAST_ASIAN}).)+)`,
  "gu",
);
const HAN = /^\p{sc=Han}$/u;
const HIRAGANA = /^\p{sc=Hiragana}$/u;
/** What may follow a Korean word without a space, longest first. */
const KOREAN_ENDINGS = (
  "했습니다 하였습니다 에서는 에서도 으로는 에게서 이라고 입니까 입니다 합니다 합니까 습니다 습니까 했어요 이에요 인가요 에서 에게 한테 께서 으로 까지 부터 " +
  "처럼 보다 마다 라고 이나 이랑 하고 해요 하는 하나 하다 했다 되는 나요 까요 어요 아요 예요 세요 지요 은 는 이 가 을 를 의 에 로 와 과 도 만 나 랑 요 고 다 한 할 된 인"
)
  .split(" ")
  .sort((first, second) => second.length - first.length);
const KOREAN_PARTICLE = /^(\p{sc=Hangul})[은는이가을를의에로와과도만]$/u;

export type Piece = { readonly kind: "east" | "hangul" | "south" | "spaced"; readonly text: string };

/** The parts of a run of letters, marks and digits, each in one kind of script. */
export function* piecesOf(run: string): Generator<Piece> {
  for (const { groups, 0: text } of run.matchAll(PIECES)) {
    if (groups?.["spaced"] !== undefined) yield { kind: "spaced", text };
    else yield { kind: groups?.["east"] ? "east" : groups?.["hangul"] ? "hangul" : "south", text };
  }
}

/** Overlapping pairs of neighbouring characters, or a single character; they match however the run is cut into words. */
export function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** The single characters that somebody may search for: each Han character, and the first syllable of a Korean word. */
export function singlesOf({ kind, text }: Piece): string[] {
  const characters = Array.from(text);
  if (characters.length < 2) return [];
  return kind === "hangul" ? characters.slice(0, 1) : characters.filter((character) => HAN.test(character));
}

/** What to search for to find a run of East Asian text: its words in pairs of characters, without function words. */
export function askEastAsian(run: string): string[] {
  const asked: string[] = [];
  let before = "";
  for (const word of segment(run)) {
    const length = Array.from(word).length;
    if (isFunctionWord(word) || (length === 1 && HIRAGANA.test(word))) {
      before = "";
      continue;
    }
    if (length > 1) asked.push(...coverOf(word));
    else if (HAN.test(word)) asked.push(word);
    // Names are often split into words of one character each.
    if (length === 1 && before !== "") asked.push(before + word);
    before = length === 1 ? word : "";
  }
  return asked.length > 0 ? asked : pairsOf(run);
}

/** What to search for to find a Korean word: the word without its ending, in pairs of syllables. */
export function askKorean(run: string): string[] {
  const end = KOREAN_ENDINGS.find((ending) => run.endsWith(ending) && run.length - ending.length >= 2);
  const bare = end === undefined ? run : run.slice(0, -end.length);
  return bare.length < 2 ? [bare] : coverOf(bare);
}

/** Another form of a query word: a Korean noun of one syllable without its particle. Empty for all other words. */
export function withoutParticle(word: string): string {
  return KOREAN_PARTICLE.exec(word)?.[1] ?? "";
}

/** The fewest pairs that contain every character. */
function coverOf(word: string): string[] {
  const pairs = pairsOf(word);
  return pairs.filter((_, index) => index % 2 === 0 || index === pairs.length - 1);
}

const SAMPLES = ["ฉันอาศัยอยู่ที่กรุงเทพและชอบกินส้มตำ", "ຂ້ອຍຢູ່ວຽງຈັນ", "ខ្ញុំរស់នៅភ្នំពេញ", "ရန်ကုန်မှာနေပါတယ်"];

/** How this runtime segments samples of scripts without spaces: another one may have other dictionaries. */
export function sampleSegments(): string {
  return SAMPLES.map((sample) => segment(sample).join("|")).join("/");
}

const segmenter: { of?: Intl.Segmenter | null } = {};
const CACHE_LIMIT = 5_000;
const LONGEST_KEPT = 400;
const known = new Map<string, readonly string[]>();

/** The words of a run without spaces, by the runtime's dictionaries; pairs of characters if it has none. */
export function segment(run: string): readonly string[] {
  const kept = known.get(run);
  if (kept !== undefined) return kept;
  segmenter.of ??= typeof Intl.Segmenter === "function" ? new Intl.Segmenter("ja", { granularity: "word" }) : null;
  const found = segmenter.of ? Array.from(segmenter.of.segment(run), ({ segment: word }) => word) : pairsOf(run);
  if (run.length <= LONGEST_KEPT) {
    if (known.size >= CACHE_LIMIT) known.clear();
    known.set(run, found);
  }
  return found;
}
