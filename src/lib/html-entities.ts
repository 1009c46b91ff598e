import { decodeHTML } from "entities";

/** HTML text with entities decoded as browsers do: `&eacute;`, `&#233;`, `&#xe9;`. */
export function decodeEntities(text: string): string {
  return text.includes("&") ? decodeHTML(text) : text;
}
