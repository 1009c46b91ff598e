import { rootOf } from "../../language/english/relations.js";
import { tokenise } from "../../language/words.js";
import { isNearly } from "./misspelt.js";

/** What agents call the person that memories are about, in several languages. */
const SUBJECTS = rootsOf(
  "user users usr usrs usres nutzer nutzerin benutzer usuario usuaria utente utilisateur utilisatrice utilizador utilizadora " +
    "gebruiker gebruikster uzytkownik uzytkowniczka ユーザー ユーザ 用户",
);
/** Words that occur in questions about anything. */
const FRAME = rootsOf(
  "name call kind type sort thing tell give know want get make use have go current currently now nowadays still ever usual " +
    "usually many much often long time day any anything something idea please remember say mention info information detail take " +
    "need like favorite first last next new year month week number come find happen keep old good big think today put let own full " +
    "safe fine ok suit whole " +
    "welch welche welchen welcher welches wogegen bitte kann soll muss gibt etwas hat haben quel quelle quels quelles puis dois peut " +
    "que fait bien qual quale quali posso quanti quante quanto cual cuales puedo cuantos cuantas tengo quantos quantas jaki jaka jakie " +
    "jakich moge powinienem czy welke kan mag moet heeft",
);

function rootsOf(words: string): ReadonlySet<string> {
  return new Set(tokenise(words).map(rootOf));
}

/** True for the root of a word for the person that memories are about: question and statement share it, whatever they say. */
export function isSubjectOfAll(root: string): boolean {
  return SUBJECTS.has(root);
}

/** True for the root of a word that shapes how something is asked rather than what. */
export function isFrameWord(root: string): boolean {
  return FRAME.has(root);
}

const SHORTEST_SUBJECT = 4;

/** True for a near match of a word of `isSubjectOfAll`: someone who types `utnete` means the same. */
export function isNearlySubject(root: string): boolean {
  return [...SUBJECTS].some((subject) => subject.length >= SHORTEST_SUBJECT && isNearly(subject, root));
}
