// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001b\[\d+m/g;

/** Lines in a box for a terminal; elsewhere the bare lines, which are easier to search and copy. */
export function frame(lines: readonly string[], isTerminal: boolean): string[] {
  if (!isTerminal) return [...lines];
  const width = Math.max(...lines.map(visibleLength));
  const edge = "─".repeat(width + 2);
  const rows = lines.map((line) => `│ ${line}${" ".repeat(width - visibleLength(line))} │`);
  return [`┌${edge}┐`, ...rows, `└${edge}┘`];
}

function visibleLength(line: string): number {
  return Array.from(line.replace(COLOUR, "")).length;
}
