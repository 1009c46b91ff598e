import type { TextLine } from "./fragment.js";

/** In so few pages two are enough. */
const FEW_PAGES = 5;
/** Heights within so many points are the same. */
const SLOT = 4;

/** Headers, footers and page numbers: what stands at the same height of several pages and differs in numbers at most. */
export function runningLines(pages: readonly (readonly TextLine[])[]): ReadonlySet<TextLine> {
  const pagesByKey = new Map<string, Set<number>>();
  const candidates = pages.map((lines) => lines.filter(({ outerRow }) => outerRow !== null));
  for (const [page, lines] of candidates.entries()) {
    for (const line of lines) {
      for (const slot of slotsOf(line)) {
        const key = `${slot} ${patternOf(line)}`;
        pagesByKey.set(key, (pagesByKey.get(key) ?? new Set()).add(page));
      }
    }
  }
  const needed = pages.length <= FEW_PAGES ? 2 : 3;
  const isRunning = (line: TextLine) =>
    slotsOf(line).some((slot) => (pagesByKey.get(`${slot} ${patternOf(line)}`)?.size ?? 0) >= needed);
  return new Set(pages.length < 2 ? [] : candidates.flatMap((lines) => lines.filter(isRunning)));
}

/** Two, so that heights that are close share one of them. */
function slotsOf({ baseline }: TextLine): number[] {
  const half = Math.floor((2 * baseline) / SLOT);
  return [half, half + 1];
}

const ROMAN = /^[-–— ]*[ivxlc]{1,8}[-–— ]*$/i;

function patternOf({ outerRow }: TextLine): string {
  const cut = outerRow?.slice(0, 300) ?? "";
  return ROMAN.test(cut) ? "#" : cut.replace(/\d+/g, "#");
}
