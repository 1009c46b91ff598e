import { expect, test } from "vitest";
import { figuresConflict, readFigure } from "../../src/core/memories/figures.js";

const CONFLICTING: readonly (readonly [string, string])[] = [
  ["The rate limit is 300 requests a minute", "The rate limit is 600 requests per minute"],
  [
    "The rate limit of the search API is 300 requests a minute.",
    "Rate limit of the search API is now 600 requests a minute",
  ],
  ["The Pro plan costs 20 euros a month", "The Pro plan costs 25 euros a month"],
  ["Atlas costs $1,200 a year", "Atlas costs $1,500 per year"],
  ["The launch is on 3 May 2026", "The launch is on 10 May 2026"],
  ["The launch is planned for May 3", "The launch is planned for June 7"],
  ["The deadline is 2026-03-01", "The deadline is 2026-04-01"],
  ["The office opens at 8:30", "The office opens at 9"],
  ["The office closes at 5 pm", "The office closes at 6 pm"],
  ["The staging server listens on port 8080", "The staging server listens on port 9090"],
  ["The upload limit is 10 MB", "The upload limit is 25 MB"],
  ["Idle connections time out after 30 minutes.", "Idle connections time out after 60 minutes."],
  ["The access token expires after 15 minutes", "The access token expires after 45 minutes"],
  ["Backups are kept for 30 days", "Backups are kept for 90 days"],
  ["The lease runs for five years", "The lease runs for 3 years"],
  ["User was born in 1987", "User was born in 1989"],
  ["Acme was founded in 1998", "Acme was founded in 2001"],
  ["The flat has 3 bedrooms", "The flat has four bedrooms"],
  ["The hall seats 120 people", "The hall seats 150 people"],
  ["The notice period is three months", "The notice period is 6 months"],
  ["The discount is 10 %", "The discount is 15 %"],
  ["The worker retries 3 times", "The worker retries 5 times"],
  ["The cache holds about 1,000 entries", "The cache holds 5,000 entries"],
  ["Opening hours are from 9 to 17", "Opening hours are from 10 to 18"],
  ["User's shoe size is 42", "User's shoe size is 43"],
  ["Maya's budget is 800 euros", "Maya's budget is 950 euros"],
  ["The default threshold is 0.5", "The default threshold is 0.6"],
  ["The current version is 2.3.1", "The current version is 2.4.0"],
  ["Das Limit liegt bei 300 Anfragen pro Minute", "Das Limit liegt bei 600 Anfragen pro Minute"],
  ["El límite es 300 peticiones por minuto", "El límite es 600 peticiones por minuto"],
];

const ONLY_LOOKING_SO: readonly (readonly [string, string])[] = [
  ["User has a meeting on Monday at 10", "User has a meeting on Tuesday at 11"],
  ["The meeting is on Monday at 10", "The meeting is on Tuesday at 11"],
  ["User has a dog that is 3 years old", "User has a dog that is 5 years old"],
  ["User's dog is 3 years old", "User's dog is 5 years old"],
  ["User's dog Rex is 3 years old", "User's dog Luna is 5 years old"],
  ["The Pro plan costs 20 euros a month", "The Team plan costs 40 euros a month"],
  ["The Pro plan costs 20 euros a month", "The Pro plan costs 200 euros a year"],
  ["The rate limit is 300 requests a minute", "The rate limit is 5,000 requests a day"],
  ["The rate limit was 300 requests a minute", "The rate limit is 600 requests a minute"],
  ["The rate limit is 300 requests a minute", "The rate limit is not 600 requests a minute"],
  ["The rate limit is at least 300 requests a minute", "The rate limit is 600 requests a minute"],
  ["The rate limit is 1,000 requests a day", "The rate limit is 1000 requests per day"],
  ["The launch is in May 2026", "The launch is on 3 May 2026"],
  ["The launch is on 3 May", "The launch is on 3 May 2026"],
  ["The office opens at 9", "The office opens at 9:00"],
  ["The office opens at 9 on weekdays", "The office opens at 10 on Saturdays"],
  ["User ran 5 km on Monday", "User ran 8 km on Tuesday"],
  ["User runs 5 km", "User runs 10 km"],
  ["User bought 2 books", "User bought 3 books"],
  ["The flight to Oslo is on 3 May", "The flight to Oslo is on 9 June"],
  ["The dentist appointment is on 3 May", "The dentist appointment is on 9 June"],
  ["It costs 20 euros", "It costs 30 euros"],
  ["A ticket costs 20 euros", "A ticket costs 30 euros"],
  ["The temperature is 20 degrees", "The temperature is 25 degrees"],
  ["The room costs 80 euros for 2 people", "The room costs 120 euros for 4 people"],
  ["The cache holds about 1,000 entries", "The cache holds 1,024 entries"],
  ["The EU rate limit is 300 requests a minute", "The US rate limit is 600 requests a minute"],
  ["In 2024, the budget was 800 euros", "In 2025, the budget was 950 euros"],
  ["User's order is 12345", "User's order is 67890"],
  ["User has 2 meetings today", "User has 3 meetings today"],
  ["User's son is 4 years old", "User's son is 9 years old"],
  ["The trip takes 2 hours by train", "The trip takes 5 hours by bus"],
];

function conflict(one: string, other: string): boolean {
  const [first, second] = [readFigure(one), readFigure(other)];
  return first !== null && second !== null && figuresConflict(first, second) && figuresConflict(second, first);
}

test.each(CONFLICTING)("%s / %s: contradict each other", (one, other) => {
  expect(conflict(one, other)).toBe(true);
});

test.each(ONLY_LOOKING_SO)("%s / %s: can both be true", (one, other) => {
  expect(conflict(one, other)).toBe(false);
});
