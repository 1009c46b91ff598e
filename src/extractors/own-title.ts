import type { ContentPart } from "../core/documents/content-ports.js";

/** What programs put before the name of a file. */
const PROGRAM = /^(?:Microsoft (?:Office )?(?:Word|PowerPoint|Excel)|Writer|Print|Drucken|Imprimer) [-–] /i;
/** Endings that hardly any other word has: `Node.js` is a title. */
const FILE_NAME =
  /\.(?:docx?|dotx?|odt|ott|rtf|wpd|pages|pdf|tex|dvi|e?ps|indd|qxp?d|pmd|pptx?|odp|xlsx?|ods|csv|txt|text|md|xml|x?html?|php|aspx?|jsp|epub|eml|msg|tmp|jpe?g|png|gif|tiff?|bmp|heic)$/i;
const PATH = /^(?:[a-z]:[\\/]|\\\\|~?\/\S*\/|file:|about:|https?:\/\/\S*$)/i;
/** What programs call a file that nobody named. */
const MADE =
  /^(?:(?:untitled|unnamed|unbenannt|ohne titel|kein titel|sans titre|sin t[ií]tulo|senza titolo|no title|title|titel|new|blank|scanned|scan|word|powerpoint|microsoft word|document|dokument|documento|presentation|präsentation|page|slide|book|mappe|image|img|doc|dsc)[-_ ]?(?:document|dokument|documento|presentation|präsentation|page|slide)?[-_ ()\d]*)$/i;

/** A title that somebody gave; null for the name of a file, a path, or what a program writes where nobody gave one. */
export function givenTitle(title: string | null): string | null {
  const own = title?.replace(PROGRAM, "").trim() ?? "";
  return own === "" || FILE_NAME.test(own) || PATH.test(own) || MADE.test(own) ? null : own;
}

const LONGEST_HEADING = 1_000;
const HEADING = /^#{1,6} +(\S.*)$/;

/** The words of the first heading in Markdown; null where there is none that says something. */
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

/** Without what marks emphasis, links and escapes. */
function bare(heading: string): string {
  return heading
    .replace(/!?\[([^[\]]{0,300})\]\([^()]{0,1000}\)/g, "$1")
    .replace(/\*\*|__|`/g, "")
    .replace(/\\([\\[\]*_`#.+-])/g, "$1")
    .replace(/ +#+ *$/, "")
    .slice(0, 500)
    .trim();
}
