import { expect, test } from "vitest";
import { extractCalendar } from "../../src/extractors/calendar/calendar.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { survive, surviveHostileBytes } from "../support/hostile-bytes.js";
import { textOf } from "../support/word-recall.js";

const read = (text: string) => extractCalendar(sourceFile(Buffer.from(text)), extractionTools());

const CALENDAR = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//Example//EN",
  "X-WR-CALNAME:Team",
  "BEGIN:VTIMEZONE",
  "TZID:Europe/Berlin",
  "END:VTIMEZONE",
  "BEGIN:VEVENT",
  "UID:1@example.org",
  "DTSTAMP:20260501T000000Z",
  "DTSTART;TZID=Europe/Berlin:20260504T100000",
  "DTEND;TZID=Europe/Berlin:20260504T113000",
  "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20261201T000000Z",
  "EXDATE;TZID=Europe/Berlin:20260518T100000",
  "SUMMARY:Planning of the bri",
  " dge\\, part 2",
  "LOCATION:Room 5\\; Main St",
  "ORGANIZER;CN=Ada Byron:mailto:ada@example.org",
  "ATTENDEE;CN=Bob;PARTSTAT=ACCEPTED:mailto:bob@example.org",
  "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:carol@example.org",
  "DESCRIPTION:First line\\nSecond line",
  "X-ROOM-CODE:7781",
  "BEGIN:VALARM",
  "ACTION:DISPLAY",
  "TRIGGER:-PT15M",
  "END:VALARM",
  "END:VEVENT",
  "BEGIN:VEVENT",
  "DTSTART;VALUE=DATE:20261224",
  "SUMMARY:Weihnachten",
  "RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=3",
  "END:VEVENT",
  "BEGIN:VTODO",
  "SUMMARY:Pay the rent",
  "DUE:20260601T080000Z",
  "PRIORITY:1",
  "STATUS:NEEDS-ACTION",
  "END:VTODO",
  "BEGIN:VJOURNAL",
  "SUMMARY:Day one",
  "DESCRIPTION:It rained.",
  "END:VJOURNAL",
  "END:VCALENDAR",
  "",
].join("\r\n");

test("events, tasks and journals become sections with time, place and people", async () => {
  const { title, type, parts } = await read(CALENDAR);
  expect({ title, type }).toEqual({ title: "Team", type: "text" });
  expect(parts.map(({ place }) => place.entry)).toEqual([undefined, 1, 2, 3, 4]);
  expect(parts.map(({ text }) => text)).toEqual([
    "# Team",
    [
      "## Planning of the bridge, part 2",
      "",
      "- When: 2026-05-04 10:00 – 2026-05-04 11:30 (Europe/Berlin)",
      "- Repeats: every 2 weeks on Monday, Wednesday until 2026-12-01T00:00:00Z",
      "- Except: 2026-05-18 10:00 (Europe/Berlin)",
      "- Location: Room 5; Main St",
      "- Organizer: Ada Byron <ada@example.org>",
      "- Attendees: Bob <bob@example.org> (accepted), carol@example.org",
      "- Room code: 7781",
      "- Trigger: -PT15M",
      "",
      "First line\nSecond line",
    ].join("\n"),
    "## Weihnachten\n\n- When: 2026-12-24\n- Repeats: every month on the last Friday, 3 times",
    "## Task: Pay the rent\n\n- Due: 2026-06-01 08:00 UTC\n- Priority: 1\n- Status: NEEDS-ACTION",
    "## Journal: Day one\n\nIt rained.",
  ]);
});

test.each([
  ["a day", ["DTSTART;VALUE=DATE:20240401", "DTEND;VALUE=DATE:20240402"], "2024-04-01"],
  ["several days", ["DTSTART;VALUE=DATE:20240228", "DTEND;VALUE=DATE:20240302"], "2024-02-28 – 2024-03-01"],
  ["a day that ends on its start date", ["DTSTART;VALUE=DATE:20240401", "DTEND;VALUE=DATE:20240401"], "2024-04-01"],
  ["a time that ends on a day", ["DTSTART:20240401T100000Z", "DTEND;VALUE=DATE:20240402"], "2024-04-01 10:00 UTC"],
  [
    "a time that ends on a day without VALUE=DATE",
    ["DTSTART:20240401T100000Z", "DTEND:20240402"],
    "2024-04-01 10:00 UTC",
  ],
  ["a day without VALUE=DATE", ["DTSTART:20240401", "DTEND:20240402"], "2024-04-01"],
  ["no duration", ["DTSTART:20240401T100000Z", "DTEND:20240401T100000Z"], "2024-04-01 10:00 UTC"],
  ["hours", ["DTSTART:20240401T100000Z", "DTEND:20240402T000000Z"], "2024-04-01 10:00 UTC – 2024-04-02 00:00 UTC"],
  ["a duration", ["DTSTART:20240401T233000Z", "DURATION:PT45M"], "2024-04-01 23:30 UTC – 2024-04-02 00:15 UTC"],
  [
    "a duration in a time zone",
    ["DTSTART;TZID=Europe/Berlin:20240405T100000", "DURATION:P1DT1H30M"],
    "2024-04-05 10:00 – 2024-04-06 11:30 (Europe/Berlin)",
  ],
  ["a duration of one day", ["DTSTART;VALUE=DATE:20240401", "DURATION:P1D"], "2024-04-01"],
  ["a duration of weeks", ["DTSTART;VALUE=DATE:20240401", "DURATION:P2W"], "2024-04-01 – 2024-04-14"],
  [
    "two time zones",
    ["DTSTART;TZID=A:20240401T100000", "DTEND;TZID=B:20240401T100000"],
    "2024-04-01 10:00 (A) – 2024-04-01 10:00 (B)",
  ],
])("the end of an event of %s is stated as people would say it", async (_what, lines, when) => {
  const { parts } = await read(
    ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "SUMMARY:Fair", ...lines, "END:VEVENT", "END:VCALENDAR"].join("\n"),
  );
  expect(parts[0]?.text).toBe(`## Fair\n\n- When: ${when}`);
});

