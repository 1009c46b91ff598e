import { readFileSync } from "node:fs";
import { join } from "node:path";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { describe, expect, test } from "vitest";
import { extractMail } from "../../src/extractors/mail/mail.js";
import { extractMailbox } from "../../src/extractors/mail/mailbox.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { survive, surviveHostileBytes } from "../support/hostile-bytes.js";
import { textOf, wordRecall } from "../support/word-recall.js";

const FIXTURES = join(import.meta.dirname, "..", "fixtures", "extractors", "mail");
const fixture = (name: string) => readFileSync(join(FIXTURES, name));
const read = (bytes: Uint8Array | string) => extractMail(sourceFile(Buffer.from(bytes)), extractionTools());

function compose(mail: ConstructorParameters<typeof MailComposer>[0]): Promise<Buffer> {
  return new MailComposer(mail).compile().build();
}

describe("a mail", () => {
  test("keeps subject, addresses, date, text with its quotes, and thread", async () => {
    const bytes = await compose({
      from: "Jörg Müller <joerg@example.org>",
      to: ["Zoë <zoe@example.org>", "bob@example.org"],
      cc: "carol@example.org",
      subject: "Re: Größe der Brücke – 5 €",
      date: new Date("2026-11-03T09:15:00Z"),
      messageId: "<two@example.org>",
      inReplyTo: "<one@example.org>",
      references: ["<zero@example.org>", "<one@example.org>"],
      text: "Sie ist 40 m lang.\n\nAm Montag schrieb Zoë:\n> Wie lang ist sie?\n> Und wie breit?\n",
    });
    const mail = await read(bytes);
    expect(mail).toMatchObject({
      type: "text",
      title: "Re: Größe der Brücke – 5 €",
      author: "Jörg Müller <joerg@example.org>",
      date: "2026-11-03T09:15:00.000Z",
      attachments: [],
      notes: [],
      metadata: {
        messageId: "<two@example.org>",
        inReplyTo: "<one@example.org>",
        references: ["<zero@example.org>", "<one@example.org>"],
        from: "Jörg Müller <joerg@example.org>",
        to: ["Zoë <zoe@example.org>", "bob@example.org"],
        cc: ["carol@example.org"],
      },
    });
    expect(textOf(mail)).toBe(
      [
        "# Re: Größe der Brücke – 5 €",
        "",
        "- From: Jörg Müller <joerg@example.org>",
        "- To: Zoë <zoe@example.org>, bob@example.org",
        "- Cc: carol@example.org",
        "- Date: 2026-11-03T09:15:00.000Z",
        "",
        "Sie ist 40 m lang.\n\nAm Montag schrieb Zoë:\n> Wie lang ist sie?\n> Und wie breit?",
      ].join("\n"),
    );
  });

  test.each<[header: string, date: string | null]>([
    ["Mon, 1 Apr 2024 23:30:00 -0800", "2024-04-01T23:30:00.000-08:00"],
    ["Tue, 2 Apr 2024 08:00:00 +1300 (NZDT)", "2024-04-02T08:00:00.000+13:00"],
    ["Tue, 2 Apr 2024 07:30:00 +0000", "2024-04-02T07:30:00.000Z"],
    ["Tue, 2 Apr 2024 07:30:00 -0000", "2024-04-02T07:30:00.000Z"],
    ["Tue, 2 Apr 2024 07:30:00 GMT", "2024-04-02T07:30:00.000Z"],
    ["Tue, 2 Apr 2024 07:30:00 +9900", "2024-03-29T04:30:00.000Z"],
    ["soon", null],
  ])("sent %s keeps the day and time of its sender", async (header, date) => {
    const mail = await read(`From: a@example.org\r\nDate: ${header}\r\n\r\nSee you tomorrow.\r\n`);
    expect(mail.date).toBe(date);
  });

  test("yields files as attachments, but no pictures shown in its text", async () => {
    const bytes = await compose({
      from: "a@example.org",
      subject: "Files",
      text: "See files.",
      html: '<p>See files. <img src="cid:logo@example.org"></p>',
      attachments: [
        { filename: "logo.png", content: Buffer.from("\x89PNG logo"), cid: "logo@example.org" },
        {
          filename: "Übersicht – Straßen, Plätze und Brücken der ganzen Stadt in einer langen Liste.csv",
          content: "a,b\n1,2\n",
        },
        { filename: "../../etc/passwd", content: "no path" },
        { filename: "photo.jpg", content: Buffer.from("jpeg") },
      ],
    });
    const { attachments } = await read(bytes);
    expect(attachments.map(({ name, mimeType }) => [name, mimeType])).toEqual([
      ["Übersicht – Straßen, Plätze und Brücken der ganzen Stadt in einer langen Liste.csv", "text/csv"],
      [expect.stringMatching(/^[^/]*passwd$/), expect.any(String)],
      ["photo.jpg", "image/jpeg"],
    ]);
    expect(Buffer.from(attachments[0]?.bytes ?? []).toString()).toBe("a,b\n1,2\n");
  });

  test("is read from its HTML when there is no plain text, without losing quotes", async () => {
    const html = `<style>p { color: red }</style><h1>Offer</h1><p>We deliver on <b>Friday</b> &amp; Monday.</p>
      <table><tr><th>Item</th><th>Price</th></tr><tr><td>Bread</td><td>2.50</td></tr></table>
      <blockquote>On Tuesday Zoe asked about delivery</blockquote><p>Unsubscribe here</p>`;
    const text = textOf(await read(await compose({ from: "a@example.org", subject: "Offer", html })));
    const words =
      "Offer We deliver on Friday Monday Item Price Bread 2.50 On Tuesday Zoe asked about delivery Unsubscribe here";
    expect(wordRecall(words, text)).toBe(1);
    expect(text).not.toContain("color: red");
  });

  test("is read from its HTML when the plain text says hardly anything", async () => {
    const html = `<p>${"The harbour opens at six. ".repeat(20)}</p>`;
    const text = textOf(await read(await compose({ from: "a@b.org", text: "Your program shows no HTML.", html })));
    expect(text).toContain("The harbour opens at six.");
  });

  test("in HTML is read whole, not reduced to an article", async () => {
    const prose = Array.from({ length: 300 }, (_, index) => `<p>Ship${index} came on day${index} with salt.</p>`).join(
      "",
    );
    const html = `<h1>Harbour log</h1>${prose}<div class="sidebar"><p>Tides below</p></div><h2>Comments</h2><p>Nobody complained.</p>
      <table><tr class="header"><th>Berth</th><th>Depth</th></tr><tr><td>North</td><td>9 m</td></tr></table>`;
    const text = textOf(await read(await compose({ from: "a@example.org", subject: "Log", html })));
    const wanted = [
      "Tides below",
      "## Comments\n\nNobody complained.",
      "| Berth | Depth |\n| --- | --- |\n| North | 9 m |",
    ];
    expect(wanted.filter((words) => !text.includes(words))).toEqual([]);
  });

  test("in ASCII HTML keeps its headings and lists, with all entities decoded", async () => {
    const html = `<h2>R&eacute;union</h2><p>Le gar&ccedil;on va &agrave; l&rsquo;h&ocirc;tel.</p><ul><li>C&ocirc;t&eacute;</li><li>&#269;aj</li></ul>`;
    const text = textOf(await read(await compose({ from: "a@example.org", subject: "Visite", html })));
    expect(text).toContain("## Réunion\n\nLe garçon va à l’hôtel.\n\n- Côté\n- čaj");
  });

  test("with an inline forward is read together with it and its attachments", async () => {
    const mail = await read(fixture("forwarded.eml"));
    const text = textOf(mail);
    expect(text).toMatch(/Bitte ansehen\.[^]*Forwarded message:[^]*Angebot für die Brücke[^]*4711 Euro/);
    expect(mail.attachments.map(({ name }) => name)).toEqual(["Preisliste für Köln – 2026.csv", "Plan.pdf"]);
    expect(mail.metadata["references"]).toEqual(["<root@example.org>", "<in@example.org>"]);
  });

  test("in ISO-2022-JP, Windows-1252 and undeclared Windows-1251 is read", async () => {
    const japanese = await read(fixture("japanese.eml"));
    expect(japanese.title).toBe("会議のお知らせ");
    expect(textOf(japanese)).toContain("会議は金曜日の午前十時に行われます。");
    const head = "From: a@b.org\r\nSubject: =?windows-1252?Q?5_=80?=\r\n";
    const western = `${head}Content-Type: text/plain; charset=windows-1252\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=93na=EFve=94 for 5 =80\r\n`;
    expect(textOf(await read(western))).toMatch(/# 5 €[^]*“naïve” for 5 €/);
    const cyrillic = Buffer.concat([
      Buffer.from("From: a@b.org\r\nSubject: Hi\r\n\r\n"),
      Buffer.from("c2f1f2f0e5f7e020ede0e7ede0f7e5ede020ede020effff2ede8f6f3", "hex"),
    ]);
    expect(textOf(await read(cyrillic))).toContain("Встреча назначена на пятницу");
  });

  test("that is encrypted says so", async () => {
    const mail = await read(
      'From: a@b.org\r\nSubject: Secret\r\nContent-Type: application/pkcs7-mime; name="smime.p7m"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n',
    );
    expect(mail.title).toBe("Secret");
    expect(mail.notes).toEqual(["The text of the email is encrypted; only its headers were read."]);
  });

  test("that is not one is kept as text", async () => {
    const { parts, notes } = await read("Just a few words without any header");
    expect(parts[0]?.text).toBe("Just a few words without any header");
    expect(notes).toHaveLength(1);
  });

  test("that is empty, truncated, changed or deeply nested ends in a result or a reason", async () => {
    await expect(read("")).rejects.toMatchObject({ reason: "empty" });
    await surviveHostileBytes(extractMail, fixture("forwarded.eml"));
    let nested = "Subject: innermost\r\n\r\nwords\r\n";
    for (let depth = 0; depth < 200; depth += 1)
      nested = `Subject: level ${depth}\r\nContent-Type: message/rfc822\r\n\r\n${nested}`;
    await survive(extractMail, Buffer.from(nested));
    const parts = Array.from(
      { length: 2_000 },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
    );
    await survive(extractMail, Buffer.from(`Subject: deep\r\n${parts.join("")}`));
    await survive(
      extractMail,
      Buffer.from(`Subject: x\r\nContent-Type: text/html\r\n\r\n${"<script>".repeat(300_000)}`),
    );
    await survive(extractMail, Buffer.from(`Subject: ${"=?utf-8?Q?".repeat(100_000)}\r\n\r\nx`));
    await survive(extractMail, Buffer.from(`To: ${"a@b.org, ".repeat(100_000)}\r\nSubject: x\r\n\r\nx`));
  });
});

describe("a mailbox", () => {
  test("becomes one part per mail, and keeps lines that begin with From", async () => {
    const { parts } = await extractMailbox(sourceFile(fixture("three.mbox")), extractionTools());
    expect(parts.map(({ place }) => place.entry)).toEqual([1, 2, 3]);
    for (const [index, { text }] of parts.entries()) {
      expect(text).toContain(`# Note ${index + 1}`);
      expect(text).toContain(`- From: Writer${index} <w${index}@example.org>`);
      expect(text).toContain(`Body number ${index + 1}.\n\nFrom here on it goes uphill.`);
    }
  });

  test("keeps a sentence that begins with From after an empty line", async () => {
    const mail = "From: a@example.org\nSubject: Ferry\n\nDear all,\n\nFrom Monday on the ferry leaves at noon.\nBye.\n";
    const box = `From a@example.org Thu Jan  1 00:00:00 2026\n${mail}\nFrom - Fri Jan  2 00:00:00 2026\r\n${mail}`;
    const { parts, notes } = await extractMailbox(sourceFile(Buffer.from(box)), extractionTools());
    expect(notes).toEqual([]);
    expect(parts).toHaveLength(2);
    for (const { text } of parts) expect(text).toContain("Dear all,\n\nFrom Monday on the ferry leaves at noon.\nBye.");
  });

  test("with more attachments than the limit says so", async () => {
    const mail = (index: number) =>
      `From a@b.org Thu Jan  1 00:00:00 2026\nFrom: a@b.org\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nText\n--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=f${index}.pdf\n\n%PDF-${index}\n--b--\n\n`;
    const box = Array.from({ length: 201 }, (_, index) => mail(index)).join("");
    const { attachments, notes } = await extractMailbox(sourceFile(Buffer.from(box)), extractionTools());
    expect(attachments).toHaveLength(200);
    expect(notes).toEqual(["Only the first 200 attached files were looked at."]);
  });

  test("beyond the limit is left out with a note", async () => {
    const tools = extractionTools({ limits: { maximumEntries: 2 } });
    const { parts, notes } = await extractMailbox(sourceFile(fixture("three.mbox")), tools);
    expect(parts).toHaveLength(2);
    expect(notes).toEqual(["Only the first 2 emails were read."]);
  });

  test("with a damaged mail keeps the others", async () => {
    const good = fixture("three.mbox").toString();
    const bad = "From nobody Tue Nov  3 2026\nno header at all\n";
    const box = `${good}\n${bad}\n${good}`;
    const { parts, notes } = await extractMailbox(sourceFile(Buffer.from(box)), extractionTools());
    expect(parts).toHaveLength(7);
    expect(parts[3]?.text).toContain("no header at all");
    expect(notes).toEqual(["1 email is damaged and was kept unchanged: no. 4."]);
    const twice = await extractMailbox(sourceFile(Buffer.from(`${bad}\n${bad}`)), extractionTools());
    expect(twice.notes).toEqual(["2 emails are damaged and were kept unchanged: nos. 1, 2."]);
  });

  test("that is empty, truncated, changed or large ends in a result or a reason", async () => {
    await surviveHostileBytes(extractMailbox, fixture("three.mbox"));
    await survive(extractMailbox, Buffer.from("From a Thu Jan  1 00:00:00 2026\n\n".repeat(100_000)));
    await survive(extractMailbox, Buffer.from("From ".repeat(600_000)));
    await survive(extractMailbox, Buffer.from(`From x\n\n${">".repeat(1_000_000)}From`));
  });
});
