import { decodeHTML } from "entities";

/** Text of HTML with the characters that its entities stand for, as browsers read them: `&eacute;`, `&#233;`, `&#xe9;`. */
export function decodeEntities(text: string): string {
  return text.includes("&") ? decodeHTML(text) : text;
}
