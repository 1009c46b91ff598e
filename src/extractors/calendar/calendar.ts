import type { ExtractedContent, SourceFile } from "../../core/documents/content-ports.js";
import { decodeEntities } from "../../lib/html-entities.js";
import { GatheredParts } from "../gathered-parts.js";
import { decodeBytes } from "../decode-bytes.js";
import type { ExtractionTools } from "../format-extractor.js";
import { plainText } from "../plain-text.js";
import { readComponents, type Component, type Property, type PropertyValue } from "./read-components.js";
import { endAfter, endShown } from "./end-time.js";
import { describeRecurrence } from "./recurrence.js";

/** Reads calendars: events, tasks and journals in order, one section each. @throws ExtractionError `empty` */
export async function extractCalendar(file: SourceFile, tools: ExtractionTools): Promise<ExtractedContent> {
  const calendars = await readComponents(decodeBytes(file.bytes, [file.charset]).text);
  if (calendars === null) return plainText(file, "The file is not a well-formed calendar.", tools);
  const gathered = new GatheredParts(tools.limits);
  const about = calendars.flatMap(({ properties }) => properties);
  const title = textOf(about, "x-wr-calname") ?? textOf(about, "name");
  gathered.add([title === null ? "" : `# ${title}`, ...linesOf(about, ABOUT)].join("\n"));
  const entries = calendars.flatMap(entriesOf);
  const { maximumEntries } = tools.limits;
  if (entries.length > maximumEntries) gathered.note(`Only the first ${maximumEntries} entries were read.`);
  for (const [index, entry] of entries.slice(0, maximumEntries).entries())
    if (!gathered.add(sectionOf(entry), { entry: index + 1 })) break;
  const [only] = entries.length === 1 ? entries : [];
  return gathered.content("text", {
    isByStranger: true,
    title: title ?? textOf(only?.properties ?? [], "summary"),
    date: textOf(only?.properties ?? [], "dtstart"),
  });
}

/** Properties of the calendar itself that are technical or shown elsewhere. */
const ABOUT = new Set(["prodid", "version", "calscale", "method", "name", "x-wr-calname"]);

function entriesOf(calendar: Component): Component[] {
  return calendar.name === "vcalendar" ? calendar.components.filter(({ name }) => name !== "vtimezone") : [calendar];
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ["vtodo", "Task"],
  ["vjournal", "Journal"],
  ["vfreebusy", "Free and busy times"],
]);
const TOLD = new Set(["summary", "description", "dtstart", "dtend", "duration"]);
/** Bookkeeping between programs. */
const TECHNICAL = new Set("uid dtstamp sequence created last-modified transp class x-lic-error x-alt-desc".split(" "));

function sectionOf({ name, properties, components }: Component): string {
  const kind = KINDS.get(name);
  const summary = textOf(properties, "summary") ?? "Untitled";
  const description = textOf(properties, "description");
  const alarms = components.flatMap((alarm) => linesOf(alarm.properties, ALARM));
  const lines = [whenOf(properties), ...linesOf(properties, new Set([...TOLD, ...TECHNICAL])), ...alarms];
  return [
    `## ${kind === undefined ? "" : `${kind}: `}${summary.replace(/\s+/g, " ")}`,
    lines.filter((line) => line !== "").join("\n"),
    description ?? decodeEntities((textOf(properties, "x-alt-desc") ?? "").replace(/<[^<>]{0,1000}>/g, " ")),
  ]
    .filter((piece) => piece.trim() !== "")
    .join("\n\n");
}

const ALARM = new Set(["action", "uid", "acknowledged", "x-wr-alarmuid"]);

function whenOf(properties: readonly Property[]): string {
  const start = find(properties, "dtstart");
  if (!start) return "";
  const end = find(properties, "dtend");
  if (end && zoneOf(end) !== zoneOf(start)) return `- When: ${timeOf(start)} – ${timeOf(end)}`;
  const from = textOf(properties, "dtstart") ?? "";
  const duration = textOf(properties, "duration");
  const until = textOf(properties, "dtend") ?? (duration && (endAfter(from, duration) ?? duration));
  const last = until && endShown(from, until);
  return `- When: ${shownValues(start)}${last === null ? "" : ` – ${shown(last)}`}${zoneOf(start)}`;
}

function timeOf(property: Property): string {
  return `${shownValues(property)}${zoneOf(property)}`;
}

function zoneOf({ parameters }: Property): string {
  return parameters["tzid"] === undefined ? "" : ` (${parameters["tzid"]})`;
}

const LABELS: ReadonlyMap<string, string> = new Map([
  ["rrule", "Repeats"],
  ["recurrence-id", "Instead of"],
  ["exdate", "Except"],
  ["rdate", "Also on"],
  ["url", "Link"],
  ["geo", "Coordinates"],
  ["x-wr-caldesc", "About"],
  ["x-wr-timezone", "Zone"],
]);

/** One line for each property worth reading, with people grouped. */
function linesOf(properties: readonly Property[], leftOut: ReadonlySet<string>): string[] {
  const groups = new Map<string, string[]>();
  for (const property of properties) {
    if (leftOut.has(property.name)) continue;
    const value = PEOPLE.has(property.name) ? personOf(property) : timeOf(property);
    if (value.trim() === "") continue;
    const group = groups.get(property.name);
    if (group) group.push(value);
    else groups.set(property.name, [value]);
  }
  return [...groups].map(
    ([name, values]) => `- ${labelOf(name, values.length)}: ${values.join(", ").replace(/\n+/g, " ")}`,
  );
}

function labelOf(name: string, count: number): string {
  const known = LABELS.get(name);
  if (known !== undefined) return known;
  const words = name.replace(/^x-/, "").replaceAll("-", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${name === "attendee" && count > 1 ? "s" : ""}`;
}

const PEOPLE = new Set(["attendee", "organizer"]);

function personOf(property: Property): string {
  const address = shownValues(property).replace(/^mailto:/i, "");
  const { cn, partstat } = property.parameters;
  const person = cn === undefined || cn === address ? address : `${cn} <${address}>`;
  return partstat === undefined || partstat === "NEEDS-ACTION" ? person : `${person} (${partstat.toLowerCase()})`;
}

function shownValues({ values }: Property): string {
  return values.map(shown).join(", ");
}

/** A start time, followed by an end time or a duration. */
const PERIOD = /^(\d{4}-\d{2}-\d{2}T\S{1,20}) ([P\d]\S{1,40})$/;

function shown(value: PropertyValue): string {
  if (typeof value !== "string") return describeRecurrence(value);
  const [, start, end] = PERIOD.exec(value) ?? [];
  if (start !== undefined && end !== undefined) return `${shown(start)} – ${shown(endAfter(start, end) ?? end)}`;
  const time = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(Z?)$/.exec(value);
  return time ? `${time[1]} ${time[2]?.replace(/:00$/, "")}${time[3] === "Z" ? " UTC" : ""}` : value;
}

function find(properties: readonly Property[], name: string): Property | undefined {
  return properties.find((property) => property.name === name);
}

/** The plain value of the first property with this name. */
function textOf(properties: readonly Property[], name: string): string | null {
  const text = find(properties, name)
    ?.values.filter((value) => typeof value === "string")
    .join(", ")
    .trim();
  return text === undefined || text === "" ? null : text;
}
