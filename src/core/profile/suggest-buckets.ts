import { stem } from "../../language/stem.js";
import { tokenise } from "../../language/words.js";
import { requireAllContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { readSettings } from "../upkeep/settings.js";
import type { ProfileBucket } from "../types.js";

/** A generally useful bucket, with the words that suggest it. */
interface Preset extends ProfileBucket {
  readonly cues: string;
}

/** The universal ones come first: they fill up when too few others are suggested. */
const PRESETS: readonly Preset[] = [
  {
    key: "preferences",
    description: "Likes, dislikes and settled choices: tools, food, style, ways of working.",
    cues: "preference prefer like dislike favourite favorite choice taste style recommend personalise personalize shop customer",
  },
  {
    key: "interests",
    description: "Topics, hobbies and activities that come up again and again.",
    cues: "interest hobby topic read music film game sport curious community content creator media",
  },
  {
    key: "goals",
    description: "What is to be reached, short-term and long-term, and how far along it is.",
    cues: "goal aim target plan milestone progress habit coach ambition objective resolution",
  },
  {
    key: "work",
    description: "Role, employer, colleagues, responsibilities and the way of working.",
    cues: "work job career role company employer team colleague office meeting business sales support professional startup client",
  },
  {
    key: "relationships",
    description: "Family, friends, partners and other people who matter, and how they are connected.",
    cues: "relationship family friend partner people contact child parent social network crm pet dating",
  },
  {
    key: "health",
    description: "Conditions, allergies, medication, fitness, sleep and diet.",
    cues: "health medical patient doctor fitness workout diet nutrition sleep allergy medication therapy wellbeing mental clinic",
  },
  {
    key: "skills",
    description: "What somebody can do and how well: languages, tools, crafts.",
    cues: "skill expertise ability experience language tool technology stack code programming developer engineer learn craft",
  },
  {
    key: "finances",
    description: "Income, spending, investments, budgets and other matters of money.",
    cues: "finance money budget income spend invest bank tax loan salary portfolio price purchase account insurance",
  },
  {
    key: "education",
    description: "Schools, degrees, courses, and what is being studied.",
    cues: "education school university course study student degree exam teacher lesson tutor class homework training",
  },
  {
    key: "travel",
    description: "Trips, places, bookings and how somebody likes to travel.",
    cues: "travel trip flight hotel visit vacation holiday destination booking itinerary tour airline",
  },
  {
    key: "values",
    description: "Beliefs, principles and what decisions are measured by.",
    cues: "value belief principle ethic religion culture faith conviction moral sustainability purpose",
  },
  {
    key: "projects",
    description: "What is being built or carried out: names, state, decisions, next steps.",
    cues: "project build product feature roadmap deadline repository code software task launch decision release research design",
  },
];

const FEWEST = 3;
const MOST = 6;

/**
 * Suggests 3 to 6 buckets that suit the organisation's prompt, best first. Nothing is stored.
 * @throws AppError `invalid` when there is no prompt, `forbidden` for a restricted caller
 */
export async function suggestBuckets(
  { store }: CoreContext,
  { actor }: AuthorizedCall,
): Promise<{ suggestions: ProfileBucket[] }> {
  requireAllContainers(actor);
  const { filterPrompt } = await readSettings(store, actor.organizationId, actor.client);
  if (!filterPrompt)
    throw new AppError(
      "invalid",
      "No organization context configured. Set filterPrompt by PATCH /v3/settings first: suggestions are made from it.",
    );
  return { suggestions: suggestFor(filterPrompt) };
}

function suggestFor(prompt: string): ProfileBucket[] {
  const words = stems(prompt);
  const scored = PRESETS.map((preset) => ({
    preset,
    score: [...stems(`${preset.key} ${preset.cues}`)].filter((cue) => words.has(cue)).length,
  }));
  const byScore = scored.toSorted((left, right) => right.score - left.score);
  const fitting = byScore.filter(({ score }) => score > 0).slice(0, MOST);
  const chosen = fitting.length >= FEWEST ? fitting : byScore.slice(0, FEWEST);
  return chosen.map(({ preset: { key, description } }) => ({ key, description }));
}

function stems(text: string): Set<string> {
  return new Set(tokenise(text).map(stem));
}
