import { describe, expect, test } from "vitest";
import { readClaim, takesPlaceOf } from "../../src/core/memories/slots.js";

/** Whether a text would take the place of an older one. */
function updates(older: string, newer: string): boolean {
  const [known, said] = [readClaim(older), readClaim(newer)];
  return known !== null && said !== null && takesPlaceOf(said, known);
}

const UPDATES: Readonly<Record<string, readonly (readonly [older: string, newer: string])[]>> = {
  "a new home": [
    ["Mia lives in Lyon", "Mia lives in Oslo"],
    ["Mia lives in Lyon.", "Mia moved to Oslo."],
    ["User lives in Lyon", "User lives in Oslo now"],
    ["User lives in Lyon", "User moved to Oslo in the week of 29 April 2024"],
    ["User lives in Lyon with her sister", "User has moved to Oslo"],
    ["User lives in Lyon with Tom and Ana", "User has moved to Oslo"],
    ["User moved to Oslo in May 2023", "User lives in Bergen"],
    ["I live in Lyon", "User is based in Oslo"],
    ["The user lives in Lyon", "I moved from Lyon to Oslo"],
    ["Mia lives in Lyon, France", "Mia lives in Oslo, Norway"],
    ["Mia lives in France", "Mia lives in Norway"],
    ["Acme is based in Berlin", "Acme relocated to Munich"],
    ["Mia lives in Lyon", "Correction: Mia lives in Oslo, not in Lyon."],
    ["Mia lives in Lyon", "Actually, Mia lives in Oslo"],
    ["Mia lives in New York", "Mia has lived in Boston since 2023"],
    ["User's sister lives in Rome", "User's sister moved to Milan"],
  ],
  "a new employer": [
    ["Tom works at Google", "Tom works at Stripe"],
    ["Tom works for Google", "Tom now works at Stripe as a designer"],
    ["User works at Google in Zurich", "User started working at Stripe"],
    ["User works at Google", "User joined Stripe as a designer in April 2024"],
    ["User is employed by Google", "User got a new job at Stripe"],
    ["User's employer is Google", "User's new employer is Stripe"],
    ["User works at Google", "User left Google"],
    ["User works at Google", "User quit their job at Google"],
  ],
  "a new job": [
    ["Tom is a nurse", "Tom works as a teacher"],
    ["Tom works as a waiter", "Tom became an electrician"],
    ["Tom's job is baker", "Tom's job is pilot"],
    ["Mia is the CTO of Acme", "Mia is the CEO of Acme"],
  ],
  "another name": [
    ["User's name is Ana", "User's name is Anna-Maria"],
    ["The project is called Falcon", "The project was renamed to Heron"],
    ["User goes by Annie", "User goes by Max now"],
  ],
  "another favourite or preference": [
    ["User's favourite colour is blue", "User's favorite color is now green"],
    ["User's favourite film is Alien", "User's favourite film is Brazil"],
    ["User prefers tea to coffee", "User prefers coffee over tea"],
    ["User prefers coffee over tea", "User now prefers tea over coffee"],
    ["User prefers dark mode", "User prefers light mode"],
    ["User prefers short answers", "User prefers detailed answers now"],
    ["User prefers Python for scripts", "User prefers Ruby for scripts"],
    ["User prefers tea over coffee in the morning", "User prefers coffee over tea in the morning"],
  ],
  "a date, an age, a number": [
    ["User's birthday is on 3 May", "User's birthday is on 4 May"],
    ["Mia was born on 3 May 1990", "Mia was born on 3 May 1991"],
    ["Mia is 34 years old", "Mia is 35 years old"],
    ["Mia is 34", "Mia turned 35"],
    ["User weighs 70 kg", "User weighs 72 kilos"],
    ["Mia is 170 cm tall", "Mia is 172 cm tall"],
    ["User's rent is 900 €", "User's rent is 950 €"],
    ["User's salary is $50,000", "User's salary is now $55,000"],
    ["Acme has 20 employees", "Acme has 25 employees"],
    ["User sleeps 6 hours a night", "User sleeps 8 hours a night"],
    ["The ticket costs 12 €", "The ticket costs 15 €"],
  ],
  "how to reach somebody": [
    ["User's phone number is 555 1234", "User's phone number is 555 9876"],
    ["User's email is ana@example.org", "User's new email address is ana@example.com"],
    ["Mia's address is 3 Elm Street", "Mia's address is 9 Oak Road"],
    ["User's work email is a@example.org", "User's work email is b@example.org"],
  ],
  "another partner": [
    ["User is married to Tom", "User is divorced"],
    ["User's wife is Ana", "User's wife is Eva"],
    ["User is dating Tom", "User broke up with Tom"],
    ["User is engaged to Tom", "User is engaged to Ben"],
  ],
  "plans and projects": [
    ["Falcon is planned for 3 June 2024", "Falcon is planned for 10 June 2024"],
    ["The launch of Falcon is planned for 3 June 2024", "The launch of Falcon was moved to 1 July 2024"],
    ["Falcon launches on 3 June", "Falcon launches on 10 June"],
    ["The deadline for Falcon is on 10 May 2024", "The deadline for Falcon is on 24 May 2024"],
    ["Falcon's deadline is 10 May", "The deadline of Falcon is 24 May"],
    ["Falcon is in progress", "Falcon is done"],
    ["Falcon is in beta", "Falcon is now live"],
    ["User's dentist appointment is scheduled for 3 June", "User's dentist appointment was rescheduled to 9 June"],
  ],
  "what is eaten, driven, used": [
    ["User is vegetarian", "User is vegan now"],
    ["User is a vegan", "User is no longer vegan"],
    ["User drives a Volvo", "User now drives a Tesla"],
    ["User uses Postgres for storage", "User uses SQLite for storage"],
    ["We use Jira for tickets", "We switched to Linear for tickets"],
    ["User uses MySQL for storage", "User switched from MySQL to Postgres"],
    ["Falcon is written in Go", "Falcon was rewritten in Rust"],
    ["User's editor is Vim", "User's editor is Helix"],
  ],
  "a negation of what is known": [
    ["Mia lives in Lyon", "Mia no longer lives in Lyon"],
    ["Mia lives in Lyon, France", "Mia does not live in Lyon any more"],
    ["User likes coffee", "User does not like coffee anymore"],
    ["User likes coffee", "User hates coffee now"],
    ["User does not like coffee", "User likes coffee"],
    ["User plays tennis", "User no longer plays tennis"],
    ["User plays tennis with Ben", "User stopped playing tennis"],
    ["User eats meat", "User doesn't eat meat"],
    ["User smokes", "User quit smoking"],
    ["User can swim", "User cannot swim"],
    ["User is allergic to nuts", "User is not allergic to nuts"],
    ["User no longer plays tennis", "User plays tennis again"],
  ],
};

