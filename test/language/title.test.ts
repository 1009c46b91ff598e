import { describe, expect, test } from "vitest";
import { titleOf } from "../../src/language/title.js";

const PROSE =
  "The bees of the roof garden came through the winter well. Ada counted four hives in March, and one of the hives was weak. " +
  "The weak hive gets sugar until the lime trees are in flower.";

/** Twenty kinds of documents, and their subjects. */
const KINDS: readonly (readonly [kind: string, text: string, title: string | RegExp, path?: string])[] = [
  [
    "a mail with its head",
    "From: Ada <ada@example.org>\nTo: all@example.org\nDate: Mon, 4 May 2026 09:12:00 +0200\nSubject: Re: Budget for the spring fair\n\nHi all,\n\nI hope you are well. We have 900 euros left.",
    "Budget for the spring fair",
  ],
  [
    "a mail without its head",
    "Hi all,\n\nhope you had a good weekend. The migration of the billing database to Postgres 17 is planned for next Tuesday, so please keep the evening free and tell your customers in time.\n\nBest regards,\nAda",
    /migration of the billing database/i,
  ],
  [
    "a forwarded mail",
    "---------- Forwarded message ---------\nVon: Bo\nDatum: 4. Mai 2026\nBetreff: WG: AW: Dienstplan Juni\n\nHallo zusammen,\nanbei der Plan.",
    "Dienstplan Juni",
  ],
  [
    "a paper in Markdown",
    "[![build](x.svg)](y)\n\n# Kiln: a static site generator\n\nKiln builds sites.",
    "Kiln: a static site generator",
  ],
  [
    "a page with front matter",
    '---\nlayout: post\ndate: 2026-05-04\ntitle: "How we halved our cold starts"\n---\n\n## Introduction\n\nLast year we …',
    "How we halved our cold starts",
  ],
  [
    "minutes of a meeting",
    "2026-05-04, 10:00\nAttendees: Ada, Bo, Cy\n\nDraft\n\nLaunch planning for the Lisbon office\n\n- Ada signs the lease\n- Bo orders desks",
    "Launch planning for the Lisbon office",
  ],
  [
    "notes under a plain heading",
    "# Notes\n\n## 4 May 2026\n\n## Interview with the harbour master\n\nShe says that …",
    "Interview with the harbour master",
  ],
  [
    "a diary",
    "Monday, 4 May 2026\n\nToday I walked along the old canal towpath from Bath to Bradford-on-Avon and saw two kingfishers near the Dundas aqueduct, which made the blisters worth it.",
    /canal towpath|Dundas aqueduct|Bradford-on-Avon/,
  ],
  ["a report in prose", PROSE, /bees of the roof garden|hive/i],
  [
    "minutes with a date in their heading",
    "# Weekly sync, 24 November 2026\n\nBilling is done.",
    "Weekly sync, 24 November 2026",
  ],
  [
    "minutes whose first line has a date",
    "Weekly sync, 24 November 2026\n\nBilling is done.",
    "Weekly sync, 24 November 2026",
  ],
  [
    "a message about a job",
    "I got the job! I start on 1 Feb at Novo Nordisk and will be leaving Lundbeck after nine years.",
    /^Novo Nordisk$|^Job/,
  ],
  [
    "a question about a gift",
    "what would be a good gift for my dad? he's 70, loves trains and hates chocolate",
    /^(?!Loves)/,
  ],
  ["a shopping list", "Shopping list:\n- milk\n- eggs\n- rye flour", "Shopping list"],
  ["a recipe", "Grandma's lentil soup\n=====================\n\nServes 4\n\nIngredients: …", "Grandma's lentil soup"],
  [
    "a newsletter",
    "View this email in your browser\n\nDear reader,\n\n# Five gardens to visit this summer\n\nUnsubscribe",
    "Five gardens to visit this summer",
  ],
  [
    "a web page",
    "<!doctype html>\n<html><head><title>Tide tables for Faro</title></head><body>…",
    "Tide tables for Faro",
  ],
  [
    "a file of code",
    "#!/usr/bin/env python3\nimport sys\n\ndef main():\n    pass\n",
    "rotate_logs.py",
    "tools/rotate_logs.py",
  ],
  [
    "a log",
    "2026-05-04T10:00:01Z INFO started\n2026-05-04T10:00:02Z WARN slow",
    "payments-api.log",
    "/var/log/payments-api.log",
  ],
  ["a record", '{\n  "id": 7,\n  "title": "Leaking tap in room 12",\n  "state": "open"\n}', "Leaking tap in room 12"],
  [
    "a contract",
    "CONFIDENTIAL\n\nPage 1 of 12\n\nLease agreement for the premises at 12 Harbour Street\n\nThis agreement is made between …",
    "Lease agreement for the premises at 12 Harbour Street",
  ],
  [
    "a letter in German",
    "Ulm, 4. Mai 2026\n\nSehr geehrte Frau Weber,\n\nvielen Dank für Ihre Anfrage zu unserem Sauerteigkurs, der im Herbst an vier Samstagen in unserer Backstube in der Altstadt stattfinden wird.\n\nMit freundlichen Grüßen",
    /Sauerteigkurs/,
  ],
  [
    "a note in Chinese",
    "今天我们讨论了新办公室的租赁合同，房东同意把租金降低百分之十，但是要求我们签五年的合同并且提前支付三个月的押金，下周三之前必须答复，同时还要准备好所有员工的名单和公司的营业执照复印件。",
    /租赁合同/,
  ],
  ["a short note", "Hello!\n\nThe wifi password changed, ask Ada.", "The wifi password changed, ask Ada."],
  [
    "a question to an assistant",
    "Hey there, can you help me plan a cycling trip from Vienna to Budapest in late September with two small children and a trailer?",
    /cycling trip from Vienna to Budapest/i,
  ],
  [
    "a file with a usual name",
    "hello team,\n\nAgenda\n\nRollout of the badge readers\n\nWe start in the lobby.",
    "Rollout of the badge readers",
    "/tmp/untitled.txt",
  ],
];

