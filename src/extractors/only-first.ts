/** Says that the rest of a file was left out. @param total null if unknown */
export function onlyFirst(read: number, total: number | null, unit: "pages" | "slides" | "sheets"): string {
  const of = total === null ? "" : ` of ${total}`;
  return `Only the first ${read}${of} ${unit} were read, because of the limits of this server.`;
}