const KEPT: Readonly<Record<string, readonly (readonly [older: string, newer: string])[]>> = {
  "the past": [
    ["Tom works at Stripe", "Tom worked at Google until 2023"],
    ["Tom worked at Google until 2023", "Tom works at Stripe"],
    ["User lives in Oslo", "User used to live in Rome"],
    ["User lives in Oslo", "User lived in Rome from 2010 to 2014"],
    ["User lives in Oslo", "In 2019 User lived in Rome"],
    ["User lives in Oslo", "User previously lived in Rome"],
    ["User lives in Oslo", "User has lived in Rome"],
    ["User lives in Oslo", "User was living in Rome in 2012"],
    ["User lives in Oslo", "User moved to Rome ten years ago"],
    ["User's favourite colour is blue", "User's favourite colour was green"],
    ["User is a nurse", "User was a teacher before"],
  ],
  "plans, wishes, guesses, questions, reports": [
    ["User lives in Oslo", "User will move to Rome in 2025"],
    ["User lives in Oslo", "User wants to live in Rome"],
    ["User lives in Oslo", "User plans to move to Rome"],
    ["User lives in Oslo", "User is going to move to Rome"],
    ["User lives in Oslo", "User might move to Rome"],
    ["Mia lives in Oslo", "Does Mia live in Rome?"],
    ["Mia lives in Oslo", "Mia lives in Rome?"],
    ["Mia lives in Oslo", "Perhaps Mia lives in Rome"],
    ["Mia lives in Oslo", "Tom says Mia lives in Rome"],
    ["Mia lives in Oslo", "If Mia lives in Rome, she pays more"],
    ["User works at Google", "User may join Stripe"],
    ["Mia lives in Oslo", "Mia would rather live in Rome"],
  ],
  "somebody else": [
    ["Mia Keller lives in Lyon", "Mia Brandt lives in Oslo"],
    ["Mia Keller works at Google", "Mia Brandt works at Stripe"],
    ["Mia lives in Lyon", "Another Mia lives in Oslo"],
    ["Mia lives in Lyon", "Mia Brandt lives in Oslo"],
    ["User lives in Lyon", "User's sister lives in Oslo"],
    ["User's brother lives in Lyon", "User's sister lives in Oslo"],
    ["User's sister lives in Rome", "User's sister lives in Milan"],
    ["User's friend lives in Rome", "User's friend lives in Milan"],
    ["A friend lives in Rome", "A friend moved to Milan"],
    ["She lives in Rome", "She lives in Milan"],
    ["Somebody lives in Rome", "Somebody lives in Milan"],
    ["Mia no longer lives in Lyon", "Tom lives in Oslo"],
  ],
  "another scope": [
    ["User lives in Oslo", "User lives in Nice in summer"],
    ["User lives in Oslo", "In summer User lives in Nice"],
    ["User lives in Oslo", "User lives in Nice on weekends"],
    ["User uses Vim for notes", "At work User uses Emacs for notes"],
    ["User prefers dark mode", "User prefers light mode at work"],
    ["User prefers Python for scripts", "User prefers Rust for servers"],
    ["User uses Postgres for storage", "User uses Redis for caching"],
    ["User likes coffee", "User does not like coffee in the evening"],
    ["User lives in Oslo", "User temporarily lives in Nice"],
    ["User works at Google", "User works part-time at Stripe"],
    ["User lives in Oslo", "User is staying in Nice this week"],
  ],
  "what may be several": [
    ["User likes tea", "User likes coffee"],
    ["User speaks French", "User speaks German"],
    ["User has visited Rome", "User has visited Oslo"],
    ["User knows Python", "User knows Rust"],
    ["User has a dog named Rex", "User has a cat named Tom"],
    ["User's dog is called Rex", "User's dog is called Bo"],
    ["User's daughter is called Ina", "User's daughter is called Eva"],
    ["User's son is 5 years old", "User's son is 8 years old"],
    ["User drives a Volvo", "User drives a Tesla"],
    ["User works at Google", "User also works at Stripe"],
    ["User is a mother", "User is a nurse"],
    ["User is a runner", "User is a teacher"],
    ["User is a nurse", "User is a careful driver"],
    ["User plays tennis", "User plays chess"],
    ["User is allergic to nuts", "User is allergic to milk"],
    ["User has a meeting on 3 May", "User has a meeting on 4 May"],
    ["The meeting is scheduled for 3 June", "The meeting is scheduled for 9 June"],
  ],
  "what does not contradict": [
    ["Mia lives in Lyon", "Mia lives in France"],
    ["Mia lives in Lyon", "Mia lives in Lyon, France"],
    ["Mia lives in Lyon", "Mia lives in Lyon with her sister"],
    ["Mia lives in Lyon", "Mia lives in a small flat"],
    ["Mia lives in Lyon", "Mia moved to Linux"],
    ["Mia lives in Lyon", "Mia moved to the marketing team"],
    ["Mia is a doctor", "Mia is a surgeon"],
    ["Tom is an engineer", "Tom works as a senior engineer"],
    ["Falcon is planned for June 2024", "Falcon is planned for 3 June 2024"],
    ["User's birthday is on 3 May", "User's birthday is on May 3rd"],
    ["User's birthday is on 3 May", "Mia was born on 3 May 1990"],
    ["User is dating Tom", "User is married to Tom"],
    ["User's phone number is 555 1234", "User's phone number is 555-1234"],
    ["Mia lives in Lyon", "Mia lives near Oslo"],
    ["Tom works at Google", "Tom works from home"],
    ["Tom works at Google", "Tom joined a gym"],
    ["Tom works at Google", "Tom joined the Marathon Club"],
    ["Mia does not live in Lyon", "Mia lives in Oslo"],
    ["Mia lives in Oslo", "Mia no longer lives in Lyon"],
    ["Tom works at Stripe", "Tom left Google"],
    ["Mia is older than Tom", "Mia is younger than Ben"],
  ],
  "what says something else as well": [
    ["User is a translator from Osaka living in Marseille", "User works as a baker"],
    ["Mia lives in Lyon with Tom and works at Acme", "Mia moved to Oslo"],
    ["Mia lives in Lyon and plays tennis", "Mia moved to Oslo"],
    ["Tom works at Google as a designer and speaks French", "Tom works at Stripe"],
    ["Mia lives in Lyon, where she teaches maths", "Mia moved to Oslo"],
  ],
  "another slot, unit or topic": [
    ["User weighs 70 kg", "User weighs 154 lbs"],
    ["Mia is 170 cm tall", "Mia is 5 feet tall"],
    ["User's rent is 900 €", "User's rent is $990"],
    ["Mia has 2 dogs", "Mia has 3 cats"],
    ["User's work email is a@example.org", "User's email is b@example.org"],
    ["User's old phone number is 555 1234", "User's phone number is 555 9876"],
    ["User's favourite colour is blue", "User's favourite film is Brazil"],
    ["User prefers tea to coffee", "User prefers tea to juice"],
    ["User prefers window seats", "User prefers short answers"],
    ["User's first name is Ana", "User's last name is Silva"],
    ["Falcon launches on 3 June", "Falcon ends on 10 June"],
    ["Falcon's deadline is 10 May", "Heron's deadline is 24 May"],
    ["User likes tea and coffee", "User does not like coffee"],
    ["User likes green tea", "User does not like tea"],
    ["User not only likes tea", "User does not only like tea"],
    ["User plays tennis on Mondays", "User plays tennis on Fridays"],
  ],
};

describe.each(Object.entries(UPDATES))("%s takes the place of the old", (_group, pairs) => {
  test.each(pairs)("%j -> %j", (older, newer) => expect(updates(older, newer)).toBe(true));
});

describe.each(Object.entries(KEPT))("%s leaves both", (_group, pairs) => {
  test.each(pairs)("%j -> %j", (older, newer) => expect(updates(older, newer)).toBe(false));
});

test("nothing takes the place of itself", () => {
  for (const [older, newer] of [...Object.values(UPDATES), ...Object.values(KEPT)].flat()) {
    expect(updates(older, older), older).toBe(false);
    expect(updates(newer, newer), newer).toBe(false);
  }
});

test("odd texts fill no slot, without trouble", () => {
  const hostile = [
    "",
    " ",
    "\0",
    "?",
    "\ud83d",
    "lives in",
    "lives in lives in lives in",
    "a ".repeat(100_000),
    "'s ".repeat(80),
    "is ".repeat(79),
  ];
  for (const text of hostile) expect(readClaim(text)?.slot ?? "says").toBe("says");
});