describe("a document's title names its subject:", () => {
  test.each(KINDS.map(([kind, ...rest]) => ({ kind, rest })))("$kind", ({ rest: [text, expected, path] }) => {
    const title = titleOf(text, path) ?? "";
    if (typeof expected === "string") expect(title).toBe(expected);
    else expect(title).toMatch(expected);
    expect(title.length).toBeLessThanOrEqual(80);
  });
});

test("no title is cut inside a word", () => {
  const words =
    "Whenever nobody is around anymore everybody stays somewhere else altogether because nothing whatsoever ever happens here".split(
      " ",
    );
  for (let skipped = 0; skipped < words.length; skipped += 1) {
    const text = words.slice(skipped).join(" ");
    const title = (titleOf(text) ?? "").replace(/…$/, "");
    expect(` ${text.toLowerCase()} `).toContain(` ${title.toLowerCase()} `);
  }
});

test("a phrase without a subject is the title only if there is nothing else", () => {
  expect(titleOf("Hi all,")).toBe("Hi all,");
  expect(titleOf("2026-05-04")).toBe("2026-05-04");
  expect(titleOf(" \n--- \n")).toBeNull();
});

describe("in other languages", () => {
  test.each([
    [
      "Hallo zusammen,\n\nanbei das Protokoll der Sitzung vom 3. Mai. Wir haben beschlossen, das Lager nach Hamburg zu verlegen.\n\nViele Grüße\nAnna",
      "Das Protokoll der Sitzung vom 3. Mai.",
    ],
    [
      "Sehr geehrte Damen und Herren,\n\nhiermit kündige ich meinen Mietvertrag für die Wohnung in der Lindenstraße 4, die ich seit drei Jahren bewohne, zum 31. August.",
      "Hiermit kündige ich meinen Mietvertrag für die Wohnung in der Lindenstraße 4",
    ],
    [
      "Der Umzug des Rechenzentrums nach Frankfurt am Main, der ursprünglich für den Herbst geplant war, wird auf das Frühjahr verschoben. Alle Beteiligten wurden informiert.",
      "Der Umzug des Rechenzentrums nach Frankfurt am Main",
    ],
    ["Betreff: AW: Angebot Nr. 12\n\nGuten Tag Frau Maier,\n\nanbei das Angebot.", "Angebot Nr. 12"],
    [
      "Bonjour à tous,\n\nLa réunion de lancement du projet Atlas est reportée au 12 juin. Merci de confirmer votre présence.",
      "La réunion de lancement du projet Atlas est reportée au 12 juin.",
    ],
    [
      "Objet : Résiliation de l'abonnement\n\nMadame, Monsieur,\n\nJe souhaite résilier.",
      "Résiliation de l'abonnement",
    ],
    [
      "Hola a todos,\n\nOs envío el presupuesto de la reforma de la cocina. El total es de 8.500 euros.",
      /^El presupuesto de la reforma de la cocina/,
    ],
    ["Ciao a tutti,\n\nil contratto di affitto del magazzino scade il 30 giugno.", /^Il contratto di affitto/],
    ["Bom dia a todos,\n\nA migração da base de dados foi concluída ontem à noite.", /^A migração da base de dados/],
    [
      "Hoi allemaal,\n\nDe nieuwe huurovereenkomst voor het kantoor in Utrecht is getekend.",
      /^De nieuwe huurovereenkomst/,
    ],
    ["Всем привет!\n\nПеренос базы данных на новый сервер запланирован на пятницу.", /^Перенос базы данных/],
    [
      "皆さん、こんにちは。\n\n来週の金曜日にデータベースの移行を行います。ご協力をお願いします。",
      /^来週の金曜日にデータベースの移行/,
    ],
    ["大家好,\n\n下周五我们将进行数据库迁移。请提前备份数据。", /^下周五我们将进行数据库迁移/],
    ["王先生，您好！\n\n下周五我们将进行数据库迁移。", /^下周五/],
  ])("%j", (text, title) => {
    const found = titleOf(text);
    expect(found).toMatch(title);
    if (typeof title === "string") expect(found).toBe(title);
    expect((found ?? "").length).toBeLessThanOrEqual(80);
  });
});
