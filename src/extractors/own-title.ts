import type { ContentPart } from "../core/documents/content-ports.js";

/** What programs put in front of a file name. */
const PROGRAM = /^(?:Microsoft (?:Office )?(?:Word|PowerPoint|Excel)|Writer|Print|Drucken|Imprimer) [-–] /i;
/** File extensions that hardly ever end a title, unlike the one in `Node.js`. */
const FILE_NAME =
  /\.(?:docx?|dotx?|odt|ott|rtf|wpd|pages|pdf|tex|dvi|e?ps|indd|qxp?d|pmd|pptx?|odp|xlsx?|ods|csv|txt|text|md|xml|x?html?|php|aspx?|jsp|epub|eml|msg|tmp|jpe?g|png|gif|tiff?|bmp|heic)$/i;
const PATH = /^(?:[a-z]:[\\/]|\\\\|~?\/\S*\/|file:|about:|https?:\/\/\S*$)/i;
/** Default titles of unnamed files. */
const MADE =
  /^(?:(?:untitled|unnamed|unbenannt|ohne titel|kein titel|sans titre|sin t[ií]tulo|senza titolo|no title|title|titel|new|blank|scanned|scan|word|powerpoint|microsoft word|document|dokument|documento|presentation|präsentation|page|slide|book|mappe|image|img|doc|dsc)[-_ ]?(?:document|dokument|documento|presentation|präsentation|page|slide)?[-_ ()\d]*)$/i;

/** A title given by a person; null for a file name, a path, or a program's default title. */
export function givenTitle(title: string | null): string | null {
  const own = title?.replace(PROGRAM, "").trim() ?? "";
  return own === "" || FILE_NAME.test(own) || PATH.test(own) || MADE.test(own) ? null : own;
}

const LONGEST_HEADING = 1_000;
const HEADING = /^#{1,6} +(\S.*)$/;

/** The text of the first meaningful heading in Markdown, or null. */
export function firstHeading(parts: readonly ContentPart[]): string | null {
  let isFenced = false;
  for (const { text } of parts)
    for (const line of text.split("\n")) {
      if (/^\s{0,3}(?:```|~~~)/.test(line)) isFenced = !isFenced;
      const heading = isFenced ? null : givenTitle(bare(HEADING.exec(line.slice(0, LONGEST_HEADING))?.[1] ?? ""));
      if (heading !== null) return heading;
    }
  return null;
}

/** Strips markup for emphasis, links and escapes. */
function bare(heading: string): string {
  return heading
    .replace(/!?\[([^[\]]{0,300})\]\([^()]{0,1000}\)/g, "$1")
    .replace(/\*\*|__|`/g, "")
    .replace(/\\([\\[\]*_`#.+-])/g, "$1")
    .replace(/ +#+ *$/, "")
    .slice(0, 500)
    .trim();
}
