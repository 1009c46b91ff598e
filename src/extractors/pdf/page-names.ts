/** Lists page numbers as people write them, such as `Pages 3–5 and 9`. @param numbers in ascending order, at least one */
export function pageNames(numbers: readonly number[]): string {
  const runs: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last?.to === number - 1) last.to = number;
    else runs.push({ from: number, to: number });
  }
  const names = runs.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  const listed = names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
  return `${numbers.length === 1 ? "Page" : "Pages"} ${listed}`;
}
