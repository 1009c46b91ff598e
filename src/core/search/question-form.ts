import { backgroundShare, RARE_SHARE } from "../../language/english/common-words.js";
import { conceptsOf, rootOf } from "../../language/english/relations.js";
import { facetForm } from "../../language/facets/facets.js";
import { isStopWord, tokenise } from "../../language/words.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** The beginning of a question shows what it asks for. */
const LONGEST_READ = 1_000;

const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]{3,6}teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|dozen|half|once|twice|no|only|every|each)\b|[一二三四五六七八九十百千]/i;
const TIME =
  /\d|\b(?:yesterday|today|tomorrow|ago|last|next|since|until|before|after|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|weekdays?|week|month|year|morning|afternoon|evening|night|noon|midnight|spring|summer|autumn|winter|january|february|march|april|may|june|july|august|september|october|november|december|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|sixty|christmas|easter|first|second|every|once)\b/i;
const PLACE =
  /\b(?:in|at|to|from|near|around|by|on|next|under|over|outside|beside|across|behind|into|along|joined)\b|\/|\.[a-z]{2,}\b/;

/** `how many`, `how much`, `how old`, `number` in languages related to English. */
const FOREIGN_HOW_MANY =
  "wie viele?|wie alt|wieviele?|was kostet|nummer|combien|quel âge|numéro|cuánt[oa]s?|cuant[oa]s?|número|quant[oaie]s?|numero|hoeveel|hoe oud|ile|numer";
const FOREIGN_WHEN = "wann|quand|cuándo|cuando|quando|wanneer|kiedy|quel jour|quelle date|a qué hora|a che ora";
const FOREIGN_NUMBER =
  "zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|dois|duas|três|quatro|sete|oito|dez|twee|drie|vijf|zes|zeven|negen|tien|dwa|dwie|trzy|cztery|pięć|sześć|siedem|osiem|osiemnaście|dziewięć|dziesięć";
const FOREIGN_TIME =
  "seit|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|morgen|abends?|januar|februar|märz|mai|juni|juli|oktober|dezember|sommer|winter|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|été|hiver|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|mañana|tarde|noche|verano|invierno|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|estate|inverno|segundas?|terças?|quartas?|quintas?|sextas?|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|dezembro|manhã|noite|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|januari|februari|maart|juli|oktober|zomer|poniedziałek|wtorek|środ[aęy]|czwartek|piątek|sobot[aęy]|niedziel[aęi]|stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia|wiosną|jesieni|latem|zimą|rokiem|roku";

