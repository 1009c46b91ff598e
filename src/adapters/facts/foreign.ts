import { isForeign, tokenise } from "../../language/words.js";
import type { SpecialFact } from "./special.js";
import { FACT } from "./verdict.js";
import type { Voice } from "./voice.js";

const FEWEST_WORDS = 4;
/** For writing systems without spaces, where words are counted in pairs of characters. */
const FEWEST_SIGNS = 6;
const LONGEST = 300;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;
/** "1 l de lait": what goes into a dish. */
const MEASURE = /^\d[\d.,/]{0,8} ?\p{L}{1,3} /u;
/** Questions, greetings, thanks and wishes state nothing. */
const ASKED = /[?？؟¿;;]\s*$|^\s*¿/u;
const TALK =
  /^(?:hallo|hi|hey|guten (?:morgen|tag|abend)|liebe|danke|vielen dank|bitte|tschüss|bis (?:morgen|bald|später|dann)|bonjour|bonsoir|salut|merci|s'il (?:te|vous) pla[iî]t|au revoir|à (?:demain|bientôt)|hola|buen[oa]s|gracias|muchas gracias|por favor|adiós|hasta|ol[áa]|bom dia|boa (?:tarde|noite)|obrigad[oa]|até|ciao|buon(?:giorno|asera)|grazie|per favore|arrivederci|hoi|goede(?:morgen|middag|navond)|dank (?:je|u)|bedankt|alsjeblieft|alstublieft|tot (?:ziens|morgen)|hej|tack|привет|здравствуй|добрый|спасибо|пожалуйста|пока|до свидания|dzień dobry|cześć|dziękuję|proszę|merhaba|selam|teşekkür|lütfen)(?![\p{L}])/iu;
const EASTERN_TALK =
  /^(?:こんにちは|こんばんは|おはよう|ありがとう|すみません|お願い|さようなら|你好|您好|谢谢|謝謝|请|請|再见|안녕|감사|고마|부탁|สวัสดี|ขอบคุณ)|(?:か|ですか|ますか|吗|嗎|呢|까요|나요)[。.]?$|(?:ありがとうございます|ください|谢谢|감사합니다|주세요)[。.!！]*$/u;
/** From conversations, only what people say about themselves is kept. */
const OF_ONESELF =
  /(?<![\p{L}])(?:ich|meine?[mnrs]?|wir|unsere?[mnrs]?|je|mon|ma|mes|nous|notre|yo|mi|mis|soy|tengo|vivo|trabajo|eu|meu|minha|sou|moro|tenho|io|mio|mia|sono|abito|ho|ik|mijn|wij|ons|jag|min|mitt|mina|я|мой|моя|моё|мои|у меня|ja|mój|moja|mam|mieszkam|ben|benim)(?![\p{L}])|(?<![\p{L}])j'|[私僕俺我]|저는|제가|나는|내가/iu;

/**
 * Keeps a statement that is not in English verbatim, so that it is not lost. Null for English, for questions, greetings
 * and thanks, and for text too short to state anything.
 */
export function readForeign(text: string, { kind, isNote, isOwn }: Voice): SpecialFact | null {
  const isKept = kind === "user" || (kind === "document" && isNote === true && isOwn === true);
  if (!isKept || text.length > LONGEST || ASKED.test(text) || TALK.test(text) || EASTERN_TALK.test(text)) return null;
  if (MEASURE.test(text)) return null;
  if (kind === "user" && !OF_ONESELF.test(text)) return null;
  const isLong = UNSPACED.test(text)
    ? text.length >= FEWEST_SIGNS
    : tokenise(text).length >= FEWEST_WORDS - shortBy(text);
  if (!isLong || !isForeign(text)) return null;
  return { text, verdict: FACT };
}

/** For languages that need fewer words: cases and endings replace prepositions. */
function shortBy(text: string): number {
  return /[\p{Script=Cyrillic}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Greek}]/u.test(
    text,
  )
    ? 1
    : 0;
}