test("names that are built-in object properties are treated like any other", async () => {
  const lines = ["CONSTRUCTOR:y", "RRULE:FREQ=DAILY;COUNT=2"];
  const { parts } = await read(
    ["BEGIN:VCALENDAR", "BEGIN:CONSTRUCTOR", "SUMMARY:x", ...lines, "END:CONSTRUCTOR", "END:VCALENDAR"].join("\n"),
  );
  expect(parts[0]?.text).toBe("## x\n\n- Constructor: y\n- Repeats: every day, twice");
});

test("free and busy times state when they end", async () => {
  const busy = "FREEBUSY:20240401T100000Z/PT45M,20240402T100000Z/20240402T110000Z";
  const { parts } = await read(`BEGIN:VCALENDAR\nBEGIN:VFREEBUSY\n${busy}\nEND:VFREEBUSY\nEND:VCALENDAR\n`);
  expect(parts[0]?.text).toContain(
    "- Freebusy: 2024-04-01 10:00 UTC – 2024-04-01 10:45 UTC, 2024-04-02 10:00 UTC – 2024-04-02 11:00 UTC",
  );
});

test("a calendar of one event has its title and date", async () => {
  const { title, date } = await read(
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Visit\nDTSTART:20260504T100000Z\nEND:VEVENT\nEND:VCALENDAR\n",
  );
  expect({ title, date }).toEqual({ title: "Visit", date: "2026-05-04T10:00:00Z" });
});

test("a file that is not a calendar is kept as text", async () => {
  const { parts, notes } = await read("BEGIN:VCALENDAR\nSUMMARY of the words");
  expect(parts[0]?.text).toContain("SUMMARY of the words");
  expect(notes).toHaveLength(1);
});

test("empty, truncated, changed and endless files end in a result or a reason", async () => {
  await expect(read("")).rejects.toMatchObject({ reason: "empty" });
  await surviveHostileBytes(extractCalendar, Buffer.from(CALENDAR));
  await survive(extractCalendar, Buffer.from(`${"BEGIN:VEVENT\n".repeat(50_000)}${"END:VEVENT\n".repeat(50_000)}`));
  await survive(extractCalendar, Buffer.from(`BEGIN:VCALENDAR\n${"ATTENDEE:a\n".repeat(100_000)}END:VCALENDAR\n`));
  await survive(extractCalendar, Buffer.from(`BEGIN:VCALENDAR\nSUMMARY:${"a\\,".repeat(300_000)}\nEND:VCALENDAR\n`));
  const many = "BEGIN:VEVENT\nRRULE:FREQ=YEARLY\nSUMMARY:x\nEND:VEVENT\n".repeat(12_000);
  expect(await survive(extractCalendar, Buffer.from(`BEGIN:VCALENDAR\n${many}END:VCALENDAR\n`))).toContain(
    "every year",
  );
});

test("entries beyond the limit are left out with a note", async () => {
  const tools = extractionTools({ limits: { maximumEntries: 2 } });
  const content = await extractCalendar(sourceFile(Buffer.from(CALENDAR)), tools);
  expect(textOf(content)).not.toContain("Pay the rent");
  expect(content.notes).toEqual(["Only the first 2 entries were read."]);
});

test("an event moved out of a series names the occurrence that it replaces", async () => {
  const moved = `BEGIN:VCALENDAR
BEGIN:VEVENT
RECURRENCE-ID;TZID=Europe/Berlin:20250310T180000
DTSTART;TZID=Europe/Berlin:20250311T190000
SUMMARY:Choir
END:VEVENT
END:VCALENDAR`;
  expect(textOf(await read(moved))).toBe(
    "## Choir\n\n- When: 2025-03-11 19:00 (Europe/Berlin)\n- Instead of: 2025-03-10 18:00 (Europe/Berlin)",
  );
});
