import { isPleasantry } from "./passed-over.js";
import { sentenceSpans } from "./sentences.js";

const LONGEST = 200;
/** Small talk, which states nothing. */
const TALK =
  /^(?:(?:ok(?:ay)?|so|well|hey|hi|hello|yes|yeah|no|oh|haha|lol|great|cool|nice|sure|alright|fine|thanks|thank you|please),? )*(?:(?:let's|let us|shall we|can we|could we|we could) (?:just )?(?:talk|chat|start|begin|go on|continue|move on|see|try|stop|change the (?:subject|topic))\b.{0,80}|(?:ok(?:ay)?|sure|great|cool|nice|thanks|thank you|got it|sounds good|never ?mind|no problem|you're welcome|go on|continue|bye|goodbye|see you(?: later| soon| tomorrow)?|good (?:night|morning|evening)|just (?:testing|chatting|a test)|test(?:ing)?(?: \d{1,4}){0,3}|(?:are you|is anybody|anyone) there|what's up|how are you|who are you|what can you do)(?: (?:a lot|so much|very much|today|again|all|then))?)(?:,? (?:ok(?:ay)?|right|shall we|please|then))?[\s.!?…]*$/iu;

/** True for a short text with nothing to remember: "let's talk about nothing, ok?", "thanks!". */
export function isChat(text: string): boolean {
  const said = text.replaceAll("’", "'").trim();
  if (said.length > LONGEST) return false;
  return sentenceSpans(said).every(({ start, end }) => {
    const sentence = said.slice(start, end);
    return TALK.test(sentence) || isPleasantry(sentence);
  });
}
