import { describe, expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import { readingOfFact } from "../../src/core/memories/reading.js";
import type { KnownFact } from "../../src/core/memories/decision.js";
import { decide, mayRelate } from "../../src/core/memories/relate.js";

/** A note is read by rules and compared with the note of the day before. */
const extractor = createRulesExtractor();

const BEFORE = "2024-05-06T12:00:00Z";
const AFTER = "2024-05-07T12:00:00Z";

function factsOf(content: string, date: string) {
  return extractor.extract({ content, timeZone: "UTC", containerTag: "notes", date, isOwn: true });
}

/** What replaces each fact of the earlier note; null for a fact that stays. */
async function replacedBy(before: string, after: string): Promise<readonly (string | null)[]> {
  const known = (await factsOf(before, BEFORE)).map(({ text, forgetAfter = null }): KnownFact => ({
    memory: { id: text, text, forgetAfter },
    saidAt: BEFORE,
  }));
  const replaced = new Map<string, string>();
  for (const fact of await factsOf(after, AFTER)) {
    const related = known.filter(({ memory }) => mayRelate(readingOfFact(fact), memory.text));
    const decision = decide({ ...fact, saidAt: AFTER }, related);
    if (decision.kind === "updates") for (const id of decision.ids) replaced.set(id, fact.text);
  }
  return known.map(({ memory }) => replaced.get(memory.id) ?? null);
}

type Pair = readonly [before: string, after: string];

const REPLACED: Readonly<Record<string, readonly Pair[]>> = {
  "a habit on a day that changed": [
    ["We deploy to production on Thursdays.", "We no longer deploy on Thursdays."],
    ["We deploy to production every Thursday.", "We no longer deploy on Thursdays."],
    ["We deploy to production on Thursdays.", "We don't deploy on Thursdays any more."],
    ["We deploy to production on Thursdays.", "We stopped deploying on Thursdays."],
    ["The team deploys to production on Thursdays.", "We no longer deploy on Thursdays."],
  ],
  "the time of something": [
    ["The standup is at 9:15.", "Correction: standup is at 9:30 now, not 9:15."],
    ["The standup is at 9:15.", "Correction: the standup is at 9:30, not 9:15."],
    ["The standup is at 9:15.", "Standup is at 9:30 now."],
    ["Our standup is at 9:15.", "The standup is now at 9:30."],
    ["The standup is at 9.", "The standup is at 9:30 now."],
    ["The daily standup starts at 9:15.", "The daily standup is at 9:30 now."],
  ],
  "something used before": [
    ["Our CI is Jenkins.", "We migrated from Jenkins to GitHub Actions."],
    ["Our CI runs on Jenkins.", "We migrated from Jenkins to GitHub Actions."],
    ["The CI server is Jenkins.", "We replaced Jenkins with GitHub Actions."],
    ["Our issue tracker is Jira.", "We have switched from Jira to Linear."],
    ["We use Jenkins for CI.", "We migrated from Jenkins to GitHub Actions."],
    ["We use Postgres for analytics.", "We switched from Postgres to ClickHouse for analytics."],
    ["The API runs on Node 20.", "We upgraded the API to Node 22."],
    ["The API runs on Node 20.", "The API was upgraded to Node 22."],
    ["My phone runs Android 12.", "I upgraded my phone to Android 15."],
    ["We use Node 20.", "We upgraded to Node 22."],
    ["The API uses Node 20.", "We have upgraded to Node 22."],
    ["Our CI is Jenkins.", "We no longer use Jenkins."],
    ["My editor is Vim.", "I switched from Vim to Zed."],
    ["Our CI is Jenkins.", "We migrated from Jenkins to GitHub Actions in March because it is faster."],
    ["Our API runs on Node 20.", "We upgraded our API to Node 22."],
    ["Our CI is Jenkins.", "Last week we migrated from Jenkins to GitHub Actions."],
  ],
  "a role that passed to another person": [
    ["Tomás leads payments.", "Tomás left; Hana leads payments now."],
    ["Tomás leads payments.", "Tomás left on Monday; Hana leads payments now."],
    ["Tomás leads payments.", "Tomás left the company and Hana leads payments now."],
    ["Tomás leads payments.", "Tomás left in March; Hana leads payments now."],
    ["Tomás leads the payments team.", "Tomás left; Hana leads the payments team now."],
  ],
  "a cancelled plan": [
    ["The meeting with Lena is on Friday at 10.", "The meeting with Lena is cancelled."],
    ["Meeting with Lena on Friday at 10", "The meeting with Lena is cancelled."],
    ["I have a meeting with Lena on Friday at 10.", "The meeting with Lena has been called off."],
    ["The offsite is on 12 June.", "The offsite is cancelled."],
    ["Our offsite is on 12 June.", "The offsite was cancelled."],
    ["The offsite is on 12 June.", "The offsite on 12 June is canceled."],
  ],
  "a couple": [
    ["I am together with Anna.", "Anna and I broke up."],
    ["Anna is my girlfriend.", "Anna and I broke up."],
    ["My girlfriend is Anna.", "Anna and I broke up."],
    ["Anna is my girlfriend.", "I broke up with my girlfriend."],
    ["I'm dating Anna.", "Anna and I split up."],
    ["Anna is my wife.", "I got divorced."],
    ["I am married to Anna.", "I am divorced."],
  ],
  "a former home": [
    ["I live in a flat in Mainz.", "I moved out of the flat in Mainz."],
    ["I rent a flat in Mainz.", "I moved out of the flat in Mainz."],
    ["I live in Mainz.", "I moved out of the flat in Mainz."],
    ["I live in Mainz.", "I moved out of my flat in Mainz last week."],
    ["I share a flat with Tom.", "I moved out of the flat."],
    ["I live in Mainz.", "I moved out of the flat in Mainz to a house in Ghent."],
  ],
  "the language of answers": [
    ["Please always answer in German.", "Please answer in English from now on."],
    ["Answer in German, please.", "Only reply in English."],
    ["Always reply in German.", "From now on, answer in English."],
  ],
};

const KEPT: Readonly<Record<string, readonly Pair[]>> = {
  "an activity on another day, elsewhere or of others": [
    ["We deploy to production on Thursdays.", "We no longer deploy on Fridays."],
    ["We deploy to production on Thursdays.", "We no longer deploy to staging on Thursdays."],
    ["We deploy to production on Thursdays.", "Mia no longer deploys on Thursdays."],
    ["We deploy to production.", "We no longer deploy on Thursdays."],
    ["The team deploys to production on Thursdays.", "I no longer deploy on Thursdays."],
    ["The mobile team deploys to production on Thursdays.", "We no longer deploy on Thursdays."],
    ["We go to church on Sundays.", "We no longer go on Sundays."],
    ["We test new servers on Thursdays.", "We no longer test on Thursdays."],
    ["I speak to my mum on Mondays.", "I no longer speak on Mondays."],
    ["We talk to customers on Thursdays.", "We no longer talk on Thursdays."],
    ["I read to the kids on Sundays.", "I no longer read on Sundays."],
    ["I listen to podcasts on Mondays.", "I no longer listen on Mondays."],
    ["I play with my kids on Sundays.", "I no longer play on Sundays."],
    ["I work on my thesis on Fridays.", "I no longer work on Fridays."],
    ["We deploy to production on Thursdays.", "We no longer just deploy on Thursdays."],
    ["We deploy to production on Thursdays.", "We no longer only deploy on Thursdays."],
  ],
  "what is so besides it": [
    ["I live in Porto.", "I live in Berlin too."],
    ["I work at Bosch.", "I work at Siemens as well."],
    ["I work at Bosch.", "Also, I work at Siemens."],
    ["My doctor is Tim Wolf.", "My doctor is Ana Kern as well."],
    ["I use Vim as my editor.", "I use Emacs as my editor too."],
  ],
  "an event at another time": [
    ["The lesson starts at 14:00.", "Standup is at 9:30 now."],
    ["The standup is at 9:15.", "The standup is at 9:15 now."],
    ["The design standup is at 9:15.", "The standup is at 9:30 now."],
    ["The standup is at 9:15.", "The standup is at 9:30."],
    ["The standup is at 9:15.", "The standup is at 10 on Mondays now."],
    ["The standup is at 9:15.", "The standup on 14 May is cancelled."],
    ["The standup is at 9:15.", "The standup was cancelled yesterday."],
    ["The standup is at 9:15.", "The standup was cancelled this week."],
    ["The standup is at 9:15.", "The standup was cancelled."],
  ],
  "something used by others, for something else, or still used": [
    ["Our CI is Jenkins.", "We migrated from Travis to GitHub Actions."],
    ["Our CI is Jenkins.", "Mia migrated from Jenkins to GitHub Actions."],
    ["Our database is Postgres.", "We migrated from Postgres to ClickHouse for analytics."],
    ["We use Postgres for billing.", "We switched from Postgres to ClickHouse for analytics."],
    ["We use Postgres for billing.", "We replaced Postgres with ClickHouse for analytics."],
    ["Our CI is Jenkins and Travis.", "We migrated from Jenkins to GitHub Actions."],
    ["Our dog is called Jenkins.", "We migrated from Jenkins to GitHub Actions."],
    ["Our neighbour is Jenkins.", "We migrated from Jenkins to GitHub Actions."],
    ["Our CI is Jenkins.", "We want to migrate from Jenkins to GitHub Actions."],
    ["The API runs on Node 20.", "We upgraded the worker to Node 22."],
    ["The API runs on Python 3.12.", "We upgraded the API to Node 22."],
    ["The API runs on Node 20.", "We plan to upgrade the API to Node 22."],
    ["Tomás leads payments.", "Tomás left the room; Hana leads payments."],
    ["Tomás leads payments.", "Jo left; Hana leads payments now."],
    ["Tomás leads payments.", "Tomás left; Hana leads search now."],
    ["We use Jenkins for nightly builds.", "We migrated from Jenkins to GitHub Actions in the docs repo."],
    ["Our CI is Jenkins.", "We migrated from Jenkins to GitHub Actions in the docs repo."],
    ["Our CI is Jenkins.", "We switched from Jenkins to GitHub Actions on the mobile team."],
    ["Our CI is Jenkins.", "We switched from Jenkins to GitHub Actions and back."],
    ["Our chat is Slack.", "We switched from Slack to Teams with our clients."],
    ["Our chat tool is Slack.", "We replaced Slack with Teams in the Berlin office."],
    ["My browser is Firefox.", "I switched from Firefox to Safari on my phone."],
    ["My browser is Firefox.", "I switched from Firefox to Safari at work."],
    ["Our wiki is Notion.", "I left Notion."],
    ["I use Slack for the book club.", "I left Slack."],
    ["Our issue tracker is Jira.", "I no longer use Jira."],
    ["The database is Postgres.", "I switched from Postgres to SQLite."],
    ["The CI is Jenkins.", "I gave up Jenkins."],
    ["The API tests run on Node 20.", "We upgraded the API to Node 22."],
    ["The API gateway runs on Node 20.", "We upgraded the API to Node 22."],
    ["The staging API runs on Node 20.", "We upgraded the API to Node 22."],
    ["Acme's API runs on Node 20.", "We upgraded the API to Node 22."],
    ["The API of Acme runs on Node 20.", "We upgraded the API to Node 22."],
    ["The API and the worker run on Node 20.", "We upgraded the API to Node 22."],
    ["My wife's phone runs Android 12.", "I upgraded my phone to Android 15."],
    ["My work laptop runs Ubuntu 22.", "I upgraded my laptop to Ubuntu 24."],
    ["Mia's laptop runs on Node 20.", "We upgraded to Node 22."],
    ["The mobile worker runs on Node 20.", "We upgraded to Node 22."],
    ["The API runs on Node 20.", "At home I upgraded to Node 22."],
    ["The API runs on Node 20.", "Mia upgraded to Node 22."],
    ["The API runs on Node 20.", "We upgraded the API to Node 18 in 2022."],
    ["The API runs on Node 20.", "We upgraded the API to Node 22 and rolled back."],
    ["Tomás leads payments.", "Tomás left the meeting and Hana leads payments now."],
    ["Tomás leads payments.", "Tomás left on holiday; Hana leads payments now."],
    ["Tomás leads payments.", "Tomás left the book club; Hana leads payments now."],
    ["Our CI is Jenkins.", "We switched from Jenkins to Buildkite while the server was down."],
    ["We use Redis as a cache.", "We switched from Redis to Valkey as a queue."],
    ["I use Slack for calls.", "I switched from Slack to Teams with my clients."],
    ["I use Emacs.", "I quit Emacs and opened it again."],
  ],
  "an additional arrangement": [
    ["The meeting with Lena is on Friday at 10.", "The meeting with Tom is cancelled."],
    ["The meeting with Lena is on Friday at 10.", "The meeting with Lena on 3 June is cancelled."],
    ["I meet Lena every Monday at 10.", "The meeting with Lena is cancelled."],
    ["I have a meeting with Lena every Monday.", "The meeting with Lena is cancelled."],
    ["The offsite is on 12 June.", "The offsite dinner is cancelled."],
    ["The offsite is on 12 June.", "The offsite is not cancelled."],
    ["The offsite is on 12 June.", "The offsite might be cancelled."],
    ["The sales offsite is on 12 June.", "The offsite is cancelled."],
    ["The meeting with Lena is on Friday at 15:00.", "The meeting with Lena at 10 is cancelled."],
    ["Meeting with Lena on Friday at 10", "The meeting with Lena at 14:00 is cancelled."],
    ["The offsite is on 12 June.", "The sales team's offsite is cancelled."],
    ["Mia's interview is on 12 June.", "The interview is cancelled."],
    ["The trip to Rome is on 12 June.", "The flight to Rome was cancelled."],
    ["Our wedding is on 12 June.", "The wedding of Tom and Ina was cancelled."],
    ["The offsite is on 12 June.", "The offsite is cancelled, not really."],
    ["The meeting with Lena is on Friday at 10.", "The meeting with Lena was cancelled, but it is on again."],
    ["The team lunch is on the first Friday of the month.", "The team lunch is cancelled."],
  ],
  "another couple": [
    ["Anna is my girlfriend.", "Anna and Tom broke up."],
    ["Anna is my girlfriend.", "I broke up with Ina."],
    ["Anna is Tom's girlfriend.", "Anna and I broke up."],
    ["Anna is my colleague.", "Anna and I broke up."],
    ["Anna is my sister.", "Anna and I split up."],
    ["Anna is my girlfriend.", "I got divorced."],
    ["I am dating Anna.", "I am divorced."],
    ["I am dating Anna.", "I am widowed."],
    ["Anna is my girlfriend.", "Anna and I broke up, but we are together again."],
  ],
  "another home": [
    ["I live in Mainz.", "I moved out of the flat."],
    ["I live in Mainz.", "I moved out of the flat in Ghent."],
    ["I live in a flat in Mainz.", "I moved out of the flat in Ghent."],
    ["I live in a house in Mainz.", "I moved out of the flat in Mainz."],
    ["I live in Mainz.", "Mia moved out of the flat in Mainz."],
    ["My parents live in Mainz.", "I moved out of the flat in Mainz."],
    ["I live in Mainz.", "I moved out of the office in Mainz."],
    ["I live in Spain.", "I moved out of the holiday home in Spain."],
    ["I live in Sweden.", "I moved out of the summer house in Sweden."],
    ["I live in Mainz.", "I moved out of the meeting room in Mainz."],
    ["I live in Mainz.", "I moved out of my old flat in Mainz."],
    ["I live in New York.", "I moved out of the flat in York."],
    ["I live in Berlin.", "I moved to Team Blue."],
    ["I live in Mainz.", "We moved out of the flat in Mainz for the renovation."],
    ["I live in Mainz.", "I moved out of the flat in Mainz to a house in Mainz."],
    ["I live in Mainz.", "I moved out of the flat in Mainz to Wiesbaden Street."],
  ],
  "another preference for answers": [
    ["Please always answer in German.", "Answer in bullet points from now on."],
    ["Reply in bullet points from now on.", "Please answer in English from now on."],
    ["Please always answer in German.", "Write the report in English from now on."],
    ["Please always answer in German.", "Answer in German from now on."],
  ],
};

describe.each(Object.entries(REPLACED))("a note replaces %s", (_what, pairs) => {
  test.each(pairs)("%s → %s", async (before, after) => {
    const facts = await replacedBy(before, after);
    expect(facts).toHaveLength(1);
    expect(facts[0]).not.toBeNull();
  });
});

describe.each(Object.entries(KEPT))("a note keeps %s", (_what, pairs) => {
  test.each(pairs)("%s → %s", async (before, after) => {
    const facts = await replacedBy(before, after);
    expect(facts).toHaveLength(1);
    expect(facts[0]).toBeNull();
  });
});
