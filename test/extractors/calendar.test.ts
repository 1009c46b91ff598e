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

test("events, tasks and journals become sections that say when, where and who", async () => {
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
    "## Weihnachten\n\n- When: 2026-12-24\n- Repeats: every month on last Friday 3 times",
    "## Task: Pay the rent\n\n- Due: 2026-06-01 08:00 UTC\n- Priority: 1\n- Status: NEEDS-ACTION",
    "## Journal: Day one\n\nIt rained.",
  ]);
});

test("a calendar of one event has its title and date", async () => {
  const { title, date } = await read(
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Visit\nDTSTART:20260504T100000Z\nEND:VEVENT\nEND:VCALENDAR\n",
  );
  expect({ title, date }).toEqual({ title: "Visit", date: "2026-05-04T10:00:00Z" });
});

test("what is no calendar is kept as it stands", async () => {
  const { parts, notes } = await read("BEGIN:VCALENDAR\nSUMMARY of the words");
  expect(parts[0]?.text).toContain("SUMMARY of the words");
  expect(notes).toHaveLength(1);
});

test("empty, cut, changed and endless files end in a result or a reason", async () => {
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
