import type { ChunkMetadata } from "../core/types.js";

/** The place of a passage in its file, in words: `page 12`, `sheet Sales, A2:D40`, `12:30`; null for a text without places. */
export function placeInFile({ page, slide, sheet, range, entry, time }: ChunkMetadata): string | null {
  if (page !== undefined) return `page ${page}`;
  if (slide !== undefined) return `slide ${slide}`;
  if (sheet !== undefined || range !== undefined)
    return [sheet === undefined ? [] : `sheet ${sheet}`, range ?? []].flat().join(", ");
  if (time !== undefined) return `at ${clockTime(time[0])}`;
  return entry === undefined ? null : `entry ${entry}`;
}

function clockTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (part: number): string => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