function wordsOrSigns(words: string, signs: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\d])(?:${words})(?![\\p{L}\\d])|${signs}`, "iu");
}

const NUMBER_IN_ANY = wordsOrSigns(FOREIGN_NUMBER, "\\d|[一二三四五六七八九十百千两]");
const TIME_IN_ANY = wordsOrSigns(
  `${FOREIGN_NUMBER}|${FOREIGN_TIME}`,
  "\\d|[一二三四五六七八九十]|[月日時年朝夜夏冬春秋]|去年|来年|今年|毎|每|早上|晚上|周[一二三四五六日末]",
);

const AMOUNT =
  /\d|\b(?:hundred|thousand|grand|quid|pounds?|euros?|dollars?|free|nothing|million|twice|half|hours?|days?)\b|[€£$]|[百千万]/i;
const HEIGHT = /\d ?(?:cm|m\b|ft|feet|foot|'|inch|met)|tall|mètre|metr/i;

/** What a statement must contain to answer, by the form of the question; the first match applies. */
const NEEDS: readonly { readonly asked: RegExp; readonly needed: RegExp }[] = [
  {
    asked: wordsOrSigns(
      "(?:phone|mobile|telephone|cell) (?:number|no)|numéro de téléphone|número de teléfono|número de telefone|telefono|teléfono|telefonnummer|telefoonnummer|handynummer",
      "電話番号|手机号|电话号",
    ),
    needed: /\d[\d -]{3}/,
  },
  {
    asked: wordsOrSigns("how tall|height|wie groß|combien mesure|cuánto mide|quanto è alt[oa]|hoe lang", "身長|身高"),
    needed: HEIGHT,
  },
  {
    asked: wordsOrSigns(
      "how much (?:do|does|did|is|was)|salary|wages?|income|was kostet|wie viel (?:kostet|verdient)|combien (?:coûte|gagne)|cuánto (?:cuesta|gana|paga)|quanto (?:costa|guadagna|paga)",
      "给料|給料|工资|いくら",
    ),
    needed: AMOUNT,
  },
  {
    asked: /\b(?:number plate|licen[cs]e plate|plate number|registration number|passport number|account number)\b/i,
    needed: /\d\d|\p{Lu}{2}\d/u,
  },
  {
    asked:
      /\b(?:how (?:many|much|long|old|tall|far|big|large|high|heavy|fast|often)|(?:phone|mobile|telephone|account|passport|plate|room|flight|house|licen[cs]e|version|policy|insurance|registration|reference|booking|student|matriculation) number|phone|salary|price|costs?|monthly rent|rent(?=\W*$)|fee|postcode|zip code|pin|passcode|mileage|budget|rate|percentage|percent)\b/i,
    needed: NUMBER,
  },
  {
    asked: /\b(?:when|what time|(?:what|which) (?:date|day|year)|deadline|due date|date|birthday)\b/i,
    needed: TIME,
  },
  { asked: /\bwhere\b/i, needed: PLACE },
  {
    asked: wordsOrSigns(FOREIGN_HOW_MANY, "いくつ|いくら|何番|何点|何人|電話番号|多少|几个|号码|几岁"),
    needed: NUMBER_IN_ANY,
  },
  {
    asked: wordsOrSigns(FOREIGN_WHEN, "いつ|何時|何日|何年|什么时候|几点|哪一?年|哪一?天|哪一?日"),
    needed: TIME_IN_ANY,
  },
];

/** What any answer to a question must contain; null if its form does not tell. */
export function neededBy(question: string): RegExp | null {
  return NEEDS.find(({ asked }) => asked.test(question.slice(0, LONGEST_READ)))?.needed ?? null;
}

const ASKS_NAME = wordsOrSigns(
  "names?|called|who|whose|whom|wer|heißt|heisst|nom|s'appelle|qui|nombre|se llama|quién|nome|si chiama|chi|chama|quem|naam|heet|wie is|imię|nazywa się|kto",
  "名前|名字|叫什么|誰|是谁",
);

/** True for a question answered by the name of somebody or something. */
export function asksForName(question: string): boolean {
  return ASKS_NAME.test(question.slice(0, LONGEST_READ));
}

const SAYS_NAME =
  /\b(?:called|named|name is|known as|heißt|namens|heisst|s'appelle|nomm|baptis|se llama|llamad|si chiama|chiamat|chama|heet|imieni|nazywa)|名|叫/i;
const TITLE = /\b(?:Mr|Mrs|Ms|Dr|St)\./g;
const INNER_NAME =
  /(?<=[^.!?]\s)(?!(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|January|February|March|April|May|June|July|August|September|October|November|December|User|Dr|Mr|Mrs|Ms|Miss|I|I'm|I'd|I've|I'll)(?!\p{L}))\p{Lu}[\p{L}\d]*/gu;
const FIRST_NAME = /^(?!User|Nutzer)\p{Lu}\p{Ll}+/u;

/**
 * Whether a statement names somebody or something that the question does not name.
 * @param said the words of the question, folded
 */
export function tellsName(statement: string, said: ReadonlySet<string>): boolean {
  if (SAYS_NAME.test(statement) || NUMBERED.test(statement) || !/[a-z]/i.test(statement)) return true;
  const [first] = FIRST_NAME.exec(statement) ?? [];
  if (first !== undefined && isNewName(first.toLowerCase(), said)) return true;
  const inner = statement.replace(TITLE, (title) => title.slice(0, -1)).match(INNER_NAME) ?? [];
  return inner.some((name) => tokenise(name).some((word) => !said.has(word)));
}

/** A numbered name such as "Engineer 12". */
const NUMBERED = /^\p{Lu}\p{L}+ \d+\b/u;

/** Sentences begin with a capital whatever their first word is, so that one need not be a name. */
function isNewName(word: string, said: ReadonlySet<string>): boolean {
  if (said.has(word) || isStopWord(word)) return false;
  const root = rootOf(word);
  return conceptsOf(root).length === 0 && backgroundShare(root) <= RARE_SHARE;
}

const MOST_KEYWORDS = 6;
const HAS_VERB =
  /\b(?:is|are|was|were|do|does|did|has|have|had|can|could|should|will|would|how|when|where|why|i|may|shall)\b/;
const WHICH =
  /^\W*(?:which|what) ((?:\p{L}+ ){0,2}\p{L}+) (?:is|are|was|were|do|does|did|has|have|had|should|can|could|would|will|must)\b/u;
const WHAT_IS = /^\W*(?:what(?:'s| is| are| was| were)|who(?:'s| is| are| was)|whats) (?:the |my |a )?(.+)$/u;
const HEAD = /^(?:the )?((?:\p{L}+ )?\p{L}+) (?:of|for|in|at|on|to|from)\b/u;
const END_OF_PHRASE = / (?:of|for|in|at|on|to|so|that|who|when|if|and|before|after) /u;

/**
 * The word for what is asked: `type` in `user's blood type`, `bank` in `which bank did …`, `name` in `name of the dog`; null if
 * the form of the question does not show it. English only.
 */
export function focusOf(question: string): string | null {
  const text = singleSpaced(facetForm(question.slice(0, LONGEST_READ)));
  const noun = WHICH.exec(text)?.[1];
  if (noun !== undefined && !HAS_VERB.test(noun)) return lastWord(noun);
  const phrase = WHAT_IS.exec(text)?.[1] ?? (isKeywords(text) ? text : undefined);
  if (phrase === undefined) return null;
  return lastWord(HEAD.exec(phrase)?.[1] ?? phrase.split(END_OF_PHRASE)[0] ?? phrase);
}

function isKeywords(text: string): boolean {
  return text.split(" ").length <= MOST_KEYWORDS && !HAS_VERB.test(text);
}

function lastWord(phrase: string): string | null {
  const words = phrase.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "" && word !== "s");
  return words.at(-1) ?? null;
}
