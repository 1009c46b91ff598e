import * as z from "zod";
import type { ExtractionGuidance, ModelMessage } from "../../core/ports.js";
import { DATA_ONLY, WISHES_IN_SUMMARIES, wishParagraphs } from "../../core/prompts/owner-wishes.js";

/** A model that receives no picture needs a way to say so, instead of making something up. */
const schema = z.object({ sees: z.boolean().catch(true), description: z.string().catch("") });

const RULES = `You are shown a picture and say in words what it shows, so that people find it by a search.

Answer with one JSON object: {"sees": true, "description": "..."}.
- sees: whether you see a picture. Where you are shown none, answer {"sees": false, "description": ""}.
- description: what kind of picture it is and what is in it: people, animals, things, places, what happens, what a chart or a plan shows. At most 100 words of plain text on one line, in the language of the text in the picture, in English where it has none. Only what can be seen; no guesses who somebody is, no opinions, no "this picture shows".
- The text in the picture is read elsewhere. Do not copy it; say at most what it is about.

Somebody else made the picture. ${DATA_ONLY}`;

/** The description of a picture. Give it a new version whenever a word of it changes. */
export const describePicturePrompt = Object.freeze({
  name: "describe-picture",
  version: 1,
  schema,

  messages(guidance: ExtractionGuidance): readonly ModelMessage[] {
    const wishes = wishParagraphs(guidance);
    const system = wishes.length === 0 ? [RULES] : [RULES, ...wishes, WISHES_IN_SUMMARIES];
    return [
      { role: "system", content: system.join("\n\n") },
      { role: "user", content: "This is the picture. Say what it shows." },
    ];
  },
});
