/** Relations and roles of people, and animals: what is said of them is said of nobody else. */
export const PEOPLE =
  /\b(?:mother|father|mum|mom|dad|parents?|grand(?:mother|father|parents?|ma|pa)|wife|husband|partner|spouse|girlfriend|boyfriend|fianc\p{L}+|boss|(?<!\b(?:password|package|task|window|file) )manager|sons?|daughters?|child(?:ren)?|kids?|brothers?|sisters?|siblings?|aunt|uncle|cousins?|friends?|colleagues?|neighbou?rs?|flatmates?|roommates?|family|relatives|team|cats?|dogs?)\b/iu;
